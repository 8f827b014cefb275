/// How JSON is read.
public struct JSONReadingOptions: Hashable, Sendable {
    /// Whether members that the schema does not have, and unknown names of enum values, are
    /// skipped. Default: false, they are errors.
    public var ignoresUnknownFields: Bool
    /// How deep objects and lists may be nested. Default: 100.
    public var maxDepth: Int
    /// The largest text, in bytes. Default: 2 GiB.
    public var maxByteCount: Int
    /// Whether required fields may be absent. Default: false.
    public var allowsPartial: Bool

    /// Makes options, with the defaults for those that are not passed.
    public init(
        ignoresUnknownFields: Bool = false, maxDepth: Int = 100,
        maxByteCount: Int = 0x7fff_ffff, allowsPartial: Bool = false
    ) {
        self.ignoresUnknownFields = ignoresUnknownFields
        self.maxDepth = maxDepth
        self.maxByteCount = maxByteCount
        self.allowsPartial = allowsPartial
    }
}

/// How JSON is written.
public struct JSONWritingOptions: Hashable, Sendable {
    /// Whether fields without presence, lists and maps are written when they are absent. Default:
    /// false.
    public var emitsDefaults: Bool
    /// Whether fields have their names of the `.proto` file, not their JSON names. Default: false.
    public var preservesNames: Bool
    /// Whether enums are written as numbers. Default: false.
    public var writesEnumsAsNumbers: Bool
    /// Whether each member has a line of its own, indented by two spaces for each of the first 16 levels.
    /// Default: false.
    public var isIndented: Bool
    /// How deep messages may be nested. Unlike the limit of decoding, this includes the messages inside a
    /// `google.protobuf.Any`. Default: 100.
    public var maxDepth: Int

    /// Makes options, with the defaults for those that are not passed.
    public init(
        emitsDefaults: Bool = false, preservesNames: Bool = false,
        writesEnumsAsNumbers: Bool = false, isIndented: Bool = false, maxDepth: Int = 100
    ) {
        self.emitsDefaults = emitsDefaults
        self.preservesNames = preservesNames
        self.writesEnumsAsNumbers = writesEnumsAsNumbers
        self.isIndented = isIndented
        self.maxDepth = maxDepth
    }
}
