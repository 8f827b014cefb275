// Values that consist of fields: messages, groups and map entries.
extension FieldDecoder {
    /// Reads one value. Varints and fixed-width values are read here and not in `FieldKind.read`,
    /// to save a function call.
    @inlinable
    @inline(__always)
    mutating func read<K: FieldKind>(
        _: K, _ number: UInt32, into value: inout K.Value
    ) throws(WireError) {
        switch K.wireType {
        case .varint: value = K.value(of: try varint())
        case .fixed32: value = K.value(of: UInt64(try fixed32()))
        case .fixed64: value = K.value(of: try fixed64())
        default: try K.read(into: &value, number, &self)
        }
    }

    /// Reads fields up to the end of the message or group.
    @inlinable
    mutating func fields<M: Message>(into message: inout M) throws(WireError) {
        #if DEBUG
            MessageCheck.onFirstUse(of: M.self)
        #endif
        try nextTag()
        while tag != Tag.end {
            let before = unsafe tagStart
            try message.visit(&self)
            // Visits again as long as a visit makes progress, because fields may arrive in any order.
            guard unsafe (tagStart == before), tag != Tag.end else { continue }
            // Outside of a group, `openGroup` is 0, which is no valid field number. So no tag ends the
            // message.
            if openGroup != 0, tag == Tag.make(openGroup, .endGroup) { return }
            let unknown = unsafe try skipRun()
            if keepsUnknownFields { unsafe message.unknownFields.append(unknown) }
        }
    }

    @inlinable
    mutating func nested<M: Message>(
        into message: inout M, _ number: UInt32
    ) throws(WireError) {
        let byteCount = try length()
        guard depthLeft > 0 else { throw failure(.tooDeep) }
        let outerEnd = unsafe end
        let outerGroup = openGroup
        unsafe end = cursor + byteCount
        openGroup = 0
        depthLeft &-= 1
        do throws(WireError) { try fields(into: &message) } catch { throw error.inside(number) }
        depthLeft &+= 1
        openGroup = outerGroup
        unsafe end = outerEnd
    }

    @inlinable
    mutating func group<M: Message>(
        into message: inout M, _ number: UInt32
    ) throws(WireError) {
        guard depthLeft > 0 else { throw failure(.tooDeep) }
        let outerGroup = openGroup
        openGroup = number
        depthLeft &-= 1
        do throws(WireError) { try fields(into: &message) } catch { throw error.inside(number) }
        guard tag == Tag.make(number, .endGroup) else {
            throw WireError(.truncated, offset: offset, path: [number])
        }
        depthLeft &+= 1
        openGroup = outerGroup
    }

    /// An entry of a map is a message of two fields, the key and the value.
    @inlinable
    @inline(__always)
    mutating func entry<Key: MapKeyKind, Element: FieldKind>(
        _ number: UInt32, _ key: Key, _ value: Element
    ) throws(WireError) -> MapEntry<Key.Value, Element.Value> {
        let byteCount = try length()
        let outerEnd = unsafe end
        unsafe end = cursor + byteCount
        var entry = MapEntry(key: Key.initial, value: Element.initial)
        do throws(WireError) { try read(key, value, into: &entry) } catch {
            throw error.inside(number)
        }
        guard Key.isBounded(entry.key) else {
            throw WireError(.invalidValue, offset: offset, path: [number])
        }
        unsafe end = outerEnd
        return entry
    }

    @inlinable
    @inline(__always)
    mutating func read<Key: MapKeyKind, Element: FieldKind>(
        _ key: Key, _ value: Element, into entry: inout MapEntry<Key.Value, Element.Value>
    ) throws(WireError) {
        try nextTag()
        while tag != Tag.end {
            if tag == Tag.make(1, Key.wireType) {
                try read(key, 1, into: &entry.key)
                try nextTag()
            } else if tag == Tag.make(2, Element.wireType) {
                try read(value, 2, into: &entry.value)
                try nextTag()
            } else {
                // A map entry cannot store unknown fields.
                _ = unsafe try skipRun()
            }
        }
    }
}

@frozen
@usableFromInline
struct MapEntry<Key, Value> {
    @usableFromInline var key: Key
    @usableFromInline var value: Value

    @inlinable
    init(key: Key, value: Value) {
        self.key = key
        self.value = value
    }
}

extension Dictionary {
    /// Inserts an entry, which replaces an earlier one with an equal key. The earlier key is removed first.
    /// Otherwise the dictionary would keep that key, whose bytes may differ.
    @inlinable
    @inline(__always)
    mutating func insert(_ entry: MapEntry<Key, Value>) {
        let old = updateValue(entry.value, forKey: entry.key)
        guard Key.self == String.self, old != nil else { return }
        let new = removeValue(forKey: entry.key)
        self[entry.key] = new
    }
}
