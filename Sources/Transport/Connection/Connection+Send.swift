extension Connection {
    /// Why a stream cannot be opened. The request was not sent, so it may go elsewhere.
    package enum OpenRefusal: Error, Hashable, Sendable {
        /// One side has said GOAWAY.
        case draining
        /// All identifiers have been used (§5.1.1).
        case identifiersExhausted
        case failed
    }

    /// What became of DATA that was handed over.
    package enum SendOutcome: Hashable, Sendable {
        /// All of it goes out with the next output.
        case sent
        /// Some of it waits for a window or its turn: so many octets of this stream in all.
        case queued(Int)
        /// The stream is over, or its sending half is.
        case closed
    }

    /// Opens a stream with a request. Over the peer's limit on concurrent streams it waits in
    /// line, and everything sent on it waits with it.
    ///
    /// - Parameters:
    ///   - prepared: The fields that repeat from request to request; they come first.
    ///   - fields: The others.
    package mutating func openStream(
        _ prepared: PreparedHeaders?, _ fields: HeaderList, endStream: Bool
    ) throws(OpenRefusal) -> StreamHandle {
        assert(configuration.role == .client, "only clients open streams here")
        guard !lifecycle.hasFailed else { throw .failed }
        guard !lifecycle.isDraining else { throw .draining }
        guard nextRequestID != nil else { throw .identifiersExhausted }

        let slot = streams.allocate()
        _ = streams[slot].state.sendHeaders(endStream: endStream)
        if waiting.isEmpty, mayOpenStream, let id = nextRequestID {
            nextRequestID = id.successor
            openStream(slot, as: id)
            writeHeaders(prepared, fields, on: slot, endStream: endStream)
        } else {
            let queue = queues.obtain(for: &streams[slot])
            queues[queue].head = SendQueue.Head(
                prepared: prepared, fields: fields, endStream: endStream)
            waiting.append(slot, in: &streams.slots)
        }
        return streams.handle(of: slot)
    }

    /// Sends a response's headers, or trailers, which end the stream and go behind all DATA.
    /// False when the stream is over or the order is wrong.
    package mutating func sendHeaders(
        _ prepared: PreparedHeaders?, _ fields: HeaderList, on handle: StreamHandle,
        endStream: Bool
    ) -> Bool {
        guard !lifecycle.hasFailed, let slot = streams.slot(of: handle),
            streams[slot].state.sendHeaders(endStream: endStream)
        else { return false }
        let queue = Int(streams[slot].queue)
        if queue >= 0, streams[slot].phase == .waiting || !queues[queue].isEmpty {
            assert(endStream, "only trailers come behind DATA")
            var trailers = prepared?.list ?? HeaderList()
            trailers.append(contentsOf: fields)
            queues[queue].trailers = trailers
        } else {
            writeHeaders(prepared, fields, on: slot, endStream: endStream)
            if endStream { releaseIfClosed(slot) }
        }
        return true
    }

    /// Sends octets on a stream: framed at once while the windows allow it and nothing else waits
    /// for them, otherwise queued.
    package mutating func sendData(
        _ octets: [UInt8], on handle: StreamHandle, endStream: Bool
    ) -> SendOutcome {
        guard !lifecycle.hasFailed, let slot = streams.slot(of: handle),
            streams[slot].state.sendData(endStream: endStream)
        else { return .closed }
        if canWriteNow(octets.count, on: slot) {
            writeData(octets, on: slot, endStream: endStream)
            if endStream { releaseIfClosed(slot) }
            return .sent
        }
        return queueData(CollectionOfOne(octets), on: slot, endStream: endStream)
    }

    /// The same with octets that lie in several arrays, and are too many to be framed at once.
    package mutating func sendData(
        parts: [[UInt8]], on handle: StreamHandle, endStream: Bool
    ) -> SendOutcome {
        guard !lifecycle.hasFailed, let slot = streams.slot(of: handle),
            streams[slot].state.sendData(endStream: endStream)
        else { return .closed }
        return queueData(parts, on: slot, endStream: endStream)
    }

    private mutating func queueData(
        _ parts: some Sequence<[UInt8]>, on slot: Int, endStream: Bool
    ) -> SendOutcome {
        let queue = queues.obtain(for: &streams[slot])
        for octets in parts { queues[queue].append(octets) }
        if endStream { queues[queue].endStream = true }
        makeReadyIfPossible(slot)
        return .queued(queues[queue].byteCount)
    }

    /// Asks for a report by ``nextRoomReport()`` when the stream's queue has become short. False
    /// when it is short already.
    package mutating func reportWhenSendQueueIsShort(_ handle: StreamHandle) -> Bool {
        guard let slot = streams.slot(of: handle), streams[slot].queue >= 0 else { return false }
        let queue = Int(streams[slot].queue)
        guard queues[queue].byteCount > Self.shortQueueByteCount else { return false }
        queues[queue].reportsWhenShort = true
        return true
    }

    /// Whether the stream waits to be opened, so that nothing of it has been sent.
    package func isInLine(_ handle: StreamHandle) -> Bool {
        streams.slot(of: handle).map { streams[$0].phase == .waiting } ?? false
    }

    /// Has the fields of a stream in line made when it is opened: some say how much time is left.
    package mutating func setLateFields(
        of handle: StreamHandle, _ make: @escaping @Sendable () -> HeaderList
    ) {
        guard let slot = streams.slot(of: handle), streams[slot].phase == .waiting else { return }
        queues[Int(streams[slot].queue)].head?.lateFields = make
    }

    /// Ends the stream at once, both ways. Does nothing when it is over already.
    package mutating func reset(_ handle: StreamHandle, _ code: ErrorCode) {
        guard let slot = streams.slot(of: handle) else { return }
        writeReset(of: slot, code)
    }

    /// Below this, a stream's queue is short.
    static let shortQueueByteCount = 16 << 10
}

