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

            public init() {}

            public static var messageName: String {
                "google.protobuf.FeatureSetDefaults.FeatureSetEditionDefault"
            }

            public static let layout = Layout<Self> { field in
                field.enumeration(3, \.edition)
                field.message(4, \.overridableFeatures)
                field.message(5, \.fixedFeatures)
            }
        }

        public var defaults: [FeatureSetEditionDefault] = []
        public var minimumEdition: Edition?
        public var maximumEdition: Edition?
        public var unknownFields = UnknownFields()

        public init() {}

        public static var messageName: String { "google.protobuf.FeatureSetDefaults" }

        public static let layout = Layout<Self> { field in
            field.message(1, \.defaults)
            field.enumeration(4, \.minimumEdition)
            field.enumeration(5, \.maximumEdition)
        }
    }
}
