// The order of output: first control frames and header blocks, in the order in which they were written. Then
// DATA of all ready streams, one frame of each in turn.

extension Connection {
    /// Moves output to `list`: everything that is written, and DATA of queued streams until the output has
    /// about `byteCount` bytes. When that has been sent, call it again if ``hasOutput`` is true.
    ///
    /// - Parameter opensStreams: Whether waiting streams open if there is room.
    package mutating func takeOutput(
        into list: inout GatherList, upTo byteCount: Int = 256 << 10, opensStreams: Bool = true
    ) {
        if opensStreams, streams.hasWaiting, byteCount > 0 { openWaitingStreams() }
        writeQueuedData(upTo: byteCount)
        outbox.take(into: &list)
    }

    private mutating func writeQueuedData(upTo byteCount: Int) {
        guard !lifecycle.hasFailed else { return }
        while outbox.byteCount < byteCount, flow.sendableByteCount > 0,
            let slot = streams.popReady()
        {
            writeFrame(from: slot)
        }
    }

    /// The most bytes that a stream sends in its turn, even if the peer allows larger frames.
    private static let turnByteCount = 64 << 10

    /// Writes one frame of a stream's queue. The stream then moves to the end of the ready streams. A queue without
    /// DATA contains only END_STREAM or trailers, which need no window.
    mutating func writeFrame(from slot: Int) {
        let queuedByteCount = streams[queueOf: slot].byteCount
        let byteCount = min(
            queuedByteCount, outbox.maxPayloadByteCount, Self.turnByteCount,
            streams[slot].sendableByteCount, flow.sendableByteCount)
        let isLast = byteCount == queuedByteCount
        let endStream = isLast && streams[queueOf: slot].endStream
        countData(byteCount, on: slot)
        outbox.writeData(
            byteCount, from: &streams[queueOf: slot], on: streams[slot].id, endStream: endStream)
        finishTurn(of: slot, isLast: isLast)
    }

    private mutating func finishTurn(of slot: Int, isLast: Bool) {
        if streams[queueOf: slot].takeShortReport() {
            roomReports.append(streams.handle(of: slot))
        }
        guard isLast else { return streams.makeReadyIfPossible(slot) }
        if let trailers = streams[queueOf: slot].trailers.take() {
            writeHeaders(nil, trailers, on: slot, endStream: true)
        }
        streams.releaseQueue(of: slot)
        releaseIfClosed(slot)
    }
}

// MARK: - Frames of streams

extension Connection {
    mutating func writeHeaders(
        _ prepared: PreparedHeaders?, _ fields: HeaderList, on slot: Int, endStream: Bool
    ) {
        outbox.writeHeaders(prepared, fields, on: streams[slot].id, endStream: endStream)
        noteSentData()
    }

    /// If at least this many bytes of output are pending, DATA is queued, so that streams take turns.
    private static let directOutputByteCount = 64 << 10

    /// Whether a whole write may be framed at once, because no other write waits.
    func canWriteNow(_ byteCount: Int, on slot: Int) -> Bool {
        guard streams[slot].phase == .open, !streams.hasQueue(slot) else { return false }
        return byteCount == 0
            || byteCount <= min(outbox.maxPayloadByteCount, Self.turnByteCount)
                && byteCount <= streams[slot].sendableByteCount
                && byteCount <= flow.sendableByteCount
                && !streams.hasReady && outbox.byteCount < Self.directOutputByteCount
    }

    mutating func writeData(_ bytes: [UInt8], on slot: Int, endStream: Bool) {
        guard !bytes.isEmpty || endStream else { return }
        countData(bytes.count, on: slot)
        outbox.writeData(bytes, on: streams[slot].id, endStream: endStream)
    }

    /// Subtracts the bytes of a DATA frame from both windows.
    private mutating func countData(_ byteCount: Int, on slot: Int) {
        streams[slot].sendWindow.spend(byteCount)
        flow.spend(byteCount)
        abuse.sentData(byteCount)
        noteSentData()
    }

    /// PINGs are welcome again.
    private mutating func noteSentData() {
        keepAlive?.sentData()
        pingStrikes?.sentData()
    }
}
