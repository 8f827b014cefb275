/// The output of a connection, in the order in which it is sent. Also the state that is needed to write
/// frames: the header compressor and the peer's largest frame.
struct Outbox: Sendable, ~Copyable {
    private var bytes = GatherList()
    private var writer = FrameWriter()
    private var encoder: HPACK.Encoder
    /// The number of queued acknowledgements and resets that the peer caused.
    private(set) var answerCount = 0
    private let answerLimit: Int

    init(encoderTableByteCount: Int, answerLimit: Int) {
        encoder = HPACK.Encoder(maxTableByteCount: encoderTableByteCount)
        self.answerLimit = answerLimit
    }
}

// MARK: - The peer's settings

extension Outbox {
    /// The most bytes in the payload of one frame.
    var maxPayloadByteCount: Int { writer.maxPayloadByteCount }

    /// Applies the peer's SETTINGS_MAX_FRAME_SIZE.
    mutating func setMaxPayloadByteCount(_ byteCount: Int) {
        writer.maxPayloadByteCount = byteCount
    }

    /// Applies the peer's SETTINGS_HEADER_TABLE_SIZE.
    mutating func setPeerTableByteCount(_ byteCount: Int) {
        encoder.setPeerMaxTableByteCount(byteCount)
    }
}

// MARK: - Writing

extension Outbox {
    mutating func write(_ frame: some WritableFrame) { frame.encode(into: &bytes.tail) }

    /// Writes the bytes with which a client begins a connection (RFC 9113 §3.4).
    mutating func writeMagic() { bytes.tail += Preface.magic }

    mutating func writeHeaders(
        _ prepared: PreparedHeaders?, _ fields: HeaderList, on stream: StreamID, endStream: Bool
    ) {
        bytes.tail.appendHeaders(
            prepared, fields, on: stream, endStream: endStream, writer, &encoder)
    }

    /// Writes a DATA frame. Long content is referenced, not copied.
    mutating func writeData(_ content: [UInt8], on stream: StreamID, endStream: Bool) {
        let header = DataFrame.header(
            on: stream, byteCount: content.count, endStream: endStream)
        guard content.count < GatherList.copyThreshold else {
            header.encode(into: &bytes.tail)
            return bytes.append(referencing: content)
        }
        bytes.tail.append(header, copying: content)
    }

    /// Writes a DATA frame with the first `byteCount` bytes of `queue`. If there are no bytes, writes a frame
    /// only to end the stream.
    mutating func writeData(
        _ byteCount: Int, from queue: inout SendQueue, on stream: StreamID, endStream: Bool
    ) {
        guard byteCount > 0 || endStream else { return }
        DataFrame.header(on: stream, byteCount: byteCount, endStream: endStream)
            .encode(into: &bytes.tail)
        queue.move(byteCount, to: &bytes)
    }

    /// Counts a frame that the peer caused: an acknowledgement, or the reset of a stream.
    mutating func countAnswer() throws(HTTP2Error) {
        answerCount += 1
        guard answerCount <= answerLimit else {
            throw .connection(
                .enhanceYourCalm, "\(answerCount) answers that the peer does not read")
        }
    }
}

// MARK: - Taking

extension Outbox {
    var isEmpty: Bool { bytes.isEmpty }
    /// The number of queued bytes.
    var byteCount: Int { bytes.count }

    /// Moves all queued bytes to the end of `list`.
    mutating func take(into list: inout GatherList) {
        answerCount = 0
        list.append(moving: &bytes)
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ header: FrameHeader, copying content: [UInt8]) {
        header.encode(into: &self)
        append(contentsOf: content)
    }

    /// Appends the whole block in one access to the output, because each access updates the list of pieces.
    fileprivate mutating func appendHeaders(
        _ prepared: PreparedHeaders?, _ fields: HeaderList, on stream: StreamID, endStream: Bool,
        _ writer: FrameWriter, _ encoder: inout HPACK.Encoder
    ) {
        let start = count
        let header = writer.beginHeaders(on: stream, endStream: endStream, in: &self)
        if let prepared { encoder.encode(prepared, into: &self) }
        encoder.encode(fields, into: &self)
        writer.endHeaders(header, at: start, in: &self)
    }
}
