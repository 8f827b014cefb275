// The messages of grpc/testing/empty.proto.
extension GRPC.Testing {
    /// Nothing; a message of its own, so that it may grow one day.
    public struct Empty: Message {
        public var unknownFields = UnknownFields()

        @inlinable
        public init() {}

        @inlinable public static var messageName: String { "grpc.testing.Empty" }

        @inlinable
        public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {}
    }
}
