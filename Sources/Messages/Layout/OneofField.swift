/// A field of a `oneof`. The functions get the address of the optional enum, or of a value of the field.
///
/// Safe: the codec calls them only with the address of a property whose type the table has checked when it was made.
@safe
@usableFromInline
package final class OneofField: FieldDetail {
    @usableFromInline
    typealias Visit = (_ choice: UnsafeRawPointer, _ body: (_ value: UnsafeRawPointer) -> Void) ->
        Void
    @usableFromInline
    typealias Update =
        (
            _ choice: UnsafeMutableRawPointer,
            _ body: (_ value: UnsafeMutableRawPointer) throws(WireError) -> Void
        ) throws(WireError) -> Void

    /// Cannot be copied, so that no closure is retained for a call.
    @safe
    struct Functions: ~Copyable {
        /// Calls `body` with the field's value, if that field of the oneof is set.
        let visit: Visit
        /// Calls `body` with the field's value, or a new one, and sets the oneof to what `body` made of it.
        let update: Update
    }

    /// What the values are. Never a oneof.
    package let value: UnsafePointer<TableEntry>
    /// The type of the enum.
    package let choice: ObjectIdentifier
    /// Never freed, as the table.
    let functions: UnsafePointer<Functions>
    /// The name of the case that is set, in the spelling of a `.proto` file.
    package let caseName: (_ choice: UnsafeRawPointer) -> String?

    @usableFromInline
    init<Value, Choice>(
        _ number: UInt32, _ kind: FieldKind<Value>, _ choice: Choice.Type, _ visit: @escaping Visit,
        _ update: @escaping Update
    ) {
        unsafe value = TableEntry.immortal(
            number, kind.code, .required, offset: 0, detail: kind.detail)
        self.choice = ObjectIdentifier(choice)
        let memory = UnsafeMutablePointer<Functions>.allocate(capacity: 1)
        unsafe memory.initialize(to: Functions(visit: visit, update: update))
        unsafe functions = UnsafePointer(memory)
        unsafe caseName = { place in
            let choice = unsafe place.assumingMemoryBound(to: Choice?.self).pointee
            let label = choice.flatMap { Mirror(reflecting: $0).children.first?.label }
            return label.map(PropertyNames.snakeCase)
        }
    }
}
