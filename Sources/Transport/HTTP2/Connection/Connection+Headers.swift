// Handles header blocks that arrive.

extension Connection {
    mutating func receiveHeaders(
        _ frame: HeadersFrame, _ payload: Span<UInt8>, now: Instant
    ) throws(HTTP2Error) -> Event? {
        let opening = HeaderBlockAssembler.Opening(
            streamID: frame.streamID, endStream: frame.endStream)
        guard frame.endHeaders else {
            try headers.begin(opening, payload.extracting(frame.fragment))
            return nil
        }
        return try receiveBlock(opening, payload.extracting(frame.fragment), now: now)
    }

    mutating func receiveContinuation(
        _ frame: ContinuationFrame, _ payload: Span<UInt8>, now: Instant
    ) throws(HTTP2Error) -> Event? {
        guard let (opening, block) = try headers.continue(frame, payload) else { return nil }
        return try receiveBlock(opening, block.contiguous.span, now: now)
    }

    /// Processes a complete header block. The block is decoded even if its stream has ended, because decoding
    /// changes the table that all later blocks depend on (§4.3).
    private mutating func receiveBlock(
        _ opening: HeaderBlockAssembler.Opening, _ block: Span<UInt8>, now: Instant
    ) throws(HTTP2Error) -> Event? {
        let reading = try headers.read(block)
        guard let slot = try slotForHeaders(on: opening.streamID) else { return nil }
        // §5.1: the stream is half-closed (remote), so no block is allowed.
        guard streams[slot].state.receive != .ended else {
            throw .stream(opening.streamID, .streamClosed, "HEADERS after END_STREAM")
        }
        guard !reading.isTooLarge else {
            throw .stream(
                opening.streamID, .enhanceYourCalm,
                "header list above \(headers.listByteLimit) bytes")
        }
        let (isInterim, kind) = try checkHeaders(of: slot, opening)
        let meaning = try streams[slot].state.receiveHeaders(
            on: opening.streamID, isInterim: isInterim, endStream: opening.endStream)
        guard meaning != .interim else {
            try abuse.charge(now: now)
            return nil
        }
        if !reading.isRepeated {
            let hasLength = kind != .trailers ? try noteContentLength(of: slot) : false
            if kind != .request, !hasLength { headers.noteValid(block, reading, as: kind) }
        }
        if opening.endStream { try checkContentLength(of: slot) }
        let event = Event.headers(
            streams.handle(of: slot), meaning, endStream: opening.endStream)
        if opening.endStream { releaseIfClosed(slot) }
        return event
    }

    private mutating func checkHeaders(
        of slot: Int, _ opening: HeaderBlockAssembler.Opening
    ) throws(HTTP2Error) -> (isInterim: Bool, HeaderRules.Kind) {
        let kind: HeaderRules.Kind =
            streams[slot].state.receive != .awaitingHeaders
            ? .trailers : configuration.role == .client ? .response : .request
        // A repeated block was valid before, and is no interim response.
        if headers.repeatedKind == kind { return (false, kind) }
        do throws(HeaderRules.Violation) {
            try HeaderRules.check(receivedHeaders, as: kind)
        } catch {
            throw .stream(opening.streamID, .protocolError, "malformed header block: \(error)")
        }
        guard kind == .response else { return (false, kind) }
        let status = HeaderRules.status(of: receivedHeaders) ?? 0
        return ((100..<200).contains(status), kind)
    }
}

// MARK: - The stream of a block

extension Connection {
    /// The slot of the stream that a header block belongs to. On a server, opens the stream if it
    /// is new. Nil when the block is ignored.
    private mutating func slotForHeaders(on id: StreamID) throws(HTTP2Error) -> Int? {
        if let slot = streams.slot(of: id) { return slot }
        guard requests.isIdle(id) else {
            try receiveHeadersOnClosedStream(id)
            return nil
        }
        guard configuration.role == .server, id.isClientInitiated else {
            throw .connection(.protocolError, "HEADERS on idle stream \(id)")
        }
        return try acceptRequest(id)
    }

    /// Opens the stream of a request on a server.
    private mutating func acceptRequest(_ id: StreamID) throws(HTTP2Error) -> Int? {
        requests.accept(id)
        if case .goingAway(let last) = lifecycle.own, id > last {
            // §6.8: the client sent the request before it received our GOAWAY. The GOAWAY reports that the
            // request was not processed.
            allowLateFrames(byteCount: settings.acknowledged.initialWindowByteCount)
            return nil
        }
        let limit = acceptLimit
        guard streams.openCount < limit else {
            allowLateFrames(byteCount: settings.acknowledged.initialWindowByteCount)
            throw .stream(id, .refusedStream, "more than \(limit) concurrent streams")
        }
        let slot = streams.allocate()
        openStream(slot, as: id)
        return slot
    }

    /// The number of streams that the client may have open. §6.5.2: the client knows no limit before it
    /// receives our SETTINGS. Until it acknowledges them, at least 100 streams are accepted, which is the
    /// recommended minimum.
    private var acceptLimit: Int {
        if let limit = settings.acknowledged.maxConcurrentStreams { return Int(clamping: limit) }
        guard let announced = configuration.maxConcurrentStreams else { return .max }
        return max(announced, 100)
    }

    /// Handles HEADERS on a closed stream. They can be trailers that cross our reset. On a server, they can
    /// also be a request with an identifier that was used or skipped, which is a connection error (§5.1.1).
    private mutating func receiveHeadersOnClosedStream(_ id: StreamID) throws(HTTP2Error) {
        guard configuration.role == .server else {
            return try receiveOnClosedStream(id, contentByteCount: 0)
        }
        guard !requests.wasSkipped(id) else {
            throw .connection(
                .protocolError, "new stream \(id) is lower than stream \(requests.lastAccepted)")
        }
        guard !abuse.admitLateFrame() else { return }
        throw .connection(.streamClosed, "HEADERS on closed stream \(id)")
    }

    /// Handles a frame on a closed stream. Shortly after our reset, such frames are expected, because the
    /// peer has not received the reset yet. Otherwise throws STREAM_CLOSED (§5.1).
    mutating func receiveOnClosedStream(
        _ id: StreamID, contentByteCount: Int
    ) throws(HTTP2Error) {
        guard !abuse.admitLateFrame(contentByteCount: contentByteCount) else { return }
        throw .stream(id, .streamClosed, "frame after the end of the stream")
    }

    /// The slot of the stream that a frame names; nil if the stream has ended. This is no error, because the
    /// peer may have sent the frame before it received the end (§5.1).
    func liveSlot(of id: StreamID, _ frame: String) throws(HTTP2Error) -> Int? {
        if let slot = streams.slot(of: id) { return slot }
        guard !requests.isIdle(id) else {
            throw .connection(.protocolError, "\(frame) on idle stream \(id)")
        }
        return nil
    }
}
