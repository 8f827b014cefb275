public import SwiftletMessages

// The features of editions in google/protobuf/descriptor.proto.
extension Google.Protobuf {
    /// The features of the language, from edition 2023 on.
    public struct FeatureSet: Message {
        /// Whether a field has presence.
        public struct FieldPresence: OpenEnum {
            public var rawValue: Int32

            public init(rawValue: Int32) { self.rawValue = rawValue }

            public static let unknown = FieldPresence(rawValue: 0)
            public static let explicit = FieldPresence(rawValue: 1)
            public static let implicit = FieldPresence(rawValue: 2)
            public static let legacyRequired = FieldPresence(rawValue: 3)

            public var name: String? {
                switch self {
                case .unknown: "FIELD_PRESENCE_UNKNOWN"
                case .explicit: "EXPLICIT"
                case .implicit: "IMPLICIT"
                case .legacyRequired: "LEGACY_REQUIRED"
                default: nil
                }
            }
        }

        /// Whether an enum keeps numbers without a name.
        public struct EnumType: OpenEnum {
            public var rawValue: Int32

            public init(rawValue: Int32) { self.rawValue = rawValue }

            public static let unknown = EnumType(rawValue: 0)
            public static let open = EnumType(rawValue: 1)
            public static let closed = EnumType(rawValue: 2)

            public var name: String? {
                switch self {
                case .unknown: "ENUM_TYPE_UNKNOWN"
                case .open: "OPEN"
                case .closed: "CLOSED"
                default: nil
                }
            }
        }

        /// Whether repeated numbers are packed.
        public struct RepeatedFieldEncoding: OpenEnum {
            public var rawValue: Int32

            public init(rawValue: Int32) { self.rawValue = rawValue }

            public static let unknown = RepeatedFieldEncoding(rawValue: 0)
            public static let packed = RepeatedFieldEncoding(rawValue: 1)
            public static let expanded = RepeatedFieldEncoding(rawValue: 2)

            public var name: String? {
                switch self {
                case .unknown: "REPEATED_FIELD_ENCODING_UNKNOWN"
                case .packed: "PACKED"
                case .expanded: "EXPANDED"
                default: nil
                }
            }
        }

        /// Whether strings must be UTF-8.
        public struct Utf8Validation: OpenEnum {
            public var rawValue: Int32

            public init(rawValue: Int32) { self.rawValue = rawValue }

            public static let unknown = Utf8Validation(rawValue: 0)
            public static let verify = Utf8Validation(rawValue: 2)
            public static let unverified = Utf8Validation(rawValue: 3)

            public var name: String? {
                switch self {
                case .unknown: "UTF8_VALIDATION_UNKNOWN"
                case .verify: "VERIFY"
                case .unverified: "NONE"
                default: nil
                }
            }
        }

        /// Whether a message is encoded with its length or as a group.
        public struct MessageEncoding: OpenEnum {
            public var rawValue: Int32

            public init(rawValue: Int32) { self.rawValue = rawValue }

            public static let unknown = MessageEncoding(rawValue: 0)
            public static let lengthPrefixed = MessageEncoding(rawValue: 1)
            public static let delimited = MessageEncoding(rawValue: 2)

            public var name: String? {
                switch self {
                case .unknown: "MESSAGE_ENCODING_UNKNOWN"
                case .lengthPrefixed: "LENGTH_PREFIXED"
                case .delimited: "DELIMITED"
                default: nil
                }
            }
        }

        /// Whether conflicts of JSON names are errors.
        public struct JsonFormat: OpenEnum {
            public var rawValue: Int32

            public init(rawValue: Int32) { self.rawValue = rawValue }

            public static let unknown = JsonFormat(rawValue: 0)
            public static let allow = JsonFormat(rawValue: 1)
            public static let legacyBestEffort = JsonFormat(rawValue: 2)

            public var name: String? {
                switch self {
                case .unknown: "JSON_FORMAT_UNKNOWN"
                case .allow: "ALLOW"
                case .legacyBestEffort: "LEGACY_BEST_EFFORT"
                default: nil
                }
            }
        }

        /// The rules that names must follow.
        public struct EnforceNamingStyle: OpenEnum {
            public var rawValue: Int32

            public init(rawValue: Int32) { self.rawValue = rawValue }

            public static let unknown = EnforceNamingStyle(rawValue: 0)
            public static let style2024 = EnforceNamingStyle(rawValue: 1)
            public static let styleLegacy = EnforceNamingStyle(rawValue: 2)
            public static let style2026 = EnforceNamingStyle(rawValue: 3)

            public var name: String? {
                switch self {
                case .unknown: "ENFORCE_NAMING_STYLE_UNKNOWN"
                case .style2024: "STYLE2024"
                case .styleLegacy: "STYLE_LEGACY"
                case .style2026: "STYLE2026"
                default: nil
                }
            }
        }

        /// Holds the values of `defaultSymbolVisibility`.
        public struct VisibilityFeature: Message {
            /// Which declarations other files may use, if a declaration has neither `export` nor `local`.
            public struct DefaultSymbolVisibility: OpenEnum {
                public var rawValue: Int32

                public init(rawValue: Int32) { self.rawValue = rawValue }

                public static let unknown = DefaultSymbolVisibility(rawValue: 0)
                public static let exportAll = DefaultSymbolVisibility(rawValue: 1)
                public static let exportTopLevel = DefaultSymbolVisibility(rawValue: 2)
                public static let localAll = DefaultSymbolVisibility(rawValue: 3)
                public static let strict = DefaultSymbolVisibility(rawValue: 4)

                public var name: String? {
                    switch self {
                    case .unknown: "DEFAULT_SYMBOL_VISIBILITY_UNKNOWN"
                    case .exportAll: "EXPORT_ALL"
                    case .exportTopLevel: "EXPORT_TOP_LEVEL"
                    case .localAll: "LOCAL_ALL"
                    case .strict: "STRICT"
                    default: nil
                    }
                }
            }

            public var unknownFields = UnknownFields()

            public init() {}

            public static var messageName: String {
                "google.protobuf.FeatureSet.VisibilityFeature"
            }

            public static let layout = Layout<Self> { _ in }
        }

        public var fieldPresence: FieldPresence?
        public var enumType: EnumType?
        public var repeatedFieldEncoding: RepeatedFieldEncoding?
        public var utf8Validation: Utf8Validation?
        public var messageEncoding: MessageEncoding?
        public var jsonFormat: JsonFormat?
        public var enforceNamingStyle: EnforceNamingStyle?
        public var defaultSymbolVisibility: FeatureSet.VisibilityFeature.DefaultSymbolVisibility?
        public var unknownFields = UnknownFields()

        public init() {}

        public static var messageName: String { "google.protobuf.FeatureSet" }

        public static let layout = Layout<Self> { field in
            field.enumeration(1, \.fieldPresence)
            field.enumeration(2, \.enumType)
            field.enumeration(3, \.repeatedFieldEncoding)
            field.enumeration(4, \.utf8Validation)
            field.enumeration(5, \.messageEncoding)
            field.enumeration(6, \.jsonFormat)
            field.enumeration(7, \.enforceNamingStyle)
            field.enumeration(8, \.defaultSymbolVisibility)
        }
    }
}
