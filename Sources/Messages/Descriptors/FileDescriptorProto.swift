public import SwiftletMessages

// A file, and a set of files, in google/protobuf/descriptor.proto.
extension Google.Protobuf {
    /// Several files.
    public struct FileDescriptorSet: Message {
        public var file: [FileDescriptorProto] = []
        public var unknownFields = UnknownFields()

        @inlinable
        public init() {}

        @inlinable
        public init(file: [FileDescriptorProto] = []) {
            self.file = file
        }

        @inlinable public static var messageName: String { "google.protobuf.FileDescriptorSet" }

        @inlinable
        public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.message(1, &file)
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

        @inlinable
        public init() {}

        @inlinable public static var messageName: String { "google.protobuf.FileDescriptorProto" }

        @inlinable
        public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.string(1, &name)
            try field.string(2, &`package`)
            try field.string(3, &dependency)
            try field.message(4, &messageType)
            try field.message(5, &enumType)
            try field.message(6, &service)
            try field.message(7, &`extension`)
            try field.message(8, &options)
            try field.message(9, &sourceCodeInfo)
            try field.int32(10, &publicDependency, packed: false)
            try field.int32(11, &weakDependency, packed: false)
            try field.string(12, &syntax)
            try field.enumeration(14, &edition)
            try field.string(15, &optionDependency)
        }
    }
}
