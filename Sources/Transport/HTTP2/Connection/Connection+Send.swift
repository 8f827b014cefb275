extension Connection {
    /// Why a stream cannot be opened. The request was not sent, so it may be sent on another connection.
    package enum OpenRefusal: Error, Equatable, Sendable {
        /// One side has sent GOAWAY.
        case draining
        /// All identifiers have been used (§5.1.1).
        case identifiersExhausted
        /// The header list is larger than the peer accepts (SETTINGS_MAX_HEADER_LIST_SIZE).
        case headerListTooLarge(limit: Int)
        case failed
    }

    /// The outcome of sending DATA.
    package enum SendOutcome: Equatable, Sendable {
        /// All bytes are in the next output.
        case sent
        /// Some bytes wait for a window, or for their turn. The stream has this many bytes queued.
        case queued(Int)
        /// The stream has ended, or its sending direction has.
        case closed
    }

    /// Opens a stream with a request. If the peer's limit on concurrent streams is reached, the stream waits,
    /// together with everything that is sent on it.
    ///
    /// - Parameters:
    ///   - prepared: The fields that repeat from request to request. They come first.
    ///   - fields: The other fields.
    ///   - isHead: Whether the method is HEAD. If true, the response has no content, even if it declares a
    ///     length.
    package mutating func openStream(
        _ prepared: PreparedHeaders?, _ fields: HeaderList, endStream: Bool, isHead: Bool = false
    ) throws(OpenRefusal) -> StreamHandle {
        assert(configuration.role == .client, "only clients open streams")
        guard !lifecycle.hasFailed else { throw .failed }
        guard !lifecycle.isDraining else { throw .draining }
        guard !requests.isExhausted else { throw .identifiersExhausted }
        if let limit = peerHeaderListLimit,
            (prepared?.list.byteCount ?? 0) + fields.byteCount > limit
        {
            throw .headerListTooLarge(limit: limit)
        }

        let slot = streams.allocate()
        streams[slot].hasBodilessResponse = isHead
        _ = streams[slot].state.sendHeaders(endStream: endStream)
        if !streams.hasWaiting, mayOpenStream, let id = requests.takeNext() {
            openStream(slot, as: id)
            writeHeaders(prepared, fields, on: slot, endStream: endStream)
        } else {
            streams.obtainQueue(of: slot)
            streams[queueOf: slot].head = SendQueue.Head(
                prepared: prepared, fields: fields, endStream: endStream)
            streams.appendWaiting(slot)
        }
        return streams.handle(of: slot)
    }

    /// Sends the headers of a response, or trailers. Trailers follow all DATA and end the stream. Returns
    /// false if the stream has ended or headers may not be sent now.
    package mutating func sendHeaders(
        _ prepared: PreparedHeaders?, _ fields: HeaderList, on handle: StreamHandle,
        endStream: Bool
    ) -> Bool {
        guard !lifecycle.hasFailed, let slot = streams.slot(of: handle),
            streams[slot].state.sendHeaders(endStream: endStream)
        else { return false }
        if streams.hasQueue(slot),
            streams[slot].phase == .waiting || !streams[queueOf: slot].isEmpty
        {
            assert(endStream, "only trailers follow DATA")
            var trailers = prepared?.list ?? HeaderList()
            trailers.append(contentsOf: fields)
            streams[queueOf: slot].trailers = trailers
        } else {
            writeHeaders(prepared, fields, on: slot, endStream: endStream)
            if endStream { releaseIfClosed(slot) }
        }
        return true
    }

    /// Sends bytes on a stream. If the windows allow it and no other stream waits for its turn, they are
    /// framed at once. Otherwise they are queued.
    package mutating func sendData(
        _ bytes: [UInt8], on handle: StreamHandle, endStream: Bool
    ) -> SendOutcome {
        guard !lifecycle.hasFailed, let slot = streams.slot(of: handle),
            streams[slot].state.sendData(endStream: endStream)
        else { return .closed }
        if canWriteNow(bytes.count, on: slot) {
            writeData(bytes, on: slot, endStream: endStream)
            if endStream { releaseIfClosed(slot) }
            return .sent
        }
        return queueData(CollectionOfOne(bytes), on: slot, endStream: endStream)
    }

    /// Queues the bytes of several arrays. Unlike the function for one array, it never frames them at once.
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
        streams.obtainQueue(of: slot)
        for bytes in parts { streams[queueOf: slot].append(bytes) }
        if endStream { streams[queueOf: slot].endStream = true }
        streams.makeReadyIfPossible(slot)
        return .queued(streams[queueOf: slot].byteCount)
    }

    /// Whether data of a stream waits for a window or for a flush. False for a closed stream.
    package func hasQueuedData(_ handle: StreamHandle) -> Bool {
        guard let slot = streams.slot(of: handle), streams.hasQueue(slot) else { return false }
        return streams[queueOf: slot].byteCount > 0
    }

    /// Whether the stream is open and this side has ended it.
    package func hasSentEnd(of handle: StreamHandle) -> Bool {
        streams.slot(of: handle).map { streams[$0].state.send == .ended } ?? false
    }

    /// Requests a report by ``nextRoomReport()`` when the stream's queue has become short. Returns false if
    /// it is short already.
    package mutating func reportWhenSendQueueIsShort(_ handle: StreamHandle) -> Bool {
        guard let slot = streams.slot(of: handle), streams.hasQueue(slot),
            streams[queueOf: slot].byteCount > SendQueue.shortByteCount
        else { return false }
        streams[queueOf: slot].reportsWhenShort = true
        return true
    }
}
