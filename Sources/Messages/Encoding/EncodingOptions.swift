/// How a message is encoded.
@frozen
public struct EncodingOptions: Hashable, Sendable {
    /// Whether maps are sorted by key, so that what is the same on the wire becomes the same octets.
    public var isDeterministic = false

    /// Whether fields that arrived unknown are sent on.
    public var keepsUnknownFields = true

    @inlinable
    public init(isDeterministic: Bool = false, keepsUnknownFields: Bool = true) {
        self.isDeterministic = isDeterministic
        self.keepsUnknownFields = keepsUnknownFields
    }

    /// Maps sorted by key.
    public static let deterministic = EncodingOptions(isDeterministic: true)
}
