public import SwiftletMessages

// The options of messages and their parts in google/protobuf/descriptor.proto.
extension Google.Protobuf {
    /// The options of a message.
    public struct MessageOptions: Message {
        /// Whether the message is encoded as a message set, whose fields are all extensions.
        public var messageSetWireFormat: Bool?
        public var noStandardDescriptorAccessor: Bool?
        public var deprecated: Bool?
        /// Whether the message is the entry type of a map field.
        public var mapEntry: Bool?
        public var deprecatedLegacyJsonFieldConflicts: Bool?
        public var features: FeatureSet?
        public var uninterpretedOption: [UninterpretedOption] = []
        public var unknownFields = UnknownFields()

        public init() {}

        public init(deprecated: Bool? = nil, mapEntry: Bool? = nil) {
            self.deprecated = deprecated
            self.mapEntry = mapEntry
        }

        public static var messageName: String { "google.protobuf.MessageOptions" }

        public static let layout = Layout<Self> { field in
            field.bool(1, \.messageSetWireFormat)
            field.bool(2, \.noStandardDescriptorAccessor)
            field.bool(3, \.deprecated)
            field.bool(7, \.mapEntry)
            field.bool(11, \.deprecatedLegacyJsonFieldConflicts)
            field.message(12, \.features)
            field.message(999, \.uninterpretedOption)
        }
    }

    /// The options of a oneof.
    public struct OneofOptions: Message {
        public var features: FeatureSet?
        public var uninterpretedOption: [UninterpretedOption] = []
        public var unknownFields = UnknownFields()

        public init() {}

        public static var messageName: String { "google.protobuf.OneofOptions" }

        public static let layout = Layout<Self> { field in
            field.message(1, \.features)
            field.message(999, \.uninterpretedOption)
        }
    }

    /// The options of a range of extension numbers.
    public struct ExtensionRangeOptions: Message {
        /// Whether every extension in the range must be declared.
        public struct VerificationState: OpenEnum {
            public var rawValue: Int32

            public init(rawValue: Int32) { self.rawValue = rawValue }

            public static let declaration = VerificationState(rawValue: 0)
            public static let unverified = VerificationState(rawValue: 1)

            public var name: String? {
                switch self {
                case .declaration: "DECLARATION"
                case .unverified: "UNVERIFIED"
                default: nil
                }
            }
        }

        /// Which extension may use a number of the range.
        public struct Declaration: Message {
            public var number: Int32?
            /// With a leading dot.
            public var fullName: String?
            /// The type. The full name of a message or an enum has a leading dot.
            public var type: String?
            public var reserved: Bool?
            public var repeated: Bool?
            public var unknownFields = UnknownFields()

            public init() {}

            public static var messageName: String {
                "google.protobuf.ExtensionRangeOptions.Declaration"
            }

            public static let layout = Layout<Self> { field in
                field.int32(1, \.number)
                field.string(2, \.fullName)
                field.string(3, \.type)
                field.bool(5, \.reserved)
                field.bool(6, \.repeated)
            }
        }

        public var uninterpretedOption: [UninterpretedOption] = []
        public var declaration: [Declaration] = []
        public var features: FeatureSet?
        public var verification: VerificationState?
        public var unknownFields = UnknownFields()

        public init() {}

        public static var messageName: String { "google.protobuf.ExtensionRangeOptions" }

        public static let layout = Layout<Self> { field in
            field.message(2, \.declaration)
            field.enumeration(3, \.verification)
            field.message(50, \.features)
            field.message(999, \.uninterpretedOption)
        }
    }
}
