/// The own default of a proto2 field without an optional.
package class DefaultValue: FieldDetail {
    /// What the value is, without the default.
    let value: FieldEntry

    init(_ value: FieldEntry) { self.value = value }

    func withDefault(_ body: (_ value: UnsafeRawPointer) -> Void) { fatalError("abstract") }
}

final class DefaultValueOf<Value: Hashable & Sendable>: DefaultValue {
    private let defaultValue: Value

    init(_ number: UInt32, _ kind: FieldKind<Value>, _ defaultValue: Value) {
        self.defaultValue = defaultValue
        super.init(FieldEntry(number, kind.code, .required, offset: 0, detail: kind.detail))
    }

    override func withDefault(_ body: (UnsafeRawPointer) -> Void) {
        unsafe withUnsafePointer(to: defaultValue) { unsafe body(UnsafeRawPointer($0)) }
    }
}
