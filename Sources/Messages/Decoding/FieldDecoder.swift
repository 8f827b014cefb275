/// Walks a message and gives each field what stands for it on the wire.
///
/// The decoder is always one tag ahead. A field takes the tag when it is its own, and reads the next
/// one; all others let it pass, at the price of one comparison with a constant. As senders write
/// fields in the order of their numbers, one walk takes them all.
///
/// Invariant: `start ≤ tagStart ≤ cursor ≤ end`, and all lie in the one buffer that is borrowed as
/// long as the decoder lives.
@frozen
@safe
public struct FieldDecoder: FieldVisitor {
    @usableFromInline var cursor: UnsafePointer<UInt8>
    @usableFromInline var end: UnsafePointer<UInt8>

    /// The tag that is due, or ``Tag/end``.
    @usableFromInline var tag = Tag.end
    @usableFromInline var tagStart: UnsafePointer<UInt8>
    @usableFromInline let start: UnsafePointer<UInt8>

    /// The number of the group whose fields are being read; zero, which no field has, in a message.
    @usableFromInline var openGroup: UInt32 = 0
    @usableFromInline var depthLeft: Int
    @usableFromInline let keepsUnknownFields: Bool

    @inlinable
    init(start: UnsafePointer<UInt8>, byteCount: Int, options: DecodingOptions) {
        unsafe cursor = start
        unsafe end = start + byteCount
        unsafe tagStart = start
        unsafe self.start = start
        depthLeft = options.maxDepth
        keepsUnknownFields = options.keepsUnknownFields
    }

    @inlinable
    @inline(__always)
    public mutating func singular<K: FieldKind>(
        _ kind: K, _ number: UInt32, _ value: inout K.Value, isLeftOut: (K.Value) -> Bool
    ) throws(WireError) {
        while tag == Tag.listed(number, K.wireType) {
            try read(kind, number, into: &value)
            try nextTag()
        }
    }

    @inlinable
    @inline(__always)
    public mutating func optional<K: FieldKind>(
        _ kind: K, _ number: UInt32, _ value: inout K.Value?
    ) throws(WireError) {
        while tag == Tag.listed(number, K.wireType) {
            // A message that arrives in parts is one message.
            var present = value.take() ?? K.initial
            try read(kind, number, into: &present)
            value = consume present
            try nextTag()
        }
    }

    @inlinable
    @inline(__always)
    public mutating func indirect<K: FieldKind>(
        _ kind: K, _ number: UInt32, _ value: inout Indirect<K.Value>
    ) throws(WireError) {
        while tag == Tag.listed(number, K.wireType) {
            if value.elements.isEmpty { value.elements = [K.initial] }
            try read(kind, number, into: &value.elements[0])
            try nextTag()
        }
    }

    @inlinable
    @inline(__always)
    public mutating func repeated<K: FieldKind>(
        _ kind: K, _ number: UInt32, _ values: inout [K.Value]
    ) throws(WireError) {
        guard tag == Tag.listed(number, K.wireType) else { return }
        let run = runLength()
        // Only when the list at least doubles: a reserve for each of many short runs would copy the
        // list each time.
        if run > values.count { values.reserveCapacity(values.count &+ run) }
        repeat {
            var value = K.initial
            try read(kind, number, into: &value)
            values.append(consume value)
            try nextTag()
        } while tag == Tag.listed(number, K.wireType)
    }

    @inlinable
    @inline(__always)
    public mutating func packable<K: PackableKind>(
        _ kind: K, _ number: UInt32, _ values: inout [K.Value], isPacked: Bool
    ) throws(WireError) {
        while true {
            if tag == Tag.listed(number, .lengthDelimited) {
                try packed(kind, number, into: &values)
            } else if tag == Tag.listed(number, K.wireType) {
                var value = K.initial
                try read(kind, number, into: &value)
                values.append(consume value)
            } else {
                return
            }
            try nextTag()
        }
    }

    @inlinable
    @inline(__always)
    mutating func packed<K: PackableKind>(
        _ kind: K, _ number: UInt32, into values: inout [K.Value]
    ) throws(WireError) {
        let byteCount = try length()
        let outerEnd = unsafe end
        unsafe end = cursor + byteCount
        // Counted first, so that the array is asked once whether it is its only owner's.
        let first = values.count
        let count = K.fixedByteCount.map { byteCount / $0 } ?? varintCount()
        values.append(contentsOf: repeatElement(K.initial, count: count))
        var elements = values.mutableSpan
        for index in first..<first &+ count {
            try read(kind, number, into: &elements[index])
        }
        // What is left is part of one more value, and has no end.
        if unsafe cursor < end {
            var rest = K.initial
            try read(kind, number, into: &rest)
        }
        unsafe end = outerEnd
    }

    @inlinable
    public mutating func map<Key: MapKeyKind, Element: FieldKind>(
        _ number: UInt32, _ values: inout [Key.Value: Element.Value], _ key: Key, _ value: Element
    ) throws(WireError) {
        guard tag == Tag.listed(number, .lengthDelimited) else { return }
        // Capped, because all entries may have one key: memory for each would be a multiple of what
        // the peer sent. A map that does fill grows by itself.
        let run = min(runLength(), 4096)
        if run > values.count { values.reserveCapacity(values.count &+ run) }
        repeat {
            let entry = try entry(number, key, value)
            values.insert(entry)
            try nextTag()
        } while tag == Tag.listed(number, .lengthDelimited)
    }

    @inlinable
    @inline(__always)
    public mutating func oneof<K: FieldKind, Choice>(
        _ number: UInt32, _ choice: inout Choice?, _ kind: K,
        _ wrap: (K.Value) -> Choice, _ unwrap: (Choice) -> K.Value?
    ) throws(WireError) {
        while tag == Tag.listed(number, K.wireType) {
            // A message is merged with the one that the same field brought before.
            var value = choice.take().flatMap(unwrap) ?? K.initial
            try read(kind, number, into: &value)
            choice = wrap(consume value)
            try nextTag()
        }
    }
}
