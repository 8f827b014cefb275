// What goes out, and in which order: control frames and header blocks as they come, then DATA of
// all streams that have some, one frame each in turn.

extension Connection {
    /// Moves what is to be written to `list`, DATA of queued streams up to about `byteCount`
    /// octets. Call again when that has been written, while ``hasOutput``.
    ///
    /// - Parameter opensStreams: Whether streams that wait in line begin, if there is room.
    package mutating func takeOutput(
        into list: inout GatherList, upTo byteCount: Int = 256 << 10, opensStreams: Bool = true
    ) {
        if opensStreams, !waiting.isEmpty, byteCount > 0 { openWaitingStreams() }
        writeQueuedData(upTo: byteCount)
        pendingAckCount = 0
        list.append(moving: &output)
    }

    /// With so much to be written no streams are opened: the requests of a client whose server does
    /// not read wait as streams, which end without a trace, and not as octets.
    static let openingByteCount = 256 << 10

    private mutating func writeQueuedData(upTo byteCount: Int) {
        guard !lifecycle.hasFailed else { return }
        while output.count < byteCount, sendWindow.available > 0,
            let slot = ready.popFirst(in: &streams.slots)
        {
            writeFrame(from: slot)
        }
    }

    /// The most that a stream sends before it is the next one's turn, however large the peer's
    /// frames may be.
    private static let turnByteCount = 64 << 10

    /// One frame of a stream's queue; the stream then goes to the end of the line. A queue without
    /// DATA holds only an end, which needs no window.
    mutating func writeFrame(from slot: Int) {
        let queue = Int(streams[slot].queue)
        let byteCount = min(
            queues[queue].byteCount, peerSettings.maxFrameByteCount, Self.turnByteCount,
            Int(max(0, streams[slot].sendWindow.available)), Int(sendWindow.available))
        let isLast = byteCount == queues[queue].byteCount
        let endStream = isLast && queues[queue].endStream
        writeDataHeader(byteCount, on: slot, endStream: endStream)
        queues[queue].move(byteCount, to: &output)
        finishTurn(of: slot, isLast: isLast)
    }

    private mutating func finishTurn(of slot: Int, isLast: Bool) {
        let queue = Int(streams[slot].queue)
        if queues[queue].reportsWhenShort, queues[queue].byteCount <= Self.shortQueueByteCount {
            queues[queue].reportsWhenShort = false
            roomReports.append(streams.handle(of: slot))
        }
        guard isLast else { return makeReadyIfPossible(slot) }
        if let trailers = queues[queue].trailers.take() {
            writeHeaders(nil, trailers, on: slot, endStream: true)
        }
        queues.release(&streams[slot])
        releaseIfClosed(slot)
    }
}

// MARK: - Frames

extension Connection {
    /// A header block in one HEADERS frame, and CONTINUATIONs where the peer's frames are too
    /// small for it.
    mutating func writeHeaders(
        _ prepared: PreparedHeaders?, _ fields: HeaderList, on slot: Int, endStream: Bool
    ) {
        let header = FrameHeader(
            type: .headers, flags: endStream ? .endStream : [], streamID: streams[slot].id,
            payloadByteCount: 0)
        output.tail.appendHeaders(
            header, prepared, fields, by: &encoder, limit: peerSettings.maxFrameByteCount)
        glitches.earn(2)
        keepAlive?.sentData()
    }

    /// Whether a whole write may be framed at once, without overtaking anybody.
    func canWriteNow(_ byteCount: Int, on slot: Int) -> Bool {
        guard streams[slot].phase == .open, streams[slot].queue < 0 else { return false }
        return byteCount == 0
            || byteCount <= min(peerSettings.maxFrameByteCount, Self.turnByteCount)
                && byteCount <= Int(max(0, streams[slot].sendWindow.available))
                && byteCount <= Int(max(0, sendWindow.available))
                && ready.isEmpty && output.count < Self.directOutputByteCount
    }

