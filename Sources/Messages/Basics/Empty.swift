extension Google.Protobuf {
    /// A message without fields, for methods without a request or a reply.
    public struct Empty: Message {
        public var unknownFields = UnknownFields()

        public init() {}

        public static var messageName: String { "google.protobuf.Empty" }

        public static let layout = Layout<Self> { _ in }
    }
}
