/// Collects the fields of a message. A message's ``Layout`` calls the functions named after the types of the `.proto`
/// language: `field.int32(1, \.id)`.
///
/// The property's type determines the presence: `Int32` is a proto3 field, which is omitted when it is zero.
/// `Int32?` is a field with presence. `[Int32]` is a repeated field.
public final class FieldList<M: Message> {
    private(set) var entries: [TableEntry] = []

    init() {}

    /// Adds a field. Stops the program if the struct does not store the property, or if the number is wrong.
    func add<Property>(
        _ number: UInt32, _ code: FieldCode, _ shape: FieldShape,
        _ property: WritableKeyPath<M, Property>, _ detail: FieldDetail? = nil
    ) {
        guard let offset = MemoryLayout<M>.offset(of: property) else {
            ProgramError.stopNotStored(M.self, number, property)
        }
        let absence = Absence(
            code, shape, detail, in: MemoryLayout<M>.size,
            at: offset..<offset + MemoryLayout<Property>.size)
        entries.add(number, code, shape, offset, detail, absence, of: M.self)
    }
}

extension [TableEntry] {
    /// Not generic: it would be compiled again for each message of this module.
    @inline(never)
    fileprivate mutating func add(
        _ number: UInt32, _ code: FieldCode, _ shape: FieldShape, _ offset: Int,
        _ detail: FieldDetail?, _ absence: Absence, of message: Any.Type
    ) {
        guard 1...Tag.maxNumber ~= number else { ProgramError.stopIllegalNumber(message, number) }
        guard !contains(where: { $0.number == number }) else {
            ProgramError.stopTwice(message, number)
        }
        append(TableEntry(number, code, shape, offset: offset, detail: detail, absence))
    }
}

// MARK: - Strings and bytes

extension FieldList {
    /// `string`, omitted when it is empty.
    public func string(_ number: UInt32, _ property: WritableKeyPath<M, String>) {
        add(number, .string, .singular, property)
    }

    /// `optional string`: nil when it is absent; encoded when it is empty.
    public func string(_ number: UInt32, _ property: WritableKeyPath<M, String?>) {
        add(number, .string, .optional, property)
    }

    /// `repeated string`.
    public func string(_ number: UInt32, _ property: WritableKeyPath<M, [String]>) {
        add(number, .string, .list, property)
    }

    /// `bytes`, omitted when it is empty.
    public func bytes(_ number: UInt32, _ property: WritableKeyPath<M, [UInt8]>) {
        add(number, .bytes, .singular, property)
    }

    /// `optional bytes`: nil when it is absent; encoded when it is empty.
    public func bytes(_ number: UInt32, _ property: WritableKeyPath<M, [UInt8]?>) {
        add(number, .bytes, .optional, property)
    }

    /// `repeated bytes`.
    public func bytes(_ number: UInt32, _ property: WritableKeyPath<M, [[UInt8]]>) {
        add(number, .bytes, .list, property)
    }
}

// MARK: - Messages, groups and enums

extension FieldList {
    /// A message: nil when it is absent.
    @inlinable
    public func message<Nested: Message>(
        _ number: UInt32, _ property: WritableKeyPath<M, Nested?>
    ) {
        unsafe addOptional(number, .message, property) {
            unsafe MessageType.isPresent($0.assumingMemoryBound(to: Nested?.self))
        }
    }

    /// A message of a recursive type. `property` is the storage of its `@Indirect` property.
    public func message<Nested: Message>(
        _ number: UInt32, _ property: WritableKeyPath<M, Indirect<Nested>>
    ) { add(number, .message, .indirect, property, MessageTypeOf<Nested, [Nested]>()) }

    /// `repeated` of a message.
    public func message<Nested: Message>(
        _ number: UInt32, _ property: WritableKeyPath<M, [Nested]>
    ) { add(number, .message, .list, property, MessageTypeOf<Nested, [Nested]>()) }

    /// proto2's `optional group`: nil when it is absent.
    @inlinable
    public func group<Nested: Message>(
        _ number: UInt32, _ property: WritableKeyPath<M, Nested?>
    ) {
        unsafe addOptional(number, .group, property) {
            unsafe MessageType.isPresent($0.assumingMemoryBound(to: Nested?.self))
        }
    }

    /// A group of a recursive type. `property` is the storage of its `@Indirect` property.
    public func group<Nested: Message>(
        _ number: UInt32, _ property: WritableKeyPath<M, Indirect<Nested>>
    ) { add(number, .group, .indirect, property, MessageTypeOf<Nested, [Nested]>()) }

    /// proto2's `repeated group`.
    public func group<Nested: Message>(
        _ number: UInt32, _ property: WritableKeyPath<M, [Nested]>
    ) { add(number, .group, .list, property, MessageTypeOf<Nested, [Nested]>()) }