    /// Once so much waits to be written, more DATA queues, so that streams take turns.
    private static let directOutputByteCount = 64 << 10

    mutating func writeData(_ octets: [UInt8], on slot: Int, endStream: Bool) {
        guard !octets.isEmpty || endStream else { return }
        let header = spend(octets.count, on: slot, endStream: endStream)
        guard octets.count < GatherList.copyThreshold else {
            header.encode(into: &output.tail)
            return output.append(referencing: octets)
        }
        output.tail.append(header, copying: octets)
    }

    private mutating func writeDataHeader(_ byteCount: Int, on slot: Int, endStream: Bool) {
        let header = spend(byteCount, on: slot, endStream: endStream)
        if byteCount > 0 || endStream { header.encode(into: &output.tail) }
    }

    /// Counts what a frame takes of the windows. Returns its header.
    private mutating func spend(
        _ byteCount: Int, on slot: Int, endStream: Bool
    ) -> FrameHeader {
        streams[slot].sendWindow.spend(byteCount)
        sendWindow.spend(byteCount)
        // A peer may give back the windows of stream and connection separately for the prefix of
        // a message and for its content, or for every 4 KiB that it reads.
        owedUpdateCount += 4 + byteCount >> 11
        glitches.earn(4)
        keepAlive?.sentData()
        return FrameHeader(
            type: .data, flags: endStream ? .endStream : [], streamID: streams[slot].id,
            payloadByteCount: byteCount)
    }

    /// Puts a stream in line that has something to send and may send it.
    mutating func makeReadyIfPossible(_ slot: Int) {
        let queue = Int(streams[slot].queue)
        guard streams[slot].phase == .open, !streams[slot].isLinked, queue >= 0,
            queues[queue].byteCount > 0, streams[slot].sendWindow.available > 0
        else { return }
        ready.append(slot, in: &streams.slots)
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ header: FrameHeader, copying payload: [UInt8]) {
        header.encode(into: &self)
        append(copying: payload.span)
    }

    /// Appends a header block in frames of no more than `limit` octets. `header` is the first one's;
    /// it says neither how long that is nor whether it is the last.
    fileprivate mutating func appendHeaders(
        _ header: FrameHeader, _ prepared: PreparedHeaders?, _ fields: HeaderList,
        by encoder: inout HPACK.Encoder, limit: Int
    ) {
        let start = count
        header.encode(into: &self)
        if let prepared { encoder.encode(prepared, into: &self) }
        encoder.encode(fields, into: &self)
        let byteCount = count - start - FrameHeader.byteCount
        guard byteCount > limit else {
            return patchFrameHeader(
                at: start, payloadByteCount: byteCount, flags: header.flags.union(.endHeaders))
        }
        patchFrameHeader(at: start, payloadByteCount: limit, flags: header.flags)
        let rest = Array(self[(start + FrameHeader.byteCount + limit)...])
        removeSubrange((start + FrameHeader.byteCount + limit)...)
        appendContinuations(rest, on: header.streamID, limit: limit)
    }

    private mutating func appendContinuations(
        _ block: [UInt8], on stream: StreamID, limit: Int
    ) {
        var offset = 0
        while offset < block.count {
            let count = Swift.min(limit, block.count - offset)
            FrameHeader(
                type: .continuation, flags: offset + count == block.count ? .endHeaders : [],
                streamID: stream, payloadByteCount: count
            ).encode(into: &self)
            append(copying: block.span.extracting(offset..<offset + count))
            offset += count
        }
    }

    /// Fills in what was not known of the frame header at `start` when it was written.
    fileprivate mutating func patchFrameHeader(
        at start: Int, payloadByteCount: Int, flags: FrameFlags
    ) {
        self[start] = UInt8(truncatingIfNeeded: payloadByteCount >> 16)
        self[start + 1] = UInt8(truncatingIfNeeded: payloadByteCount >> 8)
        self[start + 2] = UInt8(truncatingIfNeeded: payloadByteCount)
        self[start + 4] = flags.rawValue
    }
}
