public import SwiftletMessages

// The options of a file in google/protobuf/descriptor.proto.
extension Google.Protobuf {
    /// The options of a file.
    public struct FileOptions: Message {
        /// The optimization goal of generated code.
        public struct OptimizeMode: OpenEnum {
            public var rawValue: Int32

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

        public init() {}

        public static var messageName: String { "google.protobuf.FileOptions" }

        public static let layout = Layout<Self> { field in
            field.string(1, \.javaPackage)
            field.string(8, \.javaOuterClassname)
            field.enumeration(9, \.optimizeFor)
            field.bool(10, \.javaMultipleFiles)
            field.string(11, \.goPackage)
            field.bool(16, \.ccGenericServices)
            field.bool(17, \.javaGenericServices)
            field.bool(18, \.pyGenericServices)
            field.bool(20, \.javaGenerateEqualsAndHash)
            field.bool(23, \.deprecated)
            field.bool(27, \.javaStringCheckUtf8)
            field.bool(31, \.ccEnableArenas)
            field.string(36, \.objcClassPrefix)
            field.string(37, \.csharpNamespace)
            field.string(39, \.swiftPrefix)
            field.string(40, \.phpClassPrefix)
            field.string(41, \.phpNamespace)
            field.string(44, \.phpMetadataNamespace)
            field.string(45, \.rubyPackage)
            field.message(50, \.features)
            field.message(999, \.uninterpretedOption)
        }
    }
}
