public import SwiftletMessages

// A message in google/protobuf/descriptor.proto.
extension Google.Protobuf {
    /// One message.
    public struct DescriptorProto: Message {
        /// The numbers that extensions may use.
        public struct ExtensionRange: Message {
            public var start: Int32?
            /// The first number after the range.
            public var end: Int32?
            public var options: ExtensionRangeOptions?
            public var unknownFields = UnknownFields()

            public init() {}

            public init(start: Int32? = nil, end: Int32? = nil) {
                self.start = start
                self.end = end
            }

            public static var messageName: String {
                "google.protobuf.DescriptorProto.ExtensionRange"
            }

            public static let layout = Layout<Self> { field in
                field.int32(1, \.start)
                field.int32(2, \.end)
                field.message(3, \.options)
            }
        }

        /// Numbers that no field may use.
        public struct ReservedRange: Message {
            public var start: Int32?
            /// The first number after the range.
            public var end: Int32?
            public var unknownFields = UnknownFields()

            public init() {}

            public init(start: Int32? = nil, end: Int32? = nil) {
                self.start = start
                self.end = end
            }

            public static var messageName: String {
                "google.protobuf.DescriptorProto.ReservedRange"
            }

            public static let layout = Layout<Self> { field in
                field.int32(1, \.start)
                field.int32(2, \.end)
            }
        }

        public var name: String?
        public var field: [FieldDescriptorProto] = []
        public var `extension`: [FieldDescriptorProto] = []
        public var nestedType: [DescriptorProto] = []
        public var enumType: [EnumDescriptorProto] = []
        public var extensionRange: [ExtensionRange] = []
        public var oneofDecl: [OneofDescriptorProto] = []
        public var options: MessageOptions?
        public var reservedRange: [ReservedRange] = []
        public var reservedName: [String] = []
        public var visibility: SymbolVisibility?
        public var unknownFields = UnknownFields()

        public init() {}

        public static var messageName: String { "google.protobuf.DescriptorProto" }

        public static let layout = Layout<Self> { field in
            field.string(1, \.name)
            field.message(2, \.field)
            field.message(3, \.nestedType)
            field.message(4, \.enumType)
            field.message(5, \.extensionRange)
            field.message(6, \.`extension`)
            field.message(7, \.options)
            field.message(8, \.oneofDecl)
            field.message(9, \.reservedRange)
            field.string(10, \.reservedName)
            field.enumeration(11, \.visibility)
        }
    }

    /// One oneof. Its fields refer to it by its index.
    public struct OneofDescriptorProto: Message {
        public var name: String?
        public var options: OneofOptions?
        public var unknownFields = UnknownFields()

        public init() {}

        public init(name: String? = nil) {
            self.name = name
        }

        public static var messageName: String { "google.protobuf.OneofDescriptorProto" }

        public static let layout = Layout<Self> { field in
            field.string(1, \.name)
            field.message(2, \.options)
        }
    }
}
