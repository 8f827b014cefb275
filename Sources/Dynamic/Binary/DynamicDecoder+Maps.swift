import SwiftletMessages

// Maps. An entry is a message of two fields.
extension DynamicDecoder {
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
        // Limited, because all entries may have the same key. The reserved memory would then be many times
        // the bytes that the peer sent. A map with more entries grows when they are added.
        let (runLength, end) = unsafe wire.run()
        let run = min(runLength, 4096)
        if run > values.count { values.reserveCapacity(values.count &+ run) }
        unsafe share(upTo: end, for: value)
        repeat {
            if let (key, value) = try self.entry(layout, key, value, entry) {
                values[key] = value
            } else {
                keepAsUnknown(in: &contents)
            }
            try wire.nextTag()
        } while wire.tag == tag
    }

    /// Nil for an entry that the map cannot hold, because its value is unknown to a closed enum.
    @inline(__always)
    private mutating func entry(
        _ field: FieldLayout, _ key: FieldLayout, _ value: FieldLayout,
        _ indices: (key: Int32, value: Int32)
    ) throws(WireError) -> (DynamicMapKey, DynamicValue)? {
        let start = unsafe wire.tagStart
        var read: (key: DynamicValue?, value: DynamicValue?, isKnown: Bool) = (nil, nil, true)
        try nested(field) { decoder, _ throws(WireError) in
            read = try decoder.entryFields(key, value)
        }
        // The start of the entry: `keepAsUnknown` copies the bytes from here.
        unsafe wire.tagStart = start
        guard read.isKnown else { return nil }
        guard let key = DynamicMapKey(read.key ?? defaultValue(indices.key)) else { return nil }
        if read.value == nil, value.needsRequiredCheck { needsRequiredCheck = true }
        return (key, read.value ?? defaultValue(indices.value))
    }

    @inline(never)
    private func defaultValue(_ index: Int32) -> DynamicValue {
        FieldSchema(pool: pool, index: Int(index)).defaultValue
    }

    @inline(__always)
    private mutating func entryFields(
        _ key: FieldLayout, _ value: FieldLayout
    ) throws(WireError) -> (key: DynamicValue?, value: DynamicValue?, isKnown: Bool) {
        var found: (key: DynamicValue?, value: DynamicValue?, isKnown: Bool) = (nil, nil, true)
        try wire.nextTag()
        while wire.tag != Tag.end {
            if wire.tag == Tag.make(1, key.type.wireType) {
                found.key = try scalar(key)
                found.isKnown = found.isKnown && found.key != nil
            } else if wire.tag == Tag.make(2, value.type.wireType) {
                found.value = try mapValue(value, merging: found.value.take())
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

    /// - Parameter old: The value of an earlier field of the entry. Passed on without another reference, so that
    ///   a message is not copied for each field.
    private mutating func mapValue(
        _ layout: FieldLayout, merging old: consuming DynamicValue?
    ) throws(WireError) -> DynamicValue? {
        guard layout.type.isMessage else { return try scalar(layout) }
        guard var merged = old.take() else { return .message(try message(layout)) }
        try merged.mergeMessage { child throws(WireError) in try message(layout, into: &child) }
        return merged
    }
}
