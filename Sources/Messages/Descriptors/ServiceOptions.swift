public import SwiftletMessages

// The options of services in google/protobuf/descriptor.proto.
extension Google.Protobuf {
    /// The options of a service.
    public struct ServiceOptions: Message {
        public var features: FeatureSet?
        public var deprecated: Bool?
        public var uninterpretedOption: [UninterpretedOption] = []
        public var unknownFields = UnknownFields()

        public init() {}

        public static var messageName: String { "google.protobuf.ServiceOptions" }

        public static let layout = Layout<Self> { field in
            field.bool(33, \.deprecated)
            field.message(34, \.features)
            field.message(999, \.uninterpretedOption)
        }
    }

    /// The options of a method.
    public struct MethodOptions: Message {
        /// Whether a call may be repeated.
        public struct IdempotencyLevel: OpenEnum {
            public var rawValue: Int32

            public init(rawValue: Int32) { self.rawValue = rawValue }

            public static let unknown = IdempotencyLevel(rawValue: 0)
            public static let noSideEffects = IdempotencyLevel(rawValue: 1)
            public static let idempotent = IdempotencyLevel(rawValue: 2)

            public var name: String? {
                switch self {
                case .unknown: "IDEMPOTENCY_UNKNOWN"
                case .noSideEffects: "NO_SIDE_EFFECTS"
                case .idempotent: "IDEMPOTENT"
                default: nil
                }
            }
        }

        public var deprecated: Bool?
        public var idempotencyLevel: IdempotencyLevel?
        public var features: FeatureSet?
        public var uninterpretedOption: [UninterpretedOption] = []
        public var unknownFields = UnknownFields()

        public init() {}

        public static var messageName: String { "google.protobuf.MethodOptions" }

        public static let layout = Layout<Self> { field in
            field.bool(33, \.deprecated)
            field.enumeration(34, \.idempotencyLevel)
            field.message(35, \.features)
            field.message(999, \.uninterpretedOption)
        }
    }
}
