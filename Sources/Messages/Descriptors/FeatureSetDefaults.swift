public import SwiftletMessages

// The defaults of features in google/protobuf/descriptor.proto.
extension Google.Protobuf {
    /// The defaults of all features.
    public struct FeatureSetDefaults: Message {
        /// The defaults of features from one edition on.
        public struct FeatureSetEditionDefault: Message {
            public var edition: Edition?
            public var overridableFeatures: FeatureSet?
            public var fixedFeatures: FeatureSet?
            public var unknownFields = UnknownFields()

            @inlinable
            public init() {}

            @inlinable public static var messageName: String {
                "google.protobuf.FeatureSetDefaults.FeatureSetEditionDefault"
            }

            @inlinable
            public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
                try field.enumeration(3, &edition)
                try field.message(4, &overridableFeatures)
                try field.message(5, &fixedFeatures)
            }
        }

        public var defaults: [FeatureSetEditionDefault] = []
        public var minimumEdition: Edition?
        public var maximumEdition: Edition?
        public var unknownFields = UnknownFields()

        @inlinable
        public init() {}

        @inlinable public static var messageName: String { "google.protobuf.FeatureSetDefaults" }

        @inlinable
        public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.message(1, &defaults)
            try field.enumeration(4, &minimumEdition)
            try field.enumeration(5, &maximumEdition)
        }
    }
}
