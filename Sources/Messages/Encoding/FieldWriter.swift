/// Walks a message that was measured and writes it.
///
/// Invariant: `cursor` lies in a buffer that reaches `slack` octets beyond `limit`. Each primitive
/// checks that it begins before the limit, and none but the copies is longer than the slack, so that
/// a message that changes between the walks traps instead of writing elsewhere.
@frozen
@safe
public struct FieldWriter: FieldVisitor {
    /// A tag takes five octets, a varint ten.
    @usableFromInline static var slack: Int { 16 }

    @usableFromInline var cursor: UnsafeMutablePointer<UInt8>
    @usableFromInline let limit: UnsafeMutablePointer<UInt8>
    @usableFromInline var sizes: NestedSizes
    @usableFromInline let apart: UnsafeMutablePointer<OctetsApart>
    @usableFromInline let options: EncodingOptions

    @inlinable
    init(
        cursor: UnsafeMutablePointer<UInt8>, byteCount: Int, sizes: NestedSizes,
        apart: UnsafeMutablePointer<OctetsApart>, options: EncodingOptions
    ) {
        unsafe self.apart = apart
        unsafe self.cursor = cursor
        unsafe limit = cursor + byteCount
        self.sizes = sizes
        self.options = options
    }

    @inlinable
    @inline(__always)
    public mutating func singular<K: FieldKind>(
        _ kind: K, _ number: UInt32, _ value: inout K.Value, isLeftOut: (K.Value) -> Bool
    ) {
        guard !isLeftOut(value) else { return }
        tag(number, K.wireType)
        unsafe withUnsafePointer(to: &value) { unsafe K.write($0, number, &self) }
    }

    @inlinable
    @inline(__always)
    public mutating func optional<K: FieldKind>(
        _ kind: K, _ number: UInt32, _ value: inout K.Value?
    ) {
        guard value != nil else { return }
        tag(number, K.wireType)
        unsafe withBorrowed(&value) { unsafe K.write($0, number, &self) }
    }

    @inlinable
    @inline(__always)
    public mutating func indirect<K: FieldKind>(
        _ kind: K, _ number: UInt32, _ value: inout Indirect<K.Value>
    ) {
        repeated(kind, number, &value.elements)
    }

    @inlinable
    @inline(__always)
    public mutating func repeated<K: FieldKind>(
        _ kind: K, _ number: UInt32, _ values: inout [K.Value]
    ) {
        // Safe: the array is not written to, and each address is one of an element.
        unsafe values.withUnsafeBufferPointer { elements in
            guard let first = elements.baseAddress else { return }
            for index in elements.indices {
                tag(number, K.wireType)
                unsafe K.write(first + index, number, &self)
            }
        }
    }

    @inlinable
    @inline(__always)
    public mutating func packable<K: PackableKind>(
        _ kind: K, _ number: UInt32, _ values: inout [K.Value], isPacked: Bool
    ) {
        guard isPacked else { return repeated(kind, number, &values) }
        guard !values.isEmpty else { return }
        tag(number, .lengthDelimited)
        let byteCount = K.fixedByteCount.map { values.count &* $0 } ?? sizes.next()
        varint(UInt64(byteCount))
        for value in values { K.write(value, &self) }
    }

    @inlinable
    public mutating func map<Key: MapKeyKind, Element: FieldKind>(
        _ number: UInt32, _ values: inout [Key.Value: Element.Value], _ key: Key, _ value: Element
    ) {
        if options.isDeterministic {
            for key in values.keys.sorted(by: Key.precedes) {
                if let value = values[key] { entry(number, key, value, Key.self, Element.self) }
            }
        } else {
            for (key, value) in values { entry(number, key, value, Key.self, Element.self) }
        }
    }

    @inlinable
    @inline(__always)
    mutating func entry<Key: MapKeyKind, Element: FieldKind>(
        _ number: UInt32, _ key: Key.Value, _ value: Element.Value, _: Key.Type, _: Element.Type
    ) {
        tag(number, .lengthDelimited)
        varint(UInt64(sizes.next()))
        tag(1, Key.wireType)
        unsafe withUnsafePointer(to: key) { unsafe Key.write($0, 1, &self) }
        tag(2, Element.wireType)
        unsafe withUnsafePointer(to: value) { unsafe Element.write($0, 2, &self) }
    }

    @inlinable
    @inline(__always)
    public mutating func oneof<K: FieldKind, Choice>(
        _ number: UInt32, _ choice: inout Choice?, _ kind: K,
        _ wrap: (K.Value) -> Choice, _ unwrap: (Choice) -> K.Value?
    ) {
        guard let choice, let value = unwrap(choice) else { return }
        tag(number, K.wireType)
        unsafe withUnsafePointer(to: value) { unsafe K.write($0, number, &self) }
    }
}

// MARK: - For the kinds

extension FieldWriter {
    @inlinable
    @inline(__always)
    mutating func tag(_ number: UInt32, _ type: WireType) {
        varint(UInt64(Tag.listed(number, type)))
    }

    @inlinable
    mutating func fields<M: Message>(of message: UnsafePointer<M>) {
        unsafe M.walk(message, &self)
        if options.keepsUnknownFields, let unknown = unsafe message.pointee.unknownFields.storage {
            octets(unknown)
        }
    }
}
