// Messages with one value each, for fields that may be absent and where a message is required. In
// your own messages, `Int32?` has the same meaning.
extension Google.Protobuf {
    public struct DoubleValue: Message {
        public var value: Double = 0
        public var unknownFields = UnknownFields()

        @inlinable
        public init() {}

        @inlinable
        public init(_ value: Double) { self.value = value }

        @inlinable public static var messageName: String { "google.protobuf.DoubleValue" }

        @inlinable
        public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.double(1, &value)
        }
    }

    public struct FloatValue: Message {
        public var value: Float = 0
        public var unknownFields = UnknownFields()

        @inlinable
        public init() {}

        @inlinable
        public init(_ value: Float) { self.value = value }

        @inlinable public static var messageName: String { "google.protobuf.FloatValue" }

        @inlinable
        public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.float(1, &value)
        }
    }

    public struct Int64Value: Message {
        public var value: Int64 = 0
        public var unknownFields = UnknownFields()

        @inlinable
        public init() {}

        @inlinable
        public init(_ value: Int64) { self.value = value }

        @inlinable public static var messageName: String { "google.protobuf.Int64Value" }

        @inlinable
        public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.int64(1, &value)
        }
    }

    public struct UInt64Value: Message {
        public var value: UInt64 = 0
        public var unknownFields = UnknownFields()

        @inlinable
        public init() {}

        @inlinable
        public init(_ value: UInt64) { self.value = value }

        @inlinable public static var messageName: String { "google.protobuf.UInt64Value" }

        @inlinable
        public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.uint64(1, &value)
        }
    }

    public struct Int32Value: Message {
        public var value: Int32 = 0
        public var unknownFields = UnknownFields()

        @inlinable
        public init() {}

        @inlinable
        public init(_ value: Int32) { self.value = value }

        @inlinable public static var messageName: String { "google.protobuf.Int32Value" }

        @inlinable
        public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.int32(1, &value)
        }
    }

    public struct UInt32Value: Message {
        public var value: UInt32 = 0
        public var unknownFields = UnknownFields()

        @inlinable
        public init() {}

        @inlinable
        public init(_ value: UInt32) { self.value = value }

        @inlinable public static var messageName: String { "google.protobuf.UInt32Value" }

        @inlinable
        public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.uint32(1, &value)
        }
    }

    public struct BoolValue: Message {
        public var value = false
        public var unknownFields = UnknownFields()

        @inlinable
        public init() {}

        @inlinable
        public init(_ value: Bool) { self.value = value }

        @inlinable public static var messageName: String { "google.protobuf.BoolValue" }

        @inlinable
        public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.bool(1, &value)
        }
    }

    public struct StringValue: Message {
        public var value = ""
        public var unknownFields = UnknownFields()

        @inlinable
        public init() {}

        @inlinable
        public init(_ value: String) { self.value = value }

        @inlinable public static var messageName: String { "google.protobuf.StringValue" }

        @inlinable
        public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.string(1, &value)
        }
    }

    public struct BytesValue: Message {
        public var value: [UInt8] = []
        public var unknownFields = UnknownFields()

        @inlinable
        public init() {}

        @inlinable
        public init(_ value: [UInt8]) { self.value = value }

        @inlinable public static var messageName: String { "google.protobuf.BytesValue" }

        @inlinable
        public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.bytes(1, &value)
        }
    }
}
