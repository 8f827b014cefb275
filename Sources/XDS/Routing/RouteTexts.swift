/// The headers of one call that routes compare. Each is looked up once, when it is asked for.
struct RouteTexts {
    /// Nil for what was not looked up yet. Empty until the first is.
    private var values: [[UInt8]??] = []

    /// The place of the path among the texts that routes compare. The others are headers.
    static let pathPlace = 0

    /// The header at a place, which is not that of the path; nil if it is absent.
    ///
    /// - Parameter names: Those of the headers, in lower case, at their places. The first is not used.
    mutating func text(
        at place: Int, of call: borrowing CallHeaders, _ names: borrowing [ByteText]
    ) -> [UInt8]? {
        if values.isEmpty { values = Array(repeating: nil, count: names.count) }
        if let value = values[place] { return value }
        let value = call.value(of: names[place])
        values[place] = .some(value)
        return value
    }
}
