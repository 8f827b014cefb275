/// What a message may cost to decode, and what is kept of it.
@frozen
public struct DecodingOptions: Hashable, Sendable {
    /// How many messages may lie inside one another below the outermost. Each costs stack: in a
    /// release build some eighty octets for each field in its list.
    public var maxDepth: Int

    /// Octets of the outermost message. The default is what protobuf allows at all, 2 GiB.
    public var maxByteCount: Int

    /// Whether fields that the message does not list are kept.
    public var keepsUnknownFields: Bool

    @inlinable
    public init(
        maxDepth: Int = 100, maxByteCount: Int = 0x7fff_ffff, keepsUnknownFields: Bool = true
    ) {
        self.maxDepth = maxDepth
        self.maxByteCount = maxByteCount
        self.keepsUnknownFields = keepsUnknownFields
    }
}
