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

        @inlinable
        public init() {}

        @inlinable
        public init(allowAlias: Bool? = nil, deprecated: Bool? = nil) {
            self.allowAlias = allowAlias
            self.deprecated = deprecated
        }

        @inlinable public static var messageName: String { "google.protobuf.EnumOptions" }

        @inlinable
        public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.bool(2, &allowAlias)
            try field.bool(3, &deprecated)
            try field.bool(6, &deprecatedLegacyJsonFieldConflicts)
            try field.message(7, &features)
            try field.message(999, &uninterpretedOption)
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

        @inlinable
        public init() {}

        @inlinable public static var messageName: String { "google.protobuf.EnumValueOptions" }

        @inlinable
        public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.bool(1, &deprecated)
            try field.message(2, &features)
            try field.bool(3, &debugRedact)
            try field.message(4, &featureSupport)
            try field.message(999, &uninterpretedOption)
        }
    }
}
