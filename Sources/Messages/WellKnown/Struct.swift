public import SwiftletMessages

extension Google.Protobuf {
    /// A JSON object.
    public struct Struct: Message, ExpressibleByDictionaryLiteral {
        public var fields: [String: Value] = [:]
        public var unknownFields = UnknownFields()

        public init() {}

        public init(fields: [String: Value]) { self.fields = fields }

        /// If a name is listed twice, the last value is used.
        public init(dictionaryLiteral fields: (String, Value)...) {
            self.fields = Dictionary(fields) { $1 }
        }

        public subscript(name: String) -> Value? {
            get { fields[name] }
            set { fields[name] = newValue }
        }

        public static var messageName: String { "google.protobuf.Struct" }

        public static let layout = Layout<Self> { field in
            field.map(1, \.fields, .string, .message(Value.self))
        }
    }

    /// A JSON array.
    public struct ListValue: Message, ExpressibleByArrayLiteral {
        public var values: [Value] = []
        public var unknownFields = UnknownFields()

        public init() {}

        public init(values: [Value]) { self.values = values }

        public init(arrayLiteral values: Value...) { self.values = values }

        public static var messageName: String { "google.protobuf.ListValue" }

        public static let layout = Layout<Self> { field in
            field.message(1, \.values)
        }
    }

    /// The one value of JSON's null.
    public struct NullValue: OpenEnum {
        public var rawValue: Int32

        public init(rawValue: Int32) { self.rawValue = rawValue }

        public static let null = NullValue(rawValue: 0)

        public var name: String? { self == .null ? "NULL_VALUE" : nil }
    }
}
