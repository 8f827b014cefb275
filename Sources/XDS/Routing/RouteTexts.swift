/// The texts of one call that routes compare: its path, and the headers they ask for. Each is looked up once, when
/// it is asked for.
struct RouteTexts {
    private var path: [UInt8]?
    /// Of the headers; nil for what was not looked up yet. Empty until the first is.
    private var values: [[UInt8]??] = []

    /// The place of the path among the texts. The others are headers.
    static let pathPlace = 0

    /// The text at a place; nil if it is absent.
    ///
    /// - Parameter names: Those of the headers, in lower case, at their places. The first is not used.
    mutating func text(
        at place: Int, of call: borrowing CallHeaders, _ names: borrowing [ByteText]
    ) -> [UInt8]? {
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
