public import SwiftletMessages

// A field in google/protobuf/descriptor.proto.
extension Google.Protobuf {
    /// One field, or one extension.
    public struct FieldDescriptorProto: Message {
        /// The type of a value.
        public struct FieldType: OpenEnum {
            public var rawValue: Int32

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

        /// How often a field may occur.
        public struct Label: OpenEnum {
            public var rawValue: Int32

            public init(rawValue: Int32) { self.rawValue = rawValue }

            public static let optional = Label(rawValue: 1)
            public static let repeated = Label(rawValue: 3)
            public static let required = Label(rawValue: 2)

            public var name: String? {
                switch self {
                case .optional: "LABEL_OPTIONAL"
                case .repeated: "LABEL_REPEATED"
                case .required: "LABEL_REQUIRED"
                default: nil
                }
            }
        }

        public var name: String?
        public var number: Int32?
        public var label: Label?
        public var type: FieldType?
        /// The full name of a message or an enum, with a leading dot.
        public var typeName: String?
        /// The message that an extension extends.
        public var extendee: String?
        /// The default value as text. The bytes of a `bytes` field are escaped as in C.
        public var defaultValue: String?
        /// The index of the field's oneof in the message.
        public var oneofIndex: Int32?
        public var jsonName: String?
        public var options: FieldOptions?
        /// Whether the field is a proto3 field with presence.
        public var proto3Optional: Bool?
        public var unknownFields = UnknownFields()

        public init() {}

        public static var messageName: String { "google.protobuf.FieldDescriptorProto" }

        public static let layout = Layout<Self> { field in
            field.string(1, \.name)
            field.string(2, \.extendee)
            field.int32(3, \.number)
            field.enumeration(4, \.label)
            field.enumeration(5, \.type)
            field.string(6, \.typeName)
            field.string(7, \.defaultValue)
            field.message(8, \.options)
            field.int32(9, \.oneofIndex)
            field.string(10, \.jsonName)
            field.bool(17, \.proto3Optional)
        }
    }
}
