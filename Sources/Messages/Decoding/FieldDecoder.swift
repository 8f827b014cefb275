/// Visits a message and decodes the value of each field.
///
/// The decoder always reads the next tag in advance. The field with that tag reads its value and the next
/// tag. Any other field costs one comparison with a constant. Senders write fields in the order of their
/// numbers, so one visit normally decodes them all.
///
/// Invariant: `start ≤ tagStart ≤ cursor ≤ end`. All of them point into one buffer, which is borrowed as long
/// as the decoder exists.
@frozen
@safe
public struct FieldDecoder: FieldVisitor {
    @usableFromInline package var cursor: UnsafePointer<UInt8>
    @usableFromInline package var end: UnsafePointer<UInt8>

    /// The next tag, or ``Tag/end``.
    @usableFromInline package var tag = Tag.end
    @usableFromInline package var tagStart: UnsafePointer<UInt8>
    @usableFromInline let start: UnsafePointer<UInt8>

    /// The number of the group whose fields are being read. Zero in a message, because no field has the
    /// number zero.
    @usableFromInline package var openGroup: UInt32 = 0
    @usableFromInline package var depthLeft: Int
    @usableFromInline package let keepsUnknownFields: Bool

    @inlinable
    package init(start: UnsafePointer<UInt8>, byteCount: Int, options: DecodingOptions) {
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
        _ kind: K, _ number: UInt32, _ value: inout K.Value, isOmitted: (K.Value) -> Bool
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
        if tag == Tag.listed(number, K.wireType) { try readOptional(kind, number, &value) }
    }

    @inlinable
    @inline(__always)
    public mutating func indirect<K: FieldKind>(
        _ kind: K, _ number: UInt32, _ value: inout Indirect<K.Value>
    ) throws(WireError) {
        if tag == Tag.listed(number, K.wireType) { try readIndirect(kind, number, &value) }
    }

    @inlinable
    @inline(__always)
    public mutating func repeated<K: FieldKind>(
        _ kind: K, _ number: UInt32, _ values: inout [K.Value]
    ) throws(WireError) {
        if tag == Tag.listed(number, K.wireType) { try readRepeated(kind, number, &values) }
    }

    @inlinable
    @inline(__always)
    public mutating func packable<K: PackableKind>(
        _ kind: K, _ number: UInt32, _ values: inout [K.Value], isPacked: Bool
    ) throws(WireError) {
        if tag == Tag.listed(number, .lengthDelimited) || tag == Tag.listed(number, K.wireType) {
            try readPackable(kind, number, &values)
        }
    }

    @inlinable
    public mutating func map<Key: MapKeyKind, Element: FieldKind>(
        _ number: UInt32, _ values: inout [Key.Value: Element.Value], _ key: Key, _ value: Element
    ) throws(WireError) {
        guard tag == Tag.listed(number, .lengthDelimited) else { return }
        // Limited, because all entries may have the same key. Memory for each entry would then be a multiple
        // of the bytes that the peer sent. A map with more keys grows when they are inserted.
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
            // A message is merged into the value of an earlier occurrence of the field.
            var value = choice.take().flatMap(unwrap) ?? K.initial
            try read(kind, number, into: &value)
            choice = wrap(consume value)
            try nextTag()
        }
    }
}
