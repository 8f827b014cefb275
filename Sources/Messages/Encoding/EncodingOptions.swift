/// How a message is encoded.
@frozen
public struct EncodingOptions: Hashable, Sendable {
    /// Whether maps are sorted by key, so that equal messages have equal encodings. Default: false.
    public var isDeterministic = false

    /// Whether unknown fields are encoded. Default: true.
    public var keepsUnknownFields = true

    @inlinable
    public init(isDeterministic: Bool = false, keepsUnknownFields: Bool = true) {
        self.isDeterministic = isDeterministic
        self.keepsUnknownFields = keepsUnknownFields
    }

    /// Maps sorted by key.
    public static let deterministic = EncodingOptions(isDeterministic: true)
}
