/// The texts of one call that routes compare: its path, and the headers they ask for. Each is looked up once, when
/// it is asked for.
struct RouteTexts {
    private let call: CallHeaders
    private let names: [ByteText]
    private var path: [UInt8]?
    /// Of the headers; nil for what was not looked up yet. Empty until the first is.
    private var values: [[UInt8]??] = []
    /// What `range(of:)` was asked for, one after the other.
    private(set) var bytes: [UInt8] = []
    private var ranges: [Range<Int>?] = []

    /// The place of the path among the texts. The others are headers.
    static let pathPlace = 0

    /// - Parameter names: Those of the headers, in lower case, at their places. The first is not used.
    init(_ call: CallHeaders, _ names: [ByteText]) {
        self.call = call
        self.names = names
    }

    /// The text at a place; nil if it is absent.
    subscript(place: Int) -> [UInt8]? {
        mutating get {
            if place == Self.pathPlace {
                let bytes = path ?? Array(call.path.utf8)
                path = bytes
                return bytes
            }
            if values.isEmpty { values = Array(repeating: nil, count: names.count) }
            if let value = values[place] { return value }
            let value = call.value(of: names[place])
            values[place] = .some(value)
            return value
        }
    }

    /// Where the text at a place is in `bytes`; nil if it is absent.
    mutating func range(of place: Int) -> Range<Int>? {
        if ranges.isEmpty { ranges = Array(repeating: nil, count: names.count) }
        if let range = ranges[place] { return range }
        guard let value = self[place] else { return nil }
        let range = bytes.count..<bytes.count + value.count
        bytes += value
        ranges[place] = range
        return range
    }
}
