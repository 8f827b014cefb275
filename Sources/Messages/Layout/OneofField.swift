/// A field of a `oneof`. The codec passes the address of the optional enum, or of a value of the field.
package class OneofField: FieldDetail {
    /// What the values are. Never a oneof.
    let value: FieldEntry
    /// The type of the enum.
    package let choice: ObjectIdentifier

    init(_ value: FieldEntry, _ choice: ObjectIdentifier) {
        self.value = value
        self.choice = choice
    }

    /// Calls `body` with the field's value, if that field of the oneof is set.
    func withValue(_ choice: UnsafeRawPointer, _ body: (_ value: UnsafeRawPointer) -> Void) {
        fatalError("abstract")
    }

    /// Calls `body` with the field's value, or a new one, and sets the oneof to what `body` made of it.
    func update(
        _ choice: UnsafeMutableRawPointer,
        _ body: (_ value: UnsafeMutableRawPointer) throws(WireError) -> Void
    ) throws(WireError) { fatalError("abstract") }

    /// Sets the oneof to a new value of this field.
    func setNew(_ choice: UnsafeMutableRawPointer) { fatalError("abstract") }

    /// The name of the case that is set.
    func caseName(_ choice: UnsafeRawPointer) -> String? { fatalError("abstract") }
}

/// Safe: the codec calls the functions only with the address of a property of the type `Choice?`, which the table has
/// checked when it was made.
@safe
final class OneofFieldOf<Value: Hashable & Sendable, Choice>: OneofField {
    private let initial: @Sendable () -> Value
    private let wrap: @Sendable (Value) -> Choice
    private let unwrap: @Sendable (Choice) -> Value?

    init(
        _ number: UInt32, _ kind: FieldKind<Value>, _ wrap: @escaping @Sendable (Value) -> Choice,
        _ unwrap: @escaping @Sendable (Choice) -> Value?
    ) {
        initial = kind.initial
        self.wrap = wrap
        self.unwrap = unwrap
        super.init(
            FieldEntry(number, kind.code, .required, offset: 0, detail: kind.detail),
            ObjectIdentifier(Choice.self))
    }

    override func withValue(_ choice: UnsafeRawPointer, _ body: (UnsafeRawPointer) -> Void) {
        guard let choice = unsafe choice.assumingMemoryBound(to: Choice?.self).pointee,
            let value = unwrap(choice)
        else { return }
        unsafe withUnsafePointer(to: value) { unsafe body(UnsafeRawPointer($0)) }
    }

    override func update(
        _ choice: UnsafeMutableRawPointer,
        _ body: (UnsafeMutableRawPointer) throws(WireError) -> Void
    ) throws(WireError) {
        let choice = unsafe choice.assumingMemoryBound(to: Choice?.self)
        // A message is merged into the value of an earlier occurrence of the field.
        var value = unsafe choice.pointee.take().flatMap(unwrap) ?? initial()
        try unsafe withUnsafeMutablePointer(to: &value) { value throws(WireError) in
            try unsafe body(UnsafeMutableRawPointer(value))
        }
        unsafe choice.pointee = wrap(consume value)
    }

    override func setNew(_ choice: UnsafeMutableRawPointer) {
        unsafe choice.assumingMemoryBound(to: Choice?.self).pointee = wrap(initial())
    }

    override func caseName(_ choice: UnsafeRawPointer) -> String? {
        guard let choice = unsafe choice.assumingMemoryBound(to: Choice?.self).pointee else {
            return nil
        }
        return Mirror(reflecting: choice).children.first?.label
    }
}
