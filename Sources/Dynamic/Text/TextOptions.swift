/// How the text format is read.
public struct TextReadingOptions: Hashable, Sendable {
    /// How deep messages may be nested. Default: 100.
    public var maxDepth: Int
    /// The largest text, in bytes. Default: 2 GiB.
    public var maxByteCount: Int
    /// Whether required fields may be absent. Default: false.
    public var allowsPartial: Bool

    /// Makes options, with the defaults for those that are not passed.
    public init(
        maxDepth: Int = 100, maxByteCount: Int = 0x7fff_ffff, allowsPartial: Bool = false
    ) {
        self.maxDepth = maxDepth
        self.maxByteCount = maxByteCount
        self.allowsPartial = allowsPartial
    }
}

/// How the text format is written.
public struct TextWritingOptions: Hashable, Sendable {
    /// Whether unknown fields are written, with their numbers as names. Such text cannot be read
    /// back. Default: false.
    public var writesUnknownFields: Bool
    /// Whether an `Any` is written as its content, if the schema has the type and messages are then nested at
    /// most 100 deep. Otherwise its `type_url` and `value` are written. Default: true.
    public var expandsAny: Bool
    /// Whether everything is on one line. Default: false, each field has its own line, indented by two spaces
    /// for each of the first 16 levels.
    public var isSingleLine: Bool

    /// Makes options, with the defaults for those that are not passed.
    public init(
        writesUnknownFields: Bool = false, expandsAny: Bool = true, isSingleLine: Bool = false
    ) {
        self.writesUnknownFields = writesUnknownFields
        self.expandsAny = expandsAny
        self.isSingleLine = isSingleLine
    }
}
