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
                try field.message(3, &options)
            }
        }

        /// Numbers that no field may use.
        public struct ReservedRange: Message {
            public var start: Int32?
            /// The first number after the range.
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
            try field.enumeration(11, &visibility)
        }
    }

    /// One oneof. Its fields refer to it by its index.
    public struct OneofDescriptorProto: Message {
        public var name: String?
        public var options: OneofOptions?
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
            try field.message(2, &options)
        }
    }
}
