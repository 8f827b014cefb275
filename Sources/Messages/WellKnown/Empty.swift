extension Google.Protobuf {
    /// A message without fields, for methods without a request or a reply.
    public struct Empty: Message {
        public var unknownFields = UnknownFields()

        @inlinable
        public init() {}

        @inlinable public static var messageName: String { "google.protobuf.Empty" }

        @inlinable
        public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {}
    }
}
