import SwiftletMessages

// Messages inside messages, and entries of maps.
extension DynamicDecoder {
    mutating func message(
        _ layout: FieldLayout, into storage: DynamicStorage
    ) throws(WireError) {
        if layout.type == .group {
            try group(layout.number, into: storage)
        } else {
            try nested(layout.number, into: storage)
        }
    }

    mutating func nested(_ number: UInt32, into storage: DynamicStorage) throws(WireError) {
        let byteCount = try wire.length()
        guard wire.depthLeft > 0 else { throw wire.failure(.tooDeep) }
        let outerEnd = unsafe wire.end
        let outerGroup = wire.openGroup
        unsafe wire.end = wire.cursor + byteCount
        wire.openGroup = 0
        wire.depthLeft &-= 1
        do throws(WireError) { try fields(into: storage) } catch { throw error.inside(number) }
        wire.depthLeft &+= 1
        wire.openGroup = outerGroup
        unsafe wire.end = outerEnd
    }

    private mutating func group(
        _ number: UInt32, into storage: DynamicStorage
    ) throws(WireError) {
        guard wire.depthLeft > 0 else { throw wire.failure(.tooDeep) }
        let outerGroup = wire.openGroup
        wire.openGroup = number
        wire.depthLeft &-= 1
        do throws(WireError) { try fields(into: storage) } catch { throw error.inside(number) }
        guard wire.tag == Tag.make(number, .endGroup) else {
            throw WireError(.truncated, offset: wire.offset, path: [number])
        }
        wire.depthLeft &+= 1
        wire.openGroup = outerGroup
    }

    // MARK: Maps

    mutating func map(
        _ layout: FieldLayout, _ index: Int, into storage: DynamicStorage
    ) throws(WireError) {
        guard let entry = pool.messageLayouts[layout.targetIndex].entry else { return }
        let key = pool.layouts[Int(entry.key)]
        let value = pool.layouts[Int(entry.value)]
        let tag = wire.tag
        try storage.update(layout.number, field: index, initial: .map([:])) {
            content throws(WireError) in
            try content.changeMap { values throws(WireError) in
                repeat {
                    if let (key, value) = try self.entry(layout, key, value, Int(entry.value)) {
                        values[key] = value
                    } else {
                        keepAsUnknown(in: storage)
                    }
                    try wire.nextTag()
                } while wire.tag == tag
            }
        }
        storage.clearIfEmpty(layout.number)
    }

    /// An entry of a map is a message of two fields. Nil for one that the map cannot hold, because
    /// its value is unknown to a closed enum.
    private mutating func entry(
        _ field: FieldLayout, _ key: FieldLayout, _ value: FieldLayout, _ valueIndex: Int
    ) throws(WireError) -> (DynamicMapKey, DynamicValue)? {
        let byteCount = try wire.length()
        guard wire.depthLeft > 0 else { throw wire.failure(.tooDeep) }
        let start = unsafe wire.tagStart
        let outerEnd = unsafe wire.end
        let outerGroup = wire.openGroup
        unsafe wire.end = wire.cursor + byteCount
        wire.openGroup = 0
        wire.depthLeft &-= 1
        let read: (key: DynamicValue?, value: DynamicValue?, isKnown: Bool)
        do throws(WireError) { read = try entryFields(key, value) } catch {
            throw error.inside(field.number)
        }
        wire.depthLeft &+= 1
        wire.openGroup = outerGroup
        unsafe wire.end = outerEnd
        // Where an entry begins that is kept as it was encoded.
        unsafe wire.tagStart = start
        guard read.isKnown else { return nil }
        let zero = pool.fields[Int(pool.messageLayouts[field.targetIndex].entry?.key ?? 0)]
        guard let key = DynamicMapKey(read.key ?? zero.defaultValue) else { return nil }
        return (key, read.value ?? FieldSchema(pool: pool, index: valueIndex).defaultValue)
    }

    private mutating func entryFields(
        _ key: FieldLayout, _ value: FieldLayout
    ) throws(WireError) -> (key: DynamicValue?, value: DynamicValue?, isKnown: Bool) {
        var found: (key: DynamicValue?, value: DynamicValue?, isKnown: Bool) = (nil, nil, true)
        try wire.nextTag()
        while wire.tag != Tag.end {
            if wire.tag == Tag.make(1, key.type.wireType) {
                found.key = try self.value(key)
                found.isKnown = found.isKnown && found.key != nil
            } else if wire.tag == Tag.make(2, value.type.wireType) {
                found.value = try mapValue(value, merging: found.value)
                found.isKnown = found.isKnown && found.value != nil
            } else {
                // An entry cannot store unknown fields.
                _ = unsafe try wire.skipRun()
                continue
            }
            try wire.nextTag()
        }
        return found
    }

    private mutating func mapValue(
        _ layout: FieldLayout, merging old: DynamicValue?
    ) throws(WireError) -> DynamicValue? {
        guard layout.type.isMessage, var merged = old else { return try value(layout) }
        try merged.mergeMessage { child throws(WireError) in try message(layout, into: child) }
        return merged
    }
}

extension DynamicValue {
    /// Changes the message in place.
    @inline(__always)
    mutating func mergeMessage<Failure: Error>(
        _ body: (DynamicStorage) throws(Failure) -> Void
    ) throws(Failure) {
        guard case .message(var message) = self else { return }
        // `self` drops its reference, so that the storage is uniquely referenced and not copied.
        self = .bool(false)
        defer { self = .message(message) }
        try message.mutate(body)
    }

    /// Changes the list in place.
    @inline(__always)
    mutating func changeList<Failure: Error>(
        _ body: (inout [DynamicValue]) throws(Failure) -> Void
    ) throws(Failure) {
        guard case .list(var values) = self else { return }
        self = .bool(false)
        defer { self = .list(values) }
        try body(&values)
    }

    /// Changes the map in place.
    @inline(__always)
    mutating func changeMap<Failure: Error>(
        _ body: (inout [DynamicMapKey: DynamicValue]) throws(Failure) -> Void
    ) throws(Failure) {
        guard case .map(var values) = self else { return }
        self = .bool(false)
        defer { self = .map(values) }
        try body(&values)
    }
}
