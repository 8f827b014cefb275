import SwiftletJSON
import SwiftletMessages
import SwiftletWellKnown

extension Google.Protobuf.Value {
    /// The value as protobuf's message for JSON. Numbers too large for a double are infinite there.
    init(_ value: ConfigValue) {
        switch value {
        case .null: self.init(.nullValue(.null))
        case .bool(let value): self.init(.boolValue(value))
        case .number(let digits): self.init(.numberValue(Double(digits) ?? 0))
        case .string(let text): self.init(.stringValue(text))
        case .array(let values): self.init(.listValue(.init(values: values.map { Self($0) })))
        case .object(let members):
            self.init(.structValue(.init(fields: members.mapValues { Self($0) })))
        }
    }
}

extension ConfigValue {
    /// The same value, from protobuf's message for JSON.
    init(_ message: Google.Protobuf.Value) {
        self =
            switch message.kind {
            case .nullValue?, nil: .null
            case .boolValue(let value)?: .bool(value)
            // A whole number without a fraction, because fields of integers do not read one.
            case .numberValue(let value)?:
                .number(Int64(exactly: value).map { "\($0)" } ?? "\(value)")
            case .stringValue(let text)?: .string(text)
            case .listValue(let list)?: .array(list.values.map { ConfigValue($0) })
            case .structValue(let members)?:
                .object(members.fields.mapValues { ConfigValue($0) })
            }
    }
}