    /// An enum, omitted when its value is 0.
    public func enumeration<E: OpenEnum>(_ number: UInt32, _ property: WritableKeyPath<M, E>) {
        add(number, .enumeration, .singular, property, EnumTypeOf<E>())
    }

    /// `optional` of an enum: nil when it is absent; encoded when it is 0.
    public func enumeration<E: OpenEnum>(_ number: UInt32, _ property: WritableKeyPath<M, E?>) {
        add(number, .enumeration, .optional, property, EnumTypeOf<E>())
    }

    /// `repeated` of an enum, packed; with `packed: false`, proto2's default, a tag for each value.
    public func enumeration<E: OpenEnum>(
        _ number: UInt32, _ property: WritableKeyPath<M, [E]>, packed: Bool = true
    ) { add(number, .enumeration, packed ? .packedList : .list, property, EnumTypeOf<E>()) }
}

extension FieldList {
    /// - Parameter isPresent: Whether there is a message at an address. Compiled for the type, in the program: a
    ///   generic function takes several times as long.
    @usableFromInline
    func addOptional<Nested: Message>(
        _ number: UInt32, _ code: FieldCode, _ property: WritableKeyPath<M, Nested?>,
        _ isPresent: @escaping (UnsafeRawPointer) -> Bool
    ) {
        unsafe add(
            number, code, .optional, property,
            MessageTypeOf<Nested, [Nested]>(isPresent: isPresent))
    }
}

// MARK: - Maps and oneofs

extension FieldList {
    /// A map: `field.map(8, \.counters, .string, .int64)`.
    ///
    /// Keys are compared by Swift's equality: two strings that differ only in how their accents are
    /// composed are one key. If a peer sends both, the last entry is kept, with its spelling.
    public func map<Key: MapKey, Value>(
        _ number: UInt32, _ property: WritableKeyPath<M, [Key: Value]>, _ key: FieldKind<Key>,
        _ value: FieldKind<Value>
    ) { add(number, .message, .map, property, MapField.make(key, value)) }

    /// One field of a `oneof`, which is an optional enum in Swift. Each field is listed with two closures.
    /// The first one makes the enum from the field's value, and the second one returns the value of the enum:
    ///
    /// ```swift
    /// enum Value { case text(String), number(Double) }
    /// var value: Value?
    ///
    /// field.oneof(4, \.value, .string, Value.text) { if case .text(let it) = $0 { it } else { nil } }
    /// ```
    @inlinable
    public func oneof<Value, Choice>(
        _ number: UInt32, _ property: WritableKeyPath<M, Choice?>, _ kind: FieldKind<Value>,
        _ wrap: @escaping (Value) -> Choice,
        _ unwrap: @escaping (Choice) -> Value?
    ) {
        // The two functions are compiled for the enum, in the program: only there its cases are known.
        let detail = unsafe OneofField(
            number, kind, Choice.self,
            { choice, body in
                guard let choice = unsafe choice.assumingMemoryBound(to: Choice?.self).pointee,
                    let value = unwrap(choice)
                else { return }
                unsafe withUnsafePointer(to: value) { unsafe body(UnsafeRawPointer($0)) }
            },
            { choice, body throws(WireError) in
                let choice = unsafe choice.assumingMemoryBound(to: Choice?.self)
                // A message is merged into the value of an earlier occurrence of the field.
                var value = unsafe choice.pointee.take().flatMap(unwrap) ?? kind.initial()
                try unsafe withUnsafeMutablePointer(to: &value) { value throws(WireError) in
                    try unsafe body(UnsafeMutableRawPointer(value))
                }
                unsafe choice.pointee = wrap(consume value)
            })
        addOneof(number, kind, property, detail)
    }

    @usableFromInline
    func addOneof<Value, Choice>(
        _ number: UInt32, _ kind: FieldKind<Value>, _ property: WritableKeyPath<M, Choice?>,
        _ detail: OneofField
    ) { add(number, kind.code, .oneof, property, detail) }
}

// MARK: - proto2

extension FieldList {
    /// A field with its own default: `field.singular(.int32, 1, \.port, default: 50051)`. It is omitted
    /// when it has that value.
    public func singular<Value>(
        _ kind: FieldKind<Value>, _ number: UInt32, _ property: WritableKeyPath<M, Value>,
        default defaultValue: Value
    ) {
        add(
            number, kind.code, .defaulted, property,
            DefaultValueOf<Value>(number, kind, defaultValue))
    }

    /// A field that is always encoded.
    ///
    /// Decoding does not fail when a required field is missing. The decoder cannot distinguish a whole
    /// message from a part that is merged into a message.
    public func required<Value>(
        _ kind: FieldKind<Value>, _ number: UInt32, _ property: WritableKeyPath<M, Value>
    ) { add(number, kind.code, .required, property, kind.detail) }
}
