// The messages of google/protobuf/descriptor.proto.
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

    /// One field.
    public struct FieldDescriptorProto: Message {
        public struct FieldType: OpenEnum {
            public var rawValue: Int32

            @inlinable
            public init(rawValue: Int32) { self.rawValue = rawValue }

            public static let double = FieldType(rawValue: 1)
            public static let float = FieldType(rawValue: 2)
            public static let int64 = FieldType(rawValue: 3)
            public static let uint64 = FieldType(rawValue: 4)
            public static let int32 = FieldType(rawValue: 5)
            public static let fixed64 = FieldType(rawValue: 6)
            public static let fixed32 = FieldType(rawValue: 7)
            public static let bool = FieldType(rawValue: 8)
            public static let string = FieldType(rawValue: 9)
            public static let group = FieldType(rawValue: 10)
            public static let message = FieldType(rawValue: 11)
            public static let bytes = FieldType(rawValue: 12)
            public static let uint32 = FieldType(rawValue: 13)
            public static let enumeration = FieldType(rawValue: 14)
            public static let sfixed32 = FieldType(rawValue: 15)
            public static let sfixed64 = FieldType(rawValue: 16)
            public static let sint32 = FieldType(rawValue: 17)
            public static let sint64 = FieldType(rawValue: 18)

            public var name: String? {
                switch self {
                case .double: "TYPE_DOUBLE"
                case .float: "TYPE_FLOAT"
                case .int64: "TYPE_INT64"
                case .uint64: "TYPE_UINT64"
                case .int32: "TYPE_INT32"
                case .fixed64: "TYPE_FIXED64"
                case .fixed32: "TYPE_FIXED32"
                case .bool: "TYPE_BOOL"
                case .string: "TYPE_STRING"
                case .group: "TYPE_GROUP"
                case .message: "TYPE_MESSAGE"
                case .bytes: "TYPE_BYTES"
                case .uint32: "TYPE_UINT32"
                case .enumeration: "TYPE_ENUM"
                case .sfixed32: "TYPE_SFIXED32"
                case .sfixed64: "TYPE_SFIXED64"
                case .sint32: "TYPE_SINT32"
                case .sint64: "TYPE_SINT64"
                default: nil
                }
            }
        }

        public struct Label: OpenEnum {
            public var rawValue: Int32

            @inlinable
            public init(rawValue: Int32) { self.rawValue = rawValue }

            public static let optional = Label(rawValue: 1)
            public static let required = Label(rawValue: 2)
            public static let repeated = Label(rawValue: 3)

            public var name: String? {
                switch self {
                case .optional: "LABEL_OPTIONAL"
                case .required: "LABEL_REQUIRED"
                case .repeated: "LABEL_REPEATED"
                default: nil
                }
            }
        }

        public var name: String?
        /// The message that an extension extends.
        public var extendee: String?
        public var number: Int32?
        public var label: Label?
        public var type: FieldType?
        /// The full name of a message or an enum, behind a dot.
        public var typeName: String?
        public var defaultValue: String?
        public var options: FieldOptions?
        /// The index of its oneof in the message.
        public var oneofIndex: Int32?
        public var jsonName: String?
        /// Whether it is a proto3 field with presence.
        public var proto3Optional: Bool?
        public var unknownFields = UnknownFields()

        @inlinable
        public init() {}

        @inlinable public static var messageName: String { "google.protobuf.FieldDescriptorProto" }

        @inlinable
        public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.string(1, &name)
            try field.string(2, &extendee)
            try field.int32(3, &number)
            try field.enumeration(4, &label)
            try field.enumeration(5, &type)
            try field.string(6, &typeName)
            try field.string(7, &defaultValue)
            try field.message(8, &options)
            try field.int32(9, &oneofIndex)
            try field.string(10, &jsonName)
            try field.bool(17, &proto3Optional)
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

    /// One enum.
    public struct EnumDescriptorProto: Message {
        public var name: String?
        public var value: [EnumValueDescriptorProto] = []
        public var unknownFields = UnknownFields()

        @inlinable
        public init() {}

        @inlinable
        public init(name: String? = nil, value: [EnumValueDescriptorProto] = []) {
            self.name = name
            self.value = value
        }

        @inlinable public static var messageName: String { "google.protobuf.EnumDescriptorProto" }

        @inlinable
        public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.string(1, &name)
            try field.message(2, &value)
        }
    }

    /// One value of an enum.
    public struct EnumValueDescriptorProto: Message {
        public var name: String?
        public var number: Int32?
        public var unknownFields = UnknownFields()

        @inlinable
        public init() {}

        @inlinable
        public init(name: String? = nil, number: Int32? = nil) {
            self.name = name
            self.number = number
        }

        @inlinable public static var messageName: String {
            "google.protobuf.EnumValueDescriptorProto"
        }

        @inlinable
        public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.string(1, &name)
            try field.int32(2, &number)
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
