public import SwiftletMessages

// Messages with one value each, for fields that may be absent and where a message is required. In
// your own messages, `Int32?` has the same meaning.
extension Google.Protobuf {
    public struct DoubleValue: Message {
        public var value: Double = 0
        public var unknownFields = UnknownFields()

        public init() {}

        public init(_ value: Double) { self.value = value }

        public static var messageName: String { "google.protobuf.DoubleValue" }

        public static let layout = Layout<Self> { field in
            field.double(1, \.value)
        }
    }

    public struct FloatValue: Message {
        public var value: Float = 0
        public var unknownFields = UnknownFields()

        public init() {}

        public init(_ value: Float) { self.value = value }

        public static var messageName: String { "google.protobuf.FloatValue" }

        public static let layout = Layout<Self> { field in
            field.float(1, \.value)
        }
    }

    public struct Int64Value: Message {
        public var value: Int64 = 0
        public var unknownFields = UnknownFields()

        public init() {}

        public init(_ value: Int64) { self.value = value }

        public static var messageName: String { "google.protobuf.Int64Value" }

        public static let layout = Layout<Self> { field in
            field.int64(1, \.value)
        }
    }

    public struct UInt64Value: Message {
        public var value: UInt64 = 0
        public var unknownFields = UnknownFields()

        public init() {}

        public init(_ value: UInt64) { self.value = value }

        public static var messageName: String { "google.protobuf.UInt64Value" }

        public static let layout = Layout<Self> { field in
            field.uint64(1, \.value)
        }
    }

    public struct Int32Value: Message {
        public var value: Int32 = 0
        public var unknownFields = UnknownFields()

        public init() {}

        public init(_ value: Int32) { self.value = value }

        public static var messageName: String { "google.protobuf.Int32Value" }

        public static let layout = Layout<Self> { field in
            field.int32(1, \.value)
        }
    }

    public struct UInt32Value: Message {
        public var value: UInt32 = 0
        public var unknownFields = UnknownFields()

        public init() {}

        public init(_ value: UInt32) { self.value = value }

        public static var messageName: String { "google.protobuf.UInt32Value" }

        public static let layout = Layout<Self> { field in
            field.uint32(1, \.value)
        }
    }

    public struct BoolValue: Message {
        public var value = false
        public var unknownFields = UnknownFields()

        public init() {}

        public init(_ value: Bool) { self.value = value }

        public static var messageName: String { "google.protobuf.BoolValue" }

        public static let layout = Layout<Self> { field in
            field.bool(1, \.value)
        }
    }

    public struct StringValue: Message {
        public var value = ""
        public var unknownFields = UnknownFields()

        public init() {}

        public init(_ value: String) { self.value = value }

        public static var messageName: String { "google.protobuf.StringValue" }

        public static let layout = Layout<Self> { field in
            field.string(1, \.value)
        }
    }

    public struct BytesValue: Message {
        public var value: [UInt8] = []
        public var unknownFields = UnknownFields()

        public init() {}

        public init(_ value: [UInt8]) { self.value = value }

        public static var messageName: String { "google.protobuf.BytesValue" }

        public static let layout = Layout<Self> { field in
            field.bytes(1, \.value)
        }
    }
}
