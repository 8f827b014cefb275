/// Visits a message and writes its encoding into a buffer. When the buffer is full, the writer moves to a
/// larger buffer if that is allowed. Otherwise it only counts the remaining bytes. So one visit either writes
/// the message or finds its size.
///
/// A nested message is written after one byte for its length. If the length needs more bytes, the written
/// bytes are moved: when the nested message ends, or before large bytes are copied into it.
///
/// Invariant: the buffer has `slack` bytes beyond `limit`, and `count` is never negative. A primitive
/// writes only if `count` is at most `limit`. Only `copy` may write more than `slack` bytes: it checks that
/// they fit.
@frozen
@safe
public struct FieldWriter: FieldVisitor {
    /// A tag has at most five bytes, and a varint has at most ten.
    @usableFromInline static var slack: Int { 16 }

    @usableFromInline var start: UnsafeMutablePointer<UInt8>
    /// The size of the encoding so far, in bytes, even if it was not written.
    @usableFromInline var count: Int
    /// The largest `count` at which a primitive may be written: the buffer's size minus `slack`.
    /// Negative if the buffer is smaller than that.
    @usableFromInline var limit: Int
    /// The index of the length of the innermost value that is not complete; negative if there is none.
    @usableFromInline var openIndex = -1
    /// How many bytes are reserved for that length.
    @usableFromInline var openWidth = 1
    /// The size of the fields in `separate`.
    @usableFromInline var separateByteCount = 0
    @usableFromInline let separate: UnsafeMutablePointer<SeparateBytes>
    @usableFromInline var visited = VisitedMemory()
    @usableFromInline let options: EncodingOptions
    @usableFromInline let result: UnsafeMutablePointer<EncodingResult>

    /// Starts after `prefixByteCount` zero bytes.
    @inlinable
    init(
        _ buffer: UnsafeMutableBufferPointer<UInt8>, start: UnsafeMutablePointer<UInt8>,
        prefixByteCount: Int, separate: UnsafeMutablePointer<SeparateBytes>,
        result: UnsafeMutablePointer<EncodingResult>, options: EncodingOptions
    ) {
        unsafe self.result = result
        unsafe self.start = start
        unsafe self.separate = separate
        limit = buffer.count &- Self.slack
        count = prefixByteCount
        self.options = options
        // Safe: the free space is checked.
        if prefixByteCount <= limit { unsafe start.update(repeating: 0, count: prefixByteCount) }
    }

    @inlinable
    @inline(__always)
    public mutating func singular<K: FieldKind>(
        _ kind: K, _ number: UInt32, _ value: inout K.Value, isOmitted: (K.Value) -> Bool
    ) {
        visited.require(&value, number)
        guard !isOmitted(value) else { return }
        unsafe withUnsafePointer(to: &value) { unsafe K.write($0, number, &self) }
    }

    @inlinable
    @inline(__always)
    public mutating func optional<K: FieldKind>(
        _ kind: K, _ number: UInt32, _ value: inout K.Value?
    ) {
        visited.require(&value, number)
        guard value != nil else { return }
        unsafe withBorrowed(&value) { unsafe K.write($0, number, &self) }
    }

    @inlinable
    @inline(__always)
    public mutating func indirect<K: FieldKind>(
        _ kind: K, _ number: UInt32, _ value: inout Indirect<K.Value>
    ) {
        visited.require(&value, number)
        elements(kind, number, &value.elements)
    }

    @inlinable
    @inline(__always)
    public mutating func repeated<K: FieldKind>(
        _ kind: K, _ number: UInt32, _ values: inout [K.Value]
    ) {
        visited.require(&values, number)
        elements(kind, number, &values)
    }

    @inlinable
    @inline(__always)
    public mutating func packable<K: PackableKind>(
        _ kind: K, _ number: UInt32, _ values: inout [K.Value], isPacked: Bool
    ) {
        visited.require(&values, number)
        guard isPacked else { return elements(kind, number, &values) }
        guard !values.isEmpty else { return }
        tag(number, .lengthDelimited)
        if let width = K.fixedByteCount {
            varint(UInt64(values.count &* width))
            for value in values { K.write(value, &self) }
        } else {
            let list = openLength()
            for value in values { K.write(value, &self) }
            closeLength(list)
        }
    }

    @inlinable
    public mutating func map<Key: MapKeyKind, Element: FieldKind>(
        _ number: UInt32, _ values: inout [Key.Value: Element.Value], _ key: Key, _ value: Element
    ) {
        visited.require(&values, number)
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
    public mutating func oneof<K: FieldKind, Choice>(
        _ number: UInt32, _ choice: inout Choice?, _ kind: K,
        _ wrap: (K.Value) -> Choice, _ unwrap: (Choice) -> K.Value?
    ) {
        visited.require(&choice, number)
        guard let choice, let value = unwrap(choice) else { return }
        unsafe withUnsafePointer(to: value) { unsafe K.write($0, number, &self) }
    }
}

// MARK: - Values of fields

extension FieldWriter {
    @inlinable
    @inline(__always)
    mutating func elements<K: FieldKind>(
        _ kind: K, _ number: UInt32, _ values: inout [K.Value]
    ) {
        // Safe: the array is not written to, and each address is that of an element.
        unsafe values.withUnsafeBufferPointer { elements in
            guard let first = elements.baseAddress else { return }
            for index in elements.indices {
                unsafe K.write(first + index, number, &self)
            }
        }
    }

    @inlinable
    @inline(__always)
    mutating func entry<Key: MapKeyKind, Element: FieldKind>(
        _ number: UInt32, _ key: Key.Value, _ value: Element.Value, _: Key.Type, _: Element.Type
    ) {
        tag(number, .lengthDelimited)
        let entry = openLength()
        unsafe withUnsafePointer(to: key) { unsafe Key.write($0, 1, &self) }
        unsafe withUnsafePointer(to: value) { unsafe Element.write($0, 2, &self) }
        closeLength(entry)
    }

    @inlinable
    mutating func nested<M: Message>(_ message: UnsafePointer<M>) {
        let nested = openLength()
        unsafe fields(of: message)
        closeLength(nested)
    }

    @inlinable
    mutating func fields<M: Message>(of message: UnsafePointer<M>) {
        do throws(WireError) { try unsafe visitInPlace(message) } catch { note(error) }
        if options.keepsUnknownFields, let unknown = unsafe message.pointee.unknownFields.storage {
            copy(unknown)
        }
    }

    @usableFromInline
    @inline(never)
    func note(_ error: WireError) {
        unsafe result.pointee.note(error)
    }
}