// MARK: - Streams begin

extension Connection {
    /// How many streams the client may have open at once. None before the peer's SETTINGS, which
    /// could allow fewer than any number that we might assume.
    var requestLimit: Int {
        guard preface == .done else { return 0 }
        return min(peerStreamLimit ?? .max, configuration.maxConcurrentStreams ?? .max)
    }

    mutating func openStream(_ slot: Int, as id: StreamID) {
        streams.open(slot, as: id)
        streams[slot].sendWindow = FlowControlWindow(initial: peerSettings.initialWindowByteCount)
        streams[slot].receiveWindow = ReceiveWindow(
            byteCount: acknowledgedSettings.initialWindowByteCount)
        requestCount += 1
        mostRequestCount = max(mostRequestCount, requestCount)
    }

    /// Whether the next stream may begin. Also when we are leaving, if it was asked for before: a
    /// GOAWAY forbids new streams to its receiver alone (§6.8).
    var mayOpenStream: Bool {
        requestCount < requestLimit && lifecycle.peer == .open && !lifecycle.hasFailed
            && output.count < Self.openingByteCount
    }

    /// Opens streams that waited, as far as there is room.
    mutating func openWaitingStreams() {
        while !waiting.isEmpty, mayOpenStream, let id = nextRequestID {
            guard let slot = waiting.popFirst(in: &streams.slots) else { return }
            nextRequestID = id.successor
            openStream(slot, as: id)
            let queue = Int(streams[slot].queue)
            guard let head = queues[queue].head.take() else { continue }
            writeHeaders(
                head.prepared, head.lateFields?() ?? head.fields, on: slot,
                endStream: head.endStream)
            if queues[queue].byteCount == 0 {
                writeFrame(from: slot)
            } else {
                makeReadyIfPossible(slot)
            }
        }
        if nextRequestID == nil { dropWaitingStreams() }
    }
}
