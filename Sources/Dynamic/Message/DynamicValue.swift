import SwiftletMessages

/// The value of a field: a number, a text, a message, or a list or map of them.
///
/// Literals make values: `let port: DynamicValue = 50051`. When a field is set, an integer is converted to
/// the field's integer type, and a floating point number to its floating point type.
public enum DynamicValue: Sendable {
    case bool(Bool)
    case int32(Int32)
    case int64(Int64)
    case uint32(UInt32)
    case uint64(UInt64)
    case float(Float)
    case double(Double)
    case string(String)
    case bytes([UInt8])
    /// The number of a value of an enum.
    case enumeration(Int32)
    case message(DynamicMessage)
    case list([DynamicValue])
    case map([DynamicMapKey: DynamicValue])
}

/// The key of a map. Strings are equal when their bytes are equal.
public enum DynamicMapKey: Sendable {
    case bool(Bool)
    case int32(Int32)
    case int64(Int64)
    case uint32(UInt32)
    case uint64(UInt64)
    case string(String)
}

// MARK: - Equality

extension DynamicValue: Equatable {
    /// Values are equal when their types and contents are equal. Strings are compared by their bytes,
    /// and floating point numbers as Swift does: a NaN is not equal to itself.
    public static func == (one: DynamicValue, other: DynamicValue) -> Bool {
        switch (one, other) {
        case (.bool(let one), .bool(let other)): one == other
        case (.int32(let one), .int32(let other)): one == other
        case (.int64(let one), .int64(let other)): one == other
        case (.uint32(let one), .uint32(let other)): one == other
        case (.uint64(let one), .uint64(let other)): one == other
        case (.float(let one), .float(let other)): one == other
        case (.double(let one), .double(let other)): one == other
        case (.string(let one), .string(let other)): TextBytes.areEqual(one, other)
        case (.bytes(let one), .bytes(let other)): one == other
        case (.enumeration(let one), .enumeration(let other)): one == other
        case (.message(let one), .message(let other)): one == other
        case (.list(let one), .list(let other)): one == other
        case (.map(let one), .map(let other)): one == other
        default: false
        }
    }
}

extension DynamicMapKey: Hashable {
    public static func == (one: DynamicMapKey, other: DynamicMapKey) -> Bool {
        switch (one, other) {
        case (.bool(let one), .bool(let other)): one == other
        case (.int32(let one), .int32(let other)): one == other
        case (.int64(let one), .int64(let other)): one == other
        case (.uint32(let one), .uint32(let other)): one == other
        case (.uint64(let one), .uint64(let other)): one == other
        case (.string(let one), .string(let other)): TextBytes.areEqual(one, other)
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .bool(let value): hasher.combine(value)
        case .int32(let value): hasher.combine(value)
        case .int64(let value): hasher.combine(value)
        case .uint32(let value): hasher.combine(value)
        case .uint64(let value): hasher.combine(value)
        case .string(let value): TextBytes.hash(value, into: &hasher)
        }
    }
}

extension DynamicMapKey: Comparable {
    /// Orders numbers by size, strings by their bytes, and false before true.
    public static func < (one: DynamicMapKey, other: DynamicMapKey) -> Bool {
        switch (one, other) {
        case (.bool(let one), .bool(let other)): !one && other
        case (.int32(let one), .int32(let other)): one < other
        case (.int64(let one), .int64(let other)): one < other
        case (.uint32(let one), .uint32(let other)): one < other
        case (.uint64(let one), .uint64(let other)): one < other
        case (.string(let one), .string(let other)):
            TextBytes.precedes(one, other)
        default: false
        }
    }

    /// The key as a value.
    public var value: DynamicValue {
        switch self {
        case .bool(let value): .bool(value)
        case .int32(let value): .int32(value)
        case .int64(let value): .int64(value)
        case .uint32(let value): .uint32(value)
        case .uint64(let value): .uint64(value)
        case .string(let value): .string(value)
        }
    }

    /// Converts a value to a key; nil for a value that cannot be the key of a map.
    public init?(_ value: DynamicValue) {
        switch value {
        case .bool(let value): self = .bool(value)
        case .int32(let value): self = .int32(value)
        case .int64(let value): self = .int64(value)
        case .uint32(let value): self = .uint32(value)
        case .uint64(let value): self = .uint64(value)
        case .string(let value): self = .string(value)
        default: return nil
        }
    }
}

// MARK: - Literals

extension DynamicValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral
{
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(integerLiteral value: Int64) { self = .int64(value) }
    public init(floatLiteral value: Double) { self = .double(value) }
    public init(stringLiteral value: String) { self = .string(value) }
    public init(arrayLiteral elements: DynamicValue...) { self = .list(elements) }
}

extension DynamicMapKey: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByStringLiteral
{
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(integerLiteral value: Int64) { self = .int64(value) }
    public init(stringLiteral value: String) { self = .string(value) }
}
