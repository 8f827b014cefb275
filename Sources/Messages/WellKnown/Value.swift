public import SwiftletMessages

extension Google.Protobuf {
    /// A JSON value: `["name": "Ada", "born": 1815, "tags": ["first", nil]]`.
    public struct Value: Message {
        public enum Kind: Equatable, Sendable {
            case nullValue(NullValue)
            case numberValue(Double)
            case stringValue(String)
            case boolValue(Bool)
            case structValue(Struct)
            case listValue(ListValue)
        }

        /// Nil only in an invalid message: the specification requires a kind.
        public var kind: Kind?
        public var unknownFields = UnknownFields()

        public init() {}

        public init(_ kind: Kind) { self.kind = kind }

        public static var messageName: String { "google.protobuf.Value" }

        public static let layout = Layout<Self> { field in
            field.oneof(1, \.kind, .enumeration(NullValue.self), Kind.nullValue) {
                if case .nullValue(let it) = $0 { it } else { nil }
            }
            field.oneof(2, \.kind, .double, Kind.numberValue) {
                if case .numberValue(let it) = $0 { it } else { nil }
            }
            field.oneof(3, \.kind, .string, Kind.stringValue) {
                if case .stringValue(let it) = $0 { it } else { nil }
            }
            field.oneof(4, \.kind, .bool, Kind.boolValue) {
                if case .boolValue(let it) = $0 { it } else { nil }
            }
            field.oneof(5, \.kind, .message(Struct.self), Kind.structValue) {
                if case .structValue(let it) = $0 { it } else { nil }
            }
            field.oneof(6, \.kind, .message(ListValue.self), Kind.listValue) {
                if case .listValue(let it) = $0 { it } else { nil }
            }
        }
    }
}

// MARK: - Literals

extension Google.Protobuf.Value: ExpressibleByNilLiteral, ExpressibleByFloatLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(nilLiteral: ()) { self.init(.nullValue(.null)) }

    public init(floatLiteral number: Double) { self.init(.numberValue(number)) }

    public init(integerLiteral number: Int) { self.init(.numberValue(Double(number))) }

    public init(stringLiteral text: String) { self.init(.stringValue(text)) }

    public init(booleanLiteral truth: Bool) { self.init(.boolValue(truth)) }

    public init(arrayLiteral values: Self...) { self.init(.listValue(.init(values: values))) }

    public init(dictionaryLiteral fields: (String, Self)...) {
        self.init(.structValue(.init(fields: Dictionary(fields) { $1 })))
    }
}
