/// The own default of a proto2 field without an optional.
@safe
package class DefaultValue: FieldDetail {
    /// What the value is, without the default.
    package let value: UnsafePointer<TableEntry>

    init(_ value: UnsafePointer<TableEntry>) { unsafe self.value = value }

    package func withDefault(_ body: (_ value: UnsafeRawPointer) -> Void) { abstract() }

    /// Whether a value is encoded as the default.
    final func isDefault(_ place: UnsafeRawPointer) -> Bool {
        var isDefault = false
        unsafe withDefault { unsafe isDefault = FieldValue.areSame(value.pointee, place, $0) }
        return isDefault
    }
}

final class DefaultValueOf<Value: Hashable & Sendable>: DefaultValue {
    private let defaultValue: Value

    init(_ number: UInt32, _ kind: FieldKind<Value>, _ defaultValue: Value) {
        self.defaultValue = defaultValue
        unsafe super.init(
            TableEntry.immortal(number, kind.code, .required, offset: 0, detail: kind.detail))
    }

    override package func withDefault(_ body: (UnsafeRawPointer) -> Void) {
        unsafe withUnsafePointer(to: defaultValue) { unsafe body(UnsafeRawPointer($0)) }
    }
}
