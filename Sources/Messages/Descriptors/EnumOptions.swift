public import SwiftletMessages

// The options of enums in google/protobuf/descriptor.proto.
extension Google.Protobuf {
    /// The options of an enum.
    public struct EnumOptions: Message {
        /// Whether several values may have one number.
        public var allowAlias: Bool?
        public var deprecated: Bool?
        public var deprecatedLegacyJsonFieldConflicts: Bool?
        public var features: FeatureSet?
        public var uninterpretedOption: [UninterpretedOption] = []
        public var unknownFields = UnknownFields()

        public init() {}

        public init(allowAlias: Bool? = nil, deprecated: Bool? = nil) {
            self.allowAlias = allowAlias
            self.deprecated = deprecated
        }

        public static var messageName: String { "google.protobuf.EnumOptions" }

        public static let layout = Layout<Self> { field in
            field.bool(2, \.allowAlias)
            field.bool(3, \.deprecated)
            field.bool(6, \.deprecatedLegacyJsonFieldConflicts)
            field.message(7, \.features)
            field.message(999, \.uninterpretedOption)
        }
    }

    /// The options of a value of an enum.
    public struct EnumValueOptions: Message {
        public var deprecated: Bool?
        public var features: FeatureSet?
        public var debugRedact: Bool?
        public var featureSupport: FieldOptions.FeatureSupport?
        public var uninterpretedOption: [UninterpretedOption] = []
        public var unknownFields = UnknownFields()

        public init() {}

        public static var messageName: String { "google.protobuf.EnumValueOptions" }

        public static let layout = Layout<Self> { field in
            field.bool(1, \.deprecated)
            field.message(2, \.features)
            field.bool(3, \.debugRedact)
            field.message(4, \.featureSupport)
            field.message(999, \.uninterpretedOption)
        }
    }
}
