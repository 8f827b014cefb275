import SwiftletCore

/// A JSON value in a service config or a recording.
package indirect enum ConfigValue: Hashable, Sendable {
    case null
    case bool(Bool)
    /// The digits as they are written.
    case number(String)
    case string(String)
    case array([ConfigValue])
    case object([String: ConfigValue])

    /// The value for an error text: `"a"`, `1`, `an object`.
    package var shown: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .number(let digits): "\(digits.prefix(40))"
        case .string(let text): "\"\(RPCError.shown(text).prefix(80))\""
        case .array: "an array"
        case .object: "an object"
        }
    }
}
