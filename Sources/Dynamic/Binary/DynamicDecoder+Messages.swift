import SwiftletMessages

// Messages inside messages.
extension DynamicDecoder {
    /// Reads elements of a list while the tag is the same.
    mutating func messages(
        _ layout: FieldLayout, into values: inout [DynamicValue]
    ) throws(WireError) {
        let tag = wire.tag
        let run = unsafe wire.run()
        // Only for the first part of a list. If each part reserved capacity, each would copy the list.
        if values.isEmpty { values.reserveCapacity(unsafe run.count) }
        unsafe share(upTo: run.end, for: layout)
        repeat {
            values.append(.message(try message(layout)))
            try wire.nextTag()
        } while wire.tag == tag
    }

    /// Reads a field with a single message. If the field is already present, the messages are merged.
    ///
    /// If reading fails, the fields before the error are kept.
    mutating func singleMessage(
        _ layout: FieldLayout, _ index: Int, into contents: inout DynamicContents
    ) throws(WireError) {
        let (position, isPresent) = contents.position(of: layout.number)
        if isPresent {
            var value = contents.take(at: position)
            defer { contents.put(value, at: position) }
            return try value.mergeMessage { child throws(WireError) in
                try message(layout, into: &child)
            }
        }
        if layout.type == .message, nesting != .read {
            let before = wire
            if let child = try? pending(layout) {
                return contents.insert(
                    .message(child), number: layout.number, field: index, at: position)
            }
            // The message is malformed. Its fields are read now, so that the fields before the error are
            // kept. `.read` also applies to the messages inside it, so that none of them is first checked and
            // then read again.
            wire = before
            nesting = .read
        }
        var child = DynamicContents(pool: pool, type: layout.targetIndex)
        defer {
            contents.insert(
                .message(DynamicMessage(child)), number: layout.number, field: index, at: position)
        }
        try message(layout, into: &child)
    }

    /// Reads a message that is not merged with an earlier message.
    @inline(__always)
    mutating func message(_ layout: FieldLayout) throws(WireError) -> DynamicMessage {
        if layout.type == .message, nesting != .read { return try pending(layout) }
        var child = DynamicContents(pool: pool, type: layout.targetIndex)
        try message(layout, into: &child)
        return DynamicMessage(child)
    }

    /// Reads the fields of a message into contents that can already have fields.
    @inline(__always)
    mutating func message(
        _ layout: FieldLayout, into contents: inout DynamicContents
    ) throws(WireError) {
        if layout.type == .group {
            try group(layout) { decoder throws(WireError) in
                try decoder.fields(of: layout.targetIndex, into: &contents)
            }
        } else {
            try nested(layout) { decoder, _ throws(WireError) in
                try decoder.fields(of: layout.targetIndex, into: &contents)
            }
        }
    }

    /// Reads a length, and calls `body` with it for the bytes that follow.
    @inline(__always)
    mutating func nested(
        _ layout: FieldLayout,
        _ body: (inout DynamicDecoder, _ byteCount: Int) throws(WireError) -> Void
    ) throws(WireError) {
        let byteCount = try wire.length()
        guard wire.depthLeft > 0 else { throw wire.failure(.tooDeep) }
        let outerEnd = unsafe wire.end
        let outerGroup = wire.openGroup
        unsafe wire.end = wire.cursor + byteCount
        wire.openGroup = 0
        wire.depthLeft &-= 1
        do throws(WireError) { try body(&self, byteCount) } catch {
            throw error.inside(layout.number)
        }
        wire.depthLeft &+= 1
        wire.openGroup = outerGroup
        unsafe wire.end = outerEnd
    }

    @inline(__always)
    mutating func group(
        _ layout: FieldLayout, _ body: (inout DynamicDecoder) throws(WireError) -> Void
    ) throws(WireError) {
        let number = layout.number
        guard wire.depthLeft > 0 else { throw wire.failure(.tooDeep) }
        let outerGroup = wire.openGroup
        wire.openGroup = number
        wire.depthLeft &-= 1
        do throws(WireError) { try body(&self) } catch { throw error.inside(number) }
        guard wire.tag == Tag.make(number, .endGroup) else {
            throw WireError(.truncated, offset: wire.offset, path: [number])
        }
        wire.depthLeft &+= 1
        wire.openGroup = outerGroup
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
