/// Limits for decoding a message, and whether unknown fields are kept.
public struct DecodingOptions: Hashable, Sendable {
    /// How deeply messages may be nested below the outermost one. Default: 100. Each level uses stack memory:
    /// in a release build about eighty bytes for each field in the message's list.
    public var maxDepth: Int

    /// The largest outermost message, in bytes. Default: 2 GiB, the most that protobuf allows.
    public var maxByteCount: Int

    /// Whether fields that the message does not list are kept. Default: true.
    public var keepsUnknownFields: Bool

    public init(
        maxDepth: Int = 100, maxByteCount: Int = 0x7fff_ffff, keepsUnknownFields: Bool = true
    ) {
        self.maxDepth = maxDepth
        self.maxByteCount = maxByteCount
        self.keepsUnknownFields = keepsUnknownFields
    }
}
