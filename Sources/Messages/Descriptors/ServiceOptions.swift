public import SwiftletMessages

// The options of services in google/protobuf/descriptor.proto.
extension Google.Protobuf {
    /// The options of a service.
    public struct ServiceOptions: Message {
        public var features: FeatureSet?
        public var deprecated: Bool?
        public var uninterpretedOption: [UninterpretedOption] = []
        public var unknownFields = UnknownFields()

        @inlinable
        public init() {}

        @inlinable public static var messageName: String { "google.protobuf.ServiceOptions" }

        @inlinable
        public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.bool(33, &deprecated)
            try field.message(34, &features)
            try field.message(999, &uninterpretedOption)
        }
    }

    /// The options of a method.
    public struct MethodOptions: Message {
        /// Whether a call may be repeated.
        public struct IdempotencyLevel: OpenEnum {
            public var rawValue: Int32

            @inlinable
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

        @inlinable
        public init() {}

        @inlinable public static var messageName: String { "google.protobuf.MethodOptions" }

        @inlinable
        public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.bool(33, &deprecated)
            try field.enumeration(34, &idempotencyLevel)
            try field.message(35, &features)
            try field.message(999, &uninterpretedOption)
        }
    }
}
