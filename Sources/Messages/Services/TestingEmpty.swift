public import SwiftletMessages

// The messages of grpc/testing/empty.proto.
extension GRPC.Testing {
    /// A message without fields. It has a type of its own, so that fields can be added later.
    public struct Empty: Message {
        public var unknownFields = UnknownFields()

        public init() {}

        public static var messageName: String { "grpc.testing.Empty" }

        public static let layout = Layout<Self> { _ in }
    }
}
