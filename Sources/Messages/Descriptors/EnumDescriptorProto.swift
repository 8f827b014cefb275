public import SwiftletMessages

// An enum in google/protobuf/descriptor.proto.
extension Google.Protobuf {
    /// One enum.
    public struct EnumDescriptorProto: Message {
        /// Numbers that no value may have.
        public struct EnumReservedRange: Message {
            public var start: Int32?
            /// The last number of the range. In a message, `end` is the number after the range.
            public var end: Int32?
            public var unknownFields = UnknownFields()

            public init() {}

            public init(start: Int32? = nil, end: Int32? = nil) {
                self.start = start
                self.end = end
            }

            public static var messageName: String {
                "google.protobuf.EnumDescriptorProto.EnumReservedRange"
            }

            public static let layout = Layout<Self> { field in
                field.int32(1, \.start)
                field.int32(2, \.end)
            }
        }

        public var name: String?
        public var value: [EnumValueDescriptorProto] = []
        public var options: EnumOptions?
        public var reservedRange: [EnumReservedRange] = []
        public var reservedName: [String] = []
        public var visibility: SymbolVisibility?
        public var unknownFields = UnknownFields()

        public init() {}

        public init(name: String? = nil, value: [EnumValueDescriptorProto] = []) {
            self.name = name
            self.value = value
        }

        public static var messageName: String { "google.protobuf.EnumDescriptorProto" }

        public static let layout = Layout<Self> { field in
            field.string(1, \.name)
            field.message(2, \.value)
            field.message(3, \.options)
            field.message(4, \.reservedRange)
            field.string(5, \.reservedName)
            field.enumeration(6, \.visibility)
        }
    }

    /// One value of an enum.
    public struct EnumValueDescriptorProto: Message {
        public var name: String?
        public var number: Int32?
        public var options: EnumValueOptions?
        public var unknownFields = UnknownFields()

        public init() {}

        public init(name: String? = nil, number: Int32? = nil) {
            self.name = name
            self.number = number
        }

        public static var messageName: String {
            "google.protobuf.EnumValueDescriptorProto"
        }

        public static let layout = Layout<Self> { field in
            field.string(1, \.name)
            field.int32(2, \.number)
            field.message(3, \.options)
        }
    }
}
