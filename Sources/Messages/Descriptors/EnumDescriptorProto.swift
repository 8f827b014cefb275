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

            @inlinable
            public init() {}

            @inlinable
            public init(start: Int32? = nil, end: Int32? = nil) {
                self.start = start
                self.end = end
            }

            @inlinable public static var messageName: String {
                "google.protobuf.EnumDescriptorProto.EnumReservedRange"
            }

            @inlinable
            public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
                try field.int32(1, &start)
                try field.int32(2, &end)
            }
        }

        public var name: String?
        public var value: [EnumValueDescriptorProto] = []
        public var options: EnumOptions?
        public var reservedRange: [EnumReservedRange] = []
        public var reservedName: [String] = []
        public var visibility: SymbolVisibility?
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
            try field.message(3, &options)
            try field.message(4, &reservedRange)
            try field.string(5, &reservedName)
            try field.enumeration(6, &visibility)
        }
    }

    /// One value of an enum.
    public struct EnumValueDescriptorProto: Message {
        public var name: String?
        public var number: Int32?
        public var options: EnumValueOptions?
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
            try field.message(3, &options)
        }
    }
}
