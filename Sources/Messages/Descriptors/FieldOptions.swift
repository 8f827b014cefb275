public import SwiftletMessages

// The options of a field in google/protobuf/descriptor.proto.
extension Google.Protobuf {
    /// The options of a field.
    public struct FieldOptions: Message {
        /// The C++ type of a string.
        public struct CType: OpenEnum {
            public var rawValue: Int32

            public init(rawValue: Int32) { self.rawValue = rawValue }

            public static let string = CType(rawValue: 0)
            public static let cord = CType(rawValue: 1)
            public static let stringPiece = CType(rawValue: 2)

            public var name: String? {
                switch self {
                case .string: "STRING"
                case .cord: "CORD"
                case .stringPiece: "STRING_PIECE"
                default: nil
                }
            }
        }

        /// The JavaScript type of a 64-bit number.
        public struct JSType: OpenEnum {
            public var rawValue: Int32

            public init(rawValue: Int32) { self.rawValue = rawValue }

            public static let normal = JSType(rawValue: 0)
            public static let string = JSType(rawValue: 1)
            public static let number = JSType(rawValue: 2)

            public var name: String? {
                switch self {
                case .normal: "JS_NORMAL"
                case .string: "JS_STRING"
                case .number: "JS_NUMBER"
                default: nil
                }
            }
        }

        /// How long an option is kept.
        public struct OptionRetention: OpenEnum {
            public var rawValue: Int32

            public init(rawValue: Int32) { self.rawValue = rawValue }

            public static let unknown = OptionRetention(rawValue: 0)
            public static let runtime = OptionRetention(rawValue: 1)
            public static let source = OptionRetention(rawValue: 2)

            public var name: String? {
                switch self {
                case .unknown: "RETENTION_UNKNOWN"
                case .runtime: "RETENTION_RUNTIME"
                case .source: "RETENTION_SOURCE"
                default: nil
                }
            }
        }

        /// The kinds of declarations that an option may be set on.
        public struct OptionTargetType: OpenEnum {
            public var rawValue: Int32

            public init(rawValue: Int32) { self.rawValue = rawValue }

            public static let unknown = OptionTargetType(rawValue: 0)
            public static let file = OptionTargetType(rawValue: 1)
            public static let extensionRange = OptionTargetType(rawValue: 2)
            public static let message = OptionTargetType(rawValue: 3)
            public static let field = OptionTargetType(rawValue: 4)
            public static let oneof = OptionTargetType(rawValue: 5)
            public static let enumeration = OptionTargetType(rawValue: 6)
            public static let enumEntry = OptionTargetType(rawValue: 7)
            public static let service = OptionTargetType(rawValue: 8)
            public static let method = OptionTargetType(rawValue: 9)

            public var name: String? {
                switch self {
                case .unknown: "TARGET_TYPE_UNKNOWN"
                case .file: "TARGET_TYPE_FILE"
                case .extensionRange: "TARGET_TYPE_EXTENSION_RANGE"
                case .message: "TARGET_TYPE_MESSAGE"
                case .field: "TARGET_TYPE_FIELD"
                case .oneof: "TARGET_TYPE_ONEOF"
                case .enumeration: "TARGET_TYPE_ENUM"
                case .enumEntry: "TARGET_TYPE_ENUM_ENTRY"
                case .service: "TARGET_TYPE_SERVICE"
                case .method: "TARGET_TYPE_METHOD"
                default: nil
                }
            }
        }

        /// The default of a feature from one edition on.
        public struct EditionDefault: Message {
            public var edition: Edition?
            /// In text format.
            public var value: String?
            public var unknownFields = UnknownFields()

            public init() {}

            public static var messageName: String {
                "google.protobuf.FieldOptions.EditionDefault"
            }

            public static let layout = Layout<Self> { field in
                field.string(2, \.value)
                field.enumeration(3, \.edition)
            }
        }

        /// The editions in which a feature exists.
        public struct FeatureSupport: Message {
            public var editionIntroduced: Edition?
            public var editionDeprecated: Edition?
            public var deprecationWarning: String?
            public var editionRemoved: Edition?
            public var removalError: String?
            public var unknownFields = UnknownFields()

            public init() {}

            public static var messageName: String {
                "google.protobuf.FieldOptions.FeatureSupport"
            }

            public static let layout = Layout<Self> { field in
                field.enumeration(1, \.editionIntroduced)
                field.enumeration(2, \.editionDeprecated)
                field.string(3, \.deprecationWarning)
                field.enumeration(4, \.editionRemoved)
                field.string(5, \.removalError)
            }
        }

        public var ctype: CType?
        public var packed: Bool?
        public var jstype: JSType?
        public var lazy: Bool?
        public var unverifiedLazy: Bool?
        public var deprecated: Bool?
        public var weak: Bool?
        public var debugRedact: Bool?
        public var retention: OptionRetention?
        public var targets: [OptionTargetType] = []
        public var editionDefaults: [EditionDefault] = []
        public var features: FeatureSet?
        public var featureSupport: FeatureSupport?
        public var uninterpretedOption: [UninterpretedOption] = []
        public var unknownFields = UnknownFields()

        public init() {}

        public init(packed: Bool? = nil, deprecated: Bool? = nil) {
            self.packed = packed
            self.deprecated = deprecated
        }

        public static var messageName: String { "google.protobuf.FieldOptions" }

        public static let layout = Layout<Self> { field in
            field.enumeration(1, \.ctype)
            field.bool(2, \.packed)
            field.bool(3, \.deprecated)
            field.bool(5, \.lazy)
            field.enumeration(6, \.jstype)
            field.bool(10, \.weak)
            field.bool(15, \.unverifiedLazy)
            field.bool(16, \.debugRedact)
            field.enumeration(17, \.retention)
            field.enumeration(19, \.targets, packed: false)
            field.message(20, \.editionDefaults)
            field.message(21, \.features)
            field.message(22, \.featureSupport)
            field.message(999, \.uninterpretedOption)
        }
    }
}
