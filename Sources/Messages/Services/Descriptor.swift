// The messages of google/protobuf/descriptor.proto, but for those of fields and enums.
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
        public var messageType: [DescriptorProto] = []
        public var enumType: [EnumDescriptorProto] = []
        public var service: [ServiceDescriptorProto] = []
        public var `extension`: [FieldDescriptorProto] = []
        /// Which of the dependencies are imported publicly, by their index.
        public var publicDependency: [Int32] = []
        public var weakDependency: [Int32] = []
        /// "proto2", "proto3" or "editions".
        public var syntax: String?
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
            try field.int32(10, &publicDependency, packed: false)
            try field.int32(11, &weakDependency, packed: false)
            try field.string(12, &syntax)
        }
    }

    /// One message.
    public struct DescriptorProto: Message {
        /// The numbers that extensions may use.
        public struct ExtensionRange: Message {
            public var start: Int32?
            /// The first that does not belong to it.
            public var end: Int32?
            public var unknownFields = UnknownFields()

            @inlinable
            public init() {}

            @inlinable
            public init(start: Int32? = nil, end: Int32? = nil) {
                self.start = start
                self.end = end
            }

            @inlinable public static var messageName: String {
                "google.protobuf.DescriptorProto.ExtensionRange"
            }

            @inlinable
            public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
                try field.int32(1, &start)
                try field.int32(2, &end)
            }
        }

        /// Numbers that no field may use.
        public struct ReservedRange: Message {
            public var start: Int32?
            /// The first that does not belong to it.
            public var end: Int32?
            public var unknownFields = UnknownFields()

            @inlinable
            public init() {}

            @inlinable
            public init(start: Int32? = nil, end: Int32? = nil) {
                self.start = start
                self.end = end
            }

            @inlinable public static var messageName: String {
                "google.protobuf.DescriptorProto.ReservedRange"
            }

            @inlinable
            public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
                try field.int32(1, &start)
                try field.int32(2, &end)
            }
        }

        public var name: String?
        public var field: [FieldDescriptorProto] = []
        public var nestedType: [DescriptorProto] = []
        public var enumType: [EnumDescriptorProto] = []
        public var extensionRange: [ExtensionRange] = []
        public var `extension`: [FieldDescriptorProto] = []
        public var options: MessageOptions?
        public var oneofDecl: [OneofDescriptorProto] = []
        public var reservedRange: [ReservedRange] = []
        public var reservedName: [String] = []
        public var unknownFields = UnknownFields()

        @inlinable
        public init() {}

        @inlinable public static var messageName: String { "google.protobuf.DescriptorProto" }

        @inlinable
        public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.string(1, &name)
            try field.message(2, &self.field)
            try field.message(3, &nestedType)
            try field.message(4, &enumType)
            try field.message(5, &extensionRange)
            try field.message(6, &`extension`)
            try field.message(7, &options)
            try field.message(8, &oneofDecl)
            try field.message(9, &reservedRange)
            try field.string(10, &reservedName)
        }
    }

    /// One oneof; its fields point to it.
    public struct OneofDescriptorProto: Message {
        public var name: String?
        public var unknownFields = UnknownFields()

        @inlinable
        public init() {}

        @inlinable
        public init(name: String? = nil) {
            self.name = name
        }

        @inlinable public static var messageName: String { "google.protobuf.OneofDescriptorProto" }

        @inlinable
        public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.string(1, &name)
        }
    }

    /// One service.
    public struct ServiceDescriptorProto: Message {
        public var name: String?
        public var method: [MethodDescriptorProto] = []
        public var unknownFields = UnknownFields()

        @inlinable
        public init() {}

        @inlinable
        public init(name: String? = nil, method: [MethodDescriptorProto] = []) {
            self.name = name
            self.method = method
        }

        @inlinable public static var messageName: String {
            "google.protobuf.ServiceDescriptorProto"
        }

        @inlinable
        public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.string(1, &name)
            try field.message(2, &method)
        }
    }

    /// One method.
    public struct MethodDescriptorProto: Message {
        public var name: String?
        /// The full name of the request, behind a dot.
        public var inputType: String?
        /// The full name of the answer, behind a dot.
        public var outputType: String?
        public var clientStreaming: Bool?
        public var serverStreaming: Bool?
        public var unknownFields = UnknownFields()

        @inlinable
        public init() {}

        @inlinable public static var messageName: String { "google.protobuf.MethodDescriptorProto" }

        @inlinable
        public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.string(1, &name)
            try field.string(2, &inputType)
            try field.string(3, &outputType)
            try field.bool(5, &clientStreaming)
            try field.bool(6, &serverStreaming)
        }
    }

    /// What is special about a message.
    public struct MessageOptions: Message {
        public var deprecated: Bool?
        /// Whether it stands for the entries of a map.
        public var mapEntry: Bool?
        public var unknownFields = UnknownFields()

        @inlinable
        public init() {}

        @inlinable
        public init(deprecated: Bool? = nil, mapEntry: Bool? = nil) {
            self.deprecated = deprecated
            self.mapEntry = mapEntry
        }

        @inlinable public static var messageName: String { "google.protobuf.MessageOptions" }

        @inlinable
        public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.bool(3, &deprecated)
            try field.bool(7, &mapEntry)
        }
    }

    /// What is special about a field.
    public struct FieldOptions: Message {
        public var packed: Bool?
        public var deprecated: Bool?
        public var unknownFields = UnknownFields()

        @inlinable
        public init() {}

        @inlinable
        public init(packed: Bool? = nil, deprecated: Bool? = nil) {
            self.packed = packed
            self.deprecated = deprecated
        }

        @inlinable public static var messageName: String { "google.protobuf.FieldOptions" }

        @inlinable
        public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.bool(2, &packed)
            try field.bool(3, &deprecated)
        }
    }
}
