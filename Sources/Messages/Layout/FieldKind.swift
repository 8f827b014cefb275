/// The type of a value in the `.proto` language, for fields with several parts:
/// `field.map(8, \.counters, .string, .int64)`.
@safe
public struct FieldKind<Value: Hashable & Sendable>: Sendable {
    package let code: FieldCode
    // Safe: no subclass has a property that changes.
    private nonisolated(unsafe) let sharedDetail: FieldDetail?
    var detail: FieldDetail? { unsafe sharedDetail }
    /// The value of a field that was not received.
    @usableFromInline let initial: @Sendable () -> Value

    init(
        _ code: FieldCode, _ initial: @escaping @autoclosure @Sendable () -> Value,
        _ detail: FieldDetail? = nil
    ) {
        self.code = code
        unsafe sharedDetail = detail
        self.initial = initial
    }
}

extension FieldKind where Value == Int32 {
    /// A negative number needs ten bytes; use `sint32` for those.
    public static var int32: Self { Self(.int32, 0) }
    /// ZigZag-encoded, so that negative values near zero also have few bytes.
    public static var sint32: Self { Self(.sint32, 0) }
    /// Always four bytes.
    public static var sfixed32: Self { Self(.sfixed32, 0) }
}

extension FieldKind where Value == Int64 {
    /// A negative number needs ten bytes; use `sint64` for those.
    public static var int64: Self { Self(.int64, 0) }
    /// ZigZag-encoded, so that negative values near zero also have few bytes.
    public static var sint64: Self { Self(.sint64, 0) }
    /// Always eight bytes.
    public static var sfixed64: Self { Self(.sfixed64, 0) }
}

extension FieldKind where Value == UInt32 {
    /// A longer varint is truncated to its low 32 bits, as in every implementation.
    public static var uint32: Self { Self(.uint32, 0) }
    /// Always four bytes.
    public static var fixed32: Self { Self(.fixed32, 0) }
}

extension FieldKind where Value == UInt64 {
    public static var uint64: Self { Self(.uint64, 0) }
    /// Always eight bytes.
    public static var fixed64: Self { Self(.fixed64, 0) }
}

extension FieldKind where Value == Bool {
    /// Any varint but zero is true.
    public static var bool: Self { Self(.bool, false) }
}

extension FieldKind where Value == Float {
    /// IEEE 754, in four bytes.
    public static var float: Self { Self(.float, 0) }
}

extension FieldKind where Value == Double {
    /// IEEE 754, in eight bytes.
    public static var double: Self { Self(.double, 0) }
}

extension FieldKind where Value == String {
    /// UTF-8, which is checked when it is decoded.
    public static var string: Self { Self(.string, "") }
}

extension FieldKind where Value == [UInt8] {
    public static var bytes: Self { Self(.bytes, []) }
}

extension FieldKind where Value: OpenEnum {
    /// An enum: an `int32` on the wire.
    public static func enumeration(_ type: Value.Type) -> Self {
        Self(.enumeration, Value(rawValue: 0), EnumTypeOf<Value>())
    }
}

extension FieldKind where Value: Message {
    /// A message inside a message, after its length.
    public static func message(_ type: Value.Type) -> Self {
        Self(.message, Value(), MessageTypeOf<Value, [Value]>())
    }

    /// A group of proto2: a message between a start tag and an end tag.
    public static func group(_ type: Value.Type) -> Self {
        Self(.group, Value(), MessageTypeOf<Value, [Value]>())
    }
}
