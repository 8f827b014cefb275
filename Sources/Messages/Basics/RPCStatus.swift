// The messages of google/rpc/status.proto.
extension Google.RPC {
    /// The status of a call, with details that programs can read.
    public struct Status: Message {
        /// A gRPC status code.
        public var code: Int32 = 0
        /// For developers, in English.
        public var message = ""
        public var details: [Google.Protobuf.AnyMessage] = []
        public var unknownFields = UnknownFields()

        public init() {}

        public init(
            code: Int32 = 0, message: String = "", details: [Google.Protobuf.AnyMessage] = []
        ) {
            self.code = code
            self.message = message
            self.details = details
        }

        public static var messageName: String { "google.rpc.Status" }

        public static let layout = Layout<Self> { field in
            field.int32(1, \.code)
            field.string(2, \.message)
            field.message(3, \.details)
        }
    }
}

extension Google.RPC.Status {
    /// The name of the trailer that contains the encoded status.
    public static let trailerName = "grpc-status-details-bin"

    /// The first detail of this type, if there is one.
    public func detail<M: Message>(_ type: M.Type = M.self) throws(WireError) -> M? {
        for detail in details where detail.holds(type) { return try detail.unpack() }
        return nil
    }

    /// Adds a detail under its ``Message/messageName``.
    public mutating func add(_ detail: some Message) {
        details.append(.init(packing: detail))
    }
}
