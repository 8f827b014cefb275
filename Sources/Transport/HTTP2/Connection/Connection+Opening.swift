// The opening of streams: at once, or after waiting for the peer's limit on concurrent streams.

extension Connection {
    /// How many streams the client may have open at once. Zero until the peer's SETTINGS arrive, because they
    /// may set any limit, even zero.
    var streamLimit: Int {
        guard preface == .done else { return 0 }
        return min(peerStreamLimit ?? .max, configuration.maxConcurrentStreams ?? .max)
    }

    /// Whether the next stream may open. After our GOAWAY, a waiting stream may still open, because a GOAWAY
    /// forbids new streams only to its receiver (§6.8).
    var mayOpenStream: Bool {
        streams.openCount < streamLimit && lifecycle.peer == .open && !lifecycle.hasFailed
            && outbox.byteCount < Limits.openingOutputByteCount
    }

    mutating func openStream(_ slot: Int, as id: StreamID) {
        streams.open(slot, as: id)
        streams[slot].sendWindow = FlowControlWindow(
            initial: settings.peer.initialWindowByteCount)
        streams[slot].receiveWindow = ReceiveWindow(
            byteCount: settings.acknowledged.initialWindowByteCount)
    }

    /// Opens waiting streams while there is room. Stops before a stream that awaits its fields.
    mutating func openWaitingStreams() {
        while streams.hasWaiting, mayOpenStream, streamAwaitingFields == nil,
            let id = requests.takeNext()
        {
            guard let slot = streams.popWaiting() else { return }
            openStream(slot, as: id)
            guard let head = streams[queueOf: slot].head.take() else { continue }
            writeHeaders(
                head.prepared, head.fields, on: slot, endStream: head.endStream)
            if streams[queueOf: slot].byteCount == 0 {
                writeFrame(from: slot)
            } else {
                streams.makeReadyIfPossible(slot)
            }
        }
        if requests.isExhausted { dropWaitingStreams() }
    }
}

// MARK: - Waiting streams

extension Connection {
    /// Whether the stream waits to be opened. If true, none of its bytes have been sent.
    package func isWaiting(_ handle: StreamHandle) -> Bool {
        streams.slot(of: handle).map { streams[$0].phase == .waiting } ?? false
    }

    /// Prevents a waiting stream from opening until ``setFields(_:of:)`` has replaced its fields. The fields
    /// contain the time left until the deadline.
    package mutating func awaitFields(of handle: StreamHandle) {
        guard let slot = streams.slot(of: handle), streams[slot].phase == .waiting else { return }
        streams[queueOf: slot].head?.awaitsFields = true
    }

    /// The stream that could open, but awaits its fields. Nil if there is none.
    package var streamAwaitingFields: StreamHandle? {
        guard let slot = streams.firstWaiting, mayOpenStream, !requests.isExhausted,
            streams[queueOf: slot].head?.awaitsFields == true
        else { return nil }
        return streams.handle(of: slot)
    }

    /// Replaces the fields of a stream that awaits them.
    package mutating func setFields(_ fields: HeaderList, of handle: StreamHandle) {
        guard let slot = streams.slot(of: handle), streams[slot].phase == .waiting else { return }
        streams[queueOf: slot].head?.fields = fields
        streams[queueOf: slot].head?.awaitsFields = false
    }
}
