import SwiftletMessages

// Messages inside messages, and entries of maps.
extension DynamicDecoder {
    /// How many fields a message has room for at first.
    static var usualFieldCount: Int { 4 }
    /// The most fields that a message has room for because the one before it had as many.
    private static var maxExpectedFieldCount: Int { 32 }

    /// Reads elements of a list as long as the tag is the same.
    mutating func messages(
        _ layout: FieldLayout, into values: inout [DynamicValue]
    ) throws(WireError) {
        let tag = wire.tag
        var expected = Self.usualFieldCount
        repeat {
            var child = DynamicContents()
            try message(layout, into: &child, expecting: expected)
            expected = min(child.entries.count, Self.maxExpectedFieldCount)
            values.append(.message(make(layout, child)))
            try wire.nextTag()
        } while wire.tag == tag
    }

    /// Reads a field that is one message. It is merged with the one that is present.
    ///
    /// If `body` fails, what it has read before stays, as in every other field.
    @inline(__always)
    mutating func singleMessage(
        _ layout: FieldLayout, _ index: Int, into contents: inout DynamicContents,
        _ body: (inout DynamicDecoder, inout DynamicContents) throws(WireError) -> Void
    ) throws(WireError) {
        let (position, isPresent) = contents.position(of: layout.number)
        if isPresent {
            var value = contents.take(at: position)
            defer { contents.put(value, at: position) }
            try value.mergeMessage { child throws(WireError) in try body(&self, &child) }
        } else {
            var child = DynamicContents()
            defer {
                contents.insert(
                    .message(make(layout, child)), number: layout.number, field: index,
                    at: position)
            }
            try body(&self, &child)
        }
    }

    @inline(__always)
    func make(_ layout: FieldLayout, _ contents: DynamicContents) -> DynamicMessage {
        DynamicMessage(pool: pool, type: layout.targetIndex, contents: contents)
    }

    @inline(__always)
    mutating func message(
        _ layout: FieldLayout, into contents: inout DynamicContents, expecting fieldCount: Int
    ) throws(WireError) {
        if layout.type == .group {
            try group(layout, into: &contents)
        } else {
            try nested(layout, into: &contents, expecting: fieldCount)
        }
    }

    mutating func nested(
        _ layout: FieldLayout, into contents: inout DynamicContents, expecting fieldCount: Int
    ) throws(WireError) {
        let byteCount = try wire.length()
        guard wire.depthLeft > 0 else { throw wire.failure(.tooDeep) }
        let outerEnd = unsafe wire.end
        let outerGroup = wire.openGroup
        unsafe wire.end = wire.cursor + byteCount
        wire.openGroup = 0
        wire.depthLeft &-= 1
        // A field has two bytes or more.
        contents.reserve(min(fieldCount, byteCount / 2))
        do throws(WireError) { try fields(of: layout.targetIndex, into: &contents) } catch {
            throw error.inside(layout.number)
        }
        wire.depthLeft &+= 1
        wire.openGroup = outerGroup
        unsafe wire.end = outerEnd
    }

    private mutating func group(
        _ layout: FieldLayout, into contents: inout DynamicContents
    ) throws(WireError) {
        let number = layout.number
        guard wire.depthLeft > 0 else { throw wire.failure(.tooDeep) }
        let outerGroup = wire.openGroup
        wire.openGroup = number
        wire.depthLeft &-= 1
        do throws(WireError) { try fields(of: layout.targetIndex, into: &contents) } catch {
            throw error.inside(number)
        }
        guard wire.tag == Tag.make(number, .endGroup) else {
            throw WireError(.truncated, offset: wire.offset, path: [number])
        }
        wire.depthLeft &+= 1
        wire.openGroup = outerGroup
    }

    // MARK: Maps

    mutating func map(
        _ layout: FieldLayout, _ index: Int, into contents: inout DynamicContents
    ) throws(WireError) {
        guard let entry = messageLayouts[layout.targetIndex].entry else { return }
        let key = layouts[Int(entry.key)]
        let value = layouts[Int(entry.value)]
        let tag = wire.tag
        let (position, isPresent) = contents.position(of: layout.number)
        var values: [DynamicMapKey: DynamicValue] = [:]
        if isPresent, case .map(let old) = contents.take(at: position) { values = old }
        defer {
            if isPresent {
                contents.put(.map(values), at: position)
            } else if !values.isEmpty {
                contents.insert(.map(values), number: layout.number, field: index, at: position)
            }
        }
        repeat {
            if let (key, value) = try self.entry(layout, key, value, entry) {
                values[key] = value
            } else {
                keepAsUnknown(in: &contents)
            }
            try wire.nextTag()
        } while wire.tag == tag
    }

    /// An entry of a map is a message of two fields. Nil for one that the map cannot hold, because
    /// its value is unknown to a closed enum.
    private mutating func entry(
        _ field: FieldLayout, _ key: FieldLayout, _ value: FieldLayout,
        _ indices: (key: Int32, value: Int32)
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
        guard let key = DynamicMapKey(read.key ?? defaultValue(indices.key)) else { return nil }
        return (key, read.value ?? defaultValue(indices.value))
    }

    private func defaultValue(_ index: Int32) -> DynamicValue {
        FieldSchema(pool: pool, index: Int(index)).defaultValue
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
        try merged.mergeMessage { child throws(WireError) in
            try message(layout, into: &child, expecting: Self.usualFieldCount)
        }
        return merged
    }
}

extension DynamicValue {
    /// Changes the message in place.
    @inline(__always)
    mutating func mergeMessage<Failure: Error>(
        _ body: (inout DynamicContents) throws(Failure) -> Void
    ) throws(Failure) {
        guard case .message(var message) = self else { return }
        // `self` drops its reference, so that the storage is uniquely referenced and not copied.
        self = .bool(false)
        defer { self = .message(message) }
        try message.mutate(body)
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
