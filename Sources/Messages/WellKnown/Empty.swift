extension Google.Protobuf {
    /// Nothing, for methods that take or give nothing.
    public struct Empty: Message {
        public var unknownFields = UnknownFields()

        @inlinable
        public init() {}

        @inlinable public static var messageName: String { "google.protobuf.Empty" }

        @inlinable
        public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {}
    }
}
