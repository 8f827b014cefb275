extension Google.Protobuf {
    /// A JSON object.
    public struct Struct: Message, ExpressibleByDictionaryLiteral {
        public var fields: [String: Value] = [:]
        public var unknownFields = UnknownFields()

        @inlinable
        public init() {}

        @inlinable
        public init(fields: [String: Value]) { self.fields = fields }

        /// If a name is listed twice, the last value is used.
        @inlinable
        public init(dictionaryLiteral fields: (String, Value)...) {
            self.fields = Dictionary(fields) { $1 }
        }

        @inlinable
        public subscript(name: String) -> Value? {
            get { fields[name] }
            set { fields[name] = newValue }
        }

        @inlinable public static var messageName: String { "google.protobuf.Struct" }

        @inlinable
        public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.map(1, &fields, .string, .message(Value.self))
        }
    }

    /// A JSON array.
    public struct ListValue: Message, ExpressibleByArrayLiteral {
        public var values: [Value] = []
        public var unknownFields = UnknownFields()

        @inlinable
        public init() {}

        @inlinable
        public init(values: [Value]) { self.values = values }

        @inlinable
        public init(arrayLiteral values: Value...) { self.values = values }

        @inlinable public static var messageName: String { "google.protobuf.ListValue" }

        @inlinable
        public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.message(1, &values)
        }
    }

    /// The one value of JSON's null.
    public struct NullValue: OpenEnum {
        public var rawValue: Int32

        @inlinable
        public init(rawValue: Int32) { self.rawValue = rawValue }

        public static let null = NullValue(rawValue: 0)

        public var name: String? { self == .null ? "NULL_VALUE" : nil }
    }
}
