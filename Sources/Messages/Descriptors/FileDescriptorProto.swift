public import SwiftletMessages

// A file, and a set of files, in google/protobuf/descriptor.proto.
extension Google.Protobuf {
    /// Several files.
    public struct FileDescriptorSet: Message {
        public var file: [FileDescriptorProto] = []
        public var unknownFields = UnknownFields()

        public init() {}

        public init(file: [FileDescriptorProto] = []) {
            self.file = file
        }

        public static var messageName: String { "google.protobuf.FileDescriptorSet" }

        public static let layout = Layout<Self> { field in
            field.message(1, \.file)
        }
    }

    /// One file.
    public struct FileDescriptorProto: Message {
        /// Relative to the root of the source tree.
        public var name: String?
        public var `package`: String?
        /// The files that it imports.
        public var dependency: [String] = []
        /// The indexes in `dependency` of the public imports.
        public var publicDependency: [Int32] = []
        /// The indexes in `dependency` of the weak imports.
        public var weakDependency: [Int32] = []
        /// The files that it imports only for their options.
        public var optionDependency: [String] = []
        public var messageType: [DescriptorProto] = []
        public var enumType: [EnumDescriptorProto] = []
        public var service: [ServiceDescriptorProto] = []
        public var `extension`: [FieldDescriptorProto] = []
        public var options: FileOptions?
        public var sourceCodeInfo: SourceCodeInfo?
        /// "proto3" or "editions"; nil for proto2.
        public var syntax: String?
        public var edition: Edition?
        public var unknownFields = UnknownFields()

        public init() {}

        public static var messageName: String { "google.protobuf.FileDescriptorProto" }

        public static let layout = Layout<Self> { field in
            field.string(1, \.name)
            field.string(2, \.`package`)
            field.string(3, \.dependency)
            field.message(4, \.messageType)
            field.message(5, \.enumType)
            field.message(6, \.service)
            field.message(7, \.`extension`)
            field.message(8, \.options)
            field.message(9, \.sourceCodeInfo)
            field.int32(10, \.publicDependency, packed: false)
            field.int32(11, \.weakDependency, packed: false)
            field.string(12, \.syntax)
            field.enumeration(14, \.edition)
            field.string(15, \.optionDependency)
        }
    }
}
