/// Walks a message and counts the octets that it will take.
@frozen
public struct FieldSizer: FieldVisitor {
    @usableFromInline var byteCount = 0
    /// How much of it the writer will leave out.
    @usableFromInline var apartByteCount = 0
    /// Bytes fields from this size on are left out.
    @usableFromInline let partByteCount: Int
    @usableFromInline var sizes: NestedSizes
    @usableFromInline let options: EncodingOptions

    @inlinable
    init(sizes: NestedSizes, partByteCount: Int, options: EncodingOptions) {
        self.partByteCount = partByteCount
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
        unsafe withUnsafePointer(to: &value) { unsafe K.measure($0, number, &self) }
    }

    @inlinable
    @inline(__always)
    public mutating func optional<K: FieldKind>(
        _ kind: K, _ number: UInt32, _ value: inout K.Value?
    ) {
        guard value != nil else { return }
        tag(number, K.wireType)
        unsafe withBorrowed(&value) { unsafe K.measure($0, number, &self) }
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
                unsafe K.measure(first + index, number, &self)
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
        if let width = K.fixedByteCount {
            lengthDelimited(values.count &* width)
        } else {
            var sum = 0
            for value in values { sum &+= K.byteCount(value) }
            let place = sizes.reserve()
            sizes.set(place, sum)
            lengthDelimited(sum)
        }
    }

    @inlinable
    public mutating func map<Key: MapKeyKind, Element: FieldKind>(
        _ number: UInt32, _ values: inout [Key.Value: Element.Value], _ key: Key, _ value: Element
    ) {
        if options.isDeterministic {
            // The lengths are noted in the order in which the writer will ask for them.
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
        let place = sizes.reserve()
        let before = byteCount
        tag(1, Key.wireType)
        unsafe withUnsafePointer(to: key) { unsafe Key.measure($0, 1, &self) }
        tag(2, Element.wireType)
        unsafe withUnsafePointer(to: value) { unsafe Element.measure($0, 2, &self) }
        close(place, before)
    }

    @inlinable
    @inline(__always)
    public mutating func oneof<K: FieldKind, Choice>(
        _ number: UInt32, _ choice: inout Choice?, _ kind: K,
        _ wrap: (K.Value) -> Choice, _ unwrap: (Choice) -> K.Value?
    ) {
        guard let choice, let value = unwrap(choice) else { return }
        tag(number, K.wireType)
        unsafe withUnsafePointer(to: value) { unsafe K.measure($0, number, &self) }
    }
}

// MARK: - For the kinds

extension FieldSizer {
    @inlinable
    @inline(__always)
    mutating func tag(_ number: UInt32, _ type: WireType) {
        byteCount &+= Varint.byteCount(UInt64(Tag.listed(number, type)))
    }

    @inlinable
    @inline(__always)
    mutating func lengthDelimited(_ count: Int) {
        byteCount &+= Varint.byteCount(UInt64(truncatingIfNeeded: count)) &+ count
    }

    @inlinable
    @inline(__always)
    mutating func bytes(_ count: Int) {
        lengthDelimited(count)
        if count >= partByteCount { apartByteCount &+= count }
    }

    /// Ends what began when `place` was taken and `before` octets had been counted.
    @inlinable
    @inline(__always)
    mutating func close(_ place: Int, _ before: Int) {
        let size = byteCount &- before
        sizes.set(place, size)
        byteCount &+= Varint.byteCount(UInt64(truncatingIfNeeded: size))
    }

    @inlinable
    mutating func nested<M: Message>(_ message: UnsafePointer<M>) {
        let place = sizes.reserve()
        let before = byteCount
        unsafe fields(of: message)
        close(place, before)
    }

    @inlinable
    mutating func fields<M: Message>(of message: UnsafePointer<M>) {
        unsafe M.walk(message, &self)
        if options.keepsUnknownFields {
            byteCount &+= unsafe message.pointee.unknownFields.storage?.count ?? 0
        }
    }
}
