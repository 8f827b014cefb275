public import SwiftletMessages

// The options of a file in google/protobuf/descriptor.proto.
extension Google.Protobuf {
    /// The options of a file.
    public struct FileOptions: Message {
        /// The optimization goal of generated code.
        public struct OptimizeMode: OpenEnum {
            public var rawValue: Int32

            @inlinable
            public init(rawValue: Int32) { self.rawValue = rawValue }

            public static let speed = OptimizeMode(rawValue: 1)
            public static let codeSize = OptimizeMode(rawValue: 2)
            public static let liteRuntime = OptimizeMode(rawValue: 3)

            public var name: String? {
                switch self {
                case .speed: "SPEED"
                case .codeSize: "CODE_SIZE"
                case .liteRuntime: "LITE_RUNTIME"
                default: nil
                }
            }
        }

        public var javaPackage: String?
        public var javaOuterClassname: String?
        public var javaMultipleFiles: Bool?
        public var javaGenerateEqualsAndHash: Bool?
        public var javaStringCheckUtf8: Bool?
        public var optimizeFor: OptimizeMode?
        public var goPackage: String?
        public var ccGenericServices: Bool?
        public var javaGenericServices: Bool?
        public var pyGenericServices: Bool?
        public var deprecated: Bool?
        public var ccEnableArenas: Bool?
        public var objcClassPrefix: String?
        public var csharpNamespace: String?
        public var swiftPrefix: String?
        public var phpClassPrefix: String?
        public var phpNamespace: String?
        public var phpMetadataNamespace: String?
        public var rubyPackage: String?
        public var features: FeatureSet?
        public var uninterpretedOption: [UninterpretedOption] = []
        public var unknownFields = UnknownFields()

        @inlinable
        public init() {}

        @inlinable public static var messageName: String { "google.protobuf.FileOptions" }

        @inlinable
        public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.string(1, &javaPackage)
            try field.string(8, &javaOuterClassname)
            try field.enumeration(9, &optimizeFor)
            try field.bool(10, &javaMultipleFiles)
            try field.string(11, &goPackage)
            try field.bool(16, &ccGenericServices)
            try field.bool(17, &javaGenericServices)
            try field.bool(18, &pyGenericServices)
            try field.bool(20, &javaGenerateEqualsAndHash)
            try field.bool(23, &deprecated)
            try field.bool(27, &javaStringCheckUtf8)
            try field.bool(31, &ccEnableArenas)
            try field.string(36, &objcClassPrefix)
            try field.string(37, &csharpNamespace)
            try field.string(39, &swiftPrefix)
            try field.string(40, &phpClassPrefix)
            try field.string(41, &phpNamespace)
            try field.string(44, &phpMetadataNamespace)
            try field.string(45, &rubyPackage)
            try field.message(50, &features)
            try field.message(999, &uninterpretedOption)
        }
    }
}
