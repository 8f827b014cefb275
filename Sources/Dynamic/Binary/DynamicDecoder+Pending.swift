import SwiftletMessages

// Messages whose fields are read at their first use.
extension DynamicDecoder {
    /// Bytes of the input, and their copy.
    @safe
    struct Window {
        let source: MessageBytes
        let start: UnsafePointer<UInt8>
        let byteCount: Int
    }

    /// Reads the fields of a pending message, whose bytes are in `range`.
    static func contents(of message: PendingMessage, _ range: Range<Int>) -> DynamicContents {
        let source = message.source
        var contents = DynamicContents(pool: source.pool, type: message.type)
        contents.reserve(min(range.count / 2, usualFieldCount))
        let options = DecodingOptions(
            maxDepth: .max, keepsUnknownFields: source.keepsUnknownFields)
        // Safe: the decoder lives only inside the closure.
        unsafe source.bytes.withUnsafeBufferPointer { buffer in
            let bytes = unsafe UnsafeBufferPointer(rebasing: buffer[range])
            guard let start = bytes.baseAddress, let whole = buffer.baseAddress else { return }
            let wire = unsafe FieldDecoder(
                start: start, byteCount: bytes.count, options: options)
            var decoder = DynamicDecoder(wire, pool: source.pool)
            decoder.nesting = .trust
            unsafe decoder.window = Window(source: source, start: whole, byteCount: buffer.count)
            do throws(WireError) {
                try decoder.fields(of: message.type, into: &contents)
            } catch {
                preconditionFailure("checked bytes cannot be read: \(error)")
            }
        }
        return contents
    }

    /// The count of fields for which a message has capacity at first.
    static var usualFieldCount: Int { 4 }

    /// Reads a message after its length, but does not read its fields.
    mutating func pending(_ layout: FieldLayout) throws(WireError) -> DynamicMessage {
        var message: DynamicMessage?
        try nested(layout) { decoder, byteCount throws(WireError) in
            let start = unsafe decoder.wire.cursor
            if decoder.nesting == .trust {
                unsafe decoder.wire.cursor += byteCount
            } else {
                try decoder.checkFields(of: layout.targetIndex)
            }
            if byteCount > 0 { message = unsafe decoder.pending(layout, start, byteCount) }
        }
        return message ?? DynamicMessage(pool: pool, type: layout.targetIndex)
    }

    @inline(__always)
    private func pending(
        _ layout: FieldLayout, _ start: UnsafePointer<UInt8>, _ byteCount: Int
    ) -> DynamicMessage {
        let offset: Int
        let source: MessageBytes
        if let window, unsafe window.start <= start,
            unsafe byteCount <= window.byteCount - (start - window.start)
        {
            unsafe offset = start - window.start
            source = window.source
        } else {
            offset = 0
            source = unsafe copy(start, byteCount)
        }
        return DynamicMessage(
            PendingMessage(
                source, type: layout.targetIndex, range: offset..<offset + byteCount))
    }

    /// Copies the bytes from the cursor to `end`, for the pending messages in these bytes.
    ///
    /// All messages of a run share one copy. A copy of the whole input could be much larger than the messages
    /// in it.
    mutating func share(upTo end: UnsafePointer<UInt8>, for layout: FieldLayout) {
        guard nesting == .check, layout.type == .message else { return }
        let start = unsafe wire.cursor
        let byteCount = unsafe end - start
        unsafe window = Window(
            source: copy(start, byteCount), start: start, byteCount: byteCount)
    }

    private func copy(_ start: UnsafePointer<UInt8>, _ byteCount: Int) -> MessageBytes {
        // Safe: the decoder has checked that these bytes are in its buffer.
        let bytes = unsafe [UInt8](UnsafeBufferPointer(start: start, count: byteCount))
        return MessageBytes(
            pool: pool, bytes: bytes, keepsUnknownFields: wire.keepsUnknownFields)
    }
}
