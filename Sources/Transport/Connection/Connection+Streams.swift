// What arrives on a stream: header blocks, DATA and resets.

extension Connection {
    mutating func receiveHeaders(
        _ frame: HeadersFrame, _ payload: Span<UInt8>, now: Instant
    ) throws(HTTP2Error) -> Event? {
        let opening = HeaderBlockAssembler.Opening(
            streamID: frame.streamID, endStream: frame.endStream,
            dependsOnItself: frame.priority?.dependency == frame.streamID)
        guard frame.endHeaders else {
            assembler.begin(opening, payload.extracting(frame.fragment))
            return nil
        }
        return try receiveBlock(opening, payload.extracting(frame.fragment), now: now)
    }

    mutating func receiveContinuation(
        _ header: FrameHeader, _ payload: Span<UInt8>, now: Instant
    ) throws(HTTP2Error) -> Event? {
        guard let opening = try assembler.continue(header, payload) else { return nil }
        let fragments = assembler.fragments
        return try receiveBlock(opening, fragments.span, now: now)
    }

    /// A whole header block. It is decoded whatever becomes of its stream, because decoding moves
    /// the table that all later blocks depend on (§4.3).
    private mutating func receiveBlock(
        _ opening: HeaderBlockAssembler.Opening, _ block: Span<UInt8>, now: Instant
    ) throws(HTTP2Error) -> Event? {
        let table = decoder.tableState
        let isRepeated = repeatedBlocks.find(block, table)
        let outcome = isRepeated ? .complete : try decode(block)
        guard let slot = try slotForHeaders(on: opening.streamID, now: now) else { return nil }
        guard outcome == .complete else {
            throw .stream(
                opening.streamID, .enhanceYourCalm,
                "header list above \(configuration.limits.headerListByteCount) octets")
        }
        guard !opening.dependsOnItself else {
            throw .stream(opening.streamID, .protocolError, "a stream that depends on itself")
        }
        let (isInterim, kind) = try checkHeaders(of: slot, opening)
        let meaning = try streams[slot].state.receiveHeaders(
            on: opening.streamID, isInterim: isInterim, endStream: opening.endStream)
        guard meaning != .interim else {
            try spendGlitch(now: now)
            return nil
        }
        if !isRepeated {
            let hasLength = kind != .trailers ? try noteContentLength(of: slot) : false
            if kind != .request, !hasLength { noteRepeatable(block, table, as: kind) }
        }
        if opening.endStream { try checkContentLength(of: slot) }
        let event = Event.headers(
            streams.handle(of: slot), meaning, endStream: opening.endStream)
        if opening.endStream { releaseIfClosed(slot) }
        return event
    }

    private mutating func decode(
        _ block: Span<UInt8>
    ) throws(HTTP2Error) -> HPACK.Decoder.Outcome {
        do throws(HPACK.Malformation) {
            return try decoder.decode(
                block, into: &decodedHeaders,
                maxListByteCount: configuration.limits.headerListByteCount)
        } catch {
            throw .connection(.compressionError, "header block: \(error)")
        }
    }

    /// A block that was right may come again, and need not be decoded then, when it left the table
    /// as it found it.
    private mutating func noteRepeatable(
        _ block: Span<UInt8>, _ table: HPACK.Decoder.TableState?, as kind: HeaderRules.Kind
    ) {
        guard let table, table == decoder.tableState, !HPACK.Decoder.changesTableSize(block)
        else { return }
        repeatedBlocks.note(block, table, decodedHeaders, as: kind)
    }

    /// The slot of the stream that a header block belongs to, opening it on a server; nil when
    /// the block is to be ignored.
    private mutating func slotForHeaders(
        on id: StreamID, now: Instant
    ) throws(HTTP2Error) -> Int? {
        if let slot = streams.slot(of: id) { return slot }
        guard isIdle(id) else {
            try receiveOnClosedStream(id, contentByteCount: 0)
            return nil
        }
        guard configuration.role == .server, id.isClientInitiated else {
            throw .connection(.protocolError, "HEADERS on idle stream \(id)")
        }
        return try acceptRequest(id)
    }

    private mutating func checkHeaders(
        of slot: Int, _ opening: HeaderBlockAssembler.Opening
    ) throws(HTTP2Error) -> (isInterim: Bool, HeaderRules.Kind) {
        let kind: HeaderRules.Kind =
            streams[slot].state.receive != .awaitingHeaders
            ? .trailers : configuration.role == .client ? .response : .request
        // It was found right before, and is no interim response.
        if repeatedBlocks.current?.kind == kind { return (false, kind) }
        do throws(HeaderRules.Violation) {
            try HeaderRules.check(receivedHeaders, as: kind)
        } catch {
            throw .stream(opening.streamID, .protocolError, "malformed header block: \(error)")
        }
        guard kind == .response else { return (false, kind) }
        let status = HeaderRules.status(of: receivedHeaders) ?? 0
        return ((100..<200).contains(status), kind)
    }

    /// A request on a new stream of a server.
    private mutating func acceptRequest(_ id: StreamID) throws(HTTP2Error) -> Int? {
        lastRequestID = id
        if case .leaving(let last) = lifecycle.own, id > last {
            // §6.8: the client did not know yet. It will learn from our GOAWAY that the request
            // was not looked at.
            allowLateFrames(octets: acknowledgedSettings.initialWindowByteCount)
            return nil
        }
        let limit = acceptLimit
        guard requestCount < limit else {
            allowLateFrames(octets: acknowledgedSettings.initialWindowByteCount)
            throw .stream(id, .refusedStream, "more than \(limit) concurrent streams")
        }
        let slot = streams.allocate()
        openStream(slot, as: id)
        return slot
    }

    /// How many streams the client may have open. Until it has acknowledged our SETTINGS it
    /// cannot know, and is allowed what anybody may assume (§6.5.2).
    private var acceptLimit: Int {
        if let limit = acknowledgedSettings.maxConcurrentStreams { return Int(clamping: limit) }
        guard let announced = configuration.maxConcurrentStreams else { return .max }
        return max(announced, 100)
    }

    /// Something that belongs to a stream comes for one that is over. Right after we reset a
    /// stream the peer cannot know, so that is expected; otherwise it is STREAM_CLOSED (§5.1).
    private mutating func receiveOnClosedStream(
        _ id: StreamID, contentByteCount: Int
    ) throws(HTTP2Error) {
        guard !late.admit(contentByteCount: contentByteCount) else { return }
        throw .stream(id, .streamClosed, "frame after the end of the stream")
    }
}

// MARK: - DATA

extension Connection {
    mutating func receiveData(
        _ frame: DataFrame, at start: Int, now: Instant
    ) throws(HTTP2Error) -> Event? {
        let byteCount = frame.flowControlledByteCount
        bandwidth?.received(byteCount)
        dataFrameCount &+= 1
        paddingByteCount &+= byteCount - frame.content.count
        // §6.9.1: the connection's window is spent whatever becomes of the stream.
        guard receiveWindow.receive(byteCount) else {
            throw .connection(.flowControlError, "DATA beyond the connection's window")
        }
        guard let slot = streams.slot(of: frame.streamID) else {
            guard !isIdle(frame.streamID) else {
                throw .connection(.protocolError, "DATA on idle stream \(frame.streamID)")
            }
            giveBackConnectionWindow(byteCount, now: now)
            try receiveOnClosedStream(frame.streamID, contentByteCount: frame.content.count)
            return nil
        }
        let contentByteCount = frame.content.count
        do throws(HTTP2Error) {
            try admitData(frame, on: slot)
        } catch {
            giveBackConnectionWindow(byteCount, now: now)
            throw error
        }
        if contentByteCount == 0, !frame.endStream {
            try spendGlitch(now: now)
        } else {
            glitches.earn(1)
        }
        deliver(frame, to: slot, now: now)

        let handle = streams.handle(of: slot)
        let content = start + frame.content.lowerBound..<start + frame.content.upperBound
        if frame.endStream { releaseIfClosed(slot) }
        guard contentByteCount > 0 || frame.endStream else { return nil }
        return .data(handle, content, endStream: frame.endStream)
    }

    private mutating func admitData(_ frame: DataFrame, on slot: Int) throws(HTTP2Error) {
        try streams[slot].state.receiveData(on: frame.streamID, endStream: frame.endStream)
        if streams[slot].undeliveredByteCount >= 0 {
            streams[slot].undeliveredByteCount -= Int64(frame.content.count)
            guard streams[slot].undeliveredByteCount >= 0 else {
                throw .stream(frame.streamID, .protocolError, "more DATA than content-length says")
            }
            if frame.endStream { try checkContentLength(of: slot) }
        }
        // Last, because from here on the octets are booked to the stream.
        guard streams[slot].receiveWindow.receive(frame.flowControlledByteCount) else {
            throw .stream(frame.streamID, .flowControlError, "DATA beyond the stream's window")
        }
    }

    /// Books what arrived: padding is consumed at once, content when the user says so.
    private mutating func deliver(_ frame: DataFrame, to slot: Int, now: Instant) {
        let byteCount = frame.flowControlledByteCount
        unreadByteCount += byteCount
        let heldBack = streams.count * configuration.heldBackByteCount
        if unreadByteCount <= configuration.limits.unreadByteCount + heldBack {
            giveBackConnectionWindow(byteCount, now: now)
        } else {
            withheldByteCount += byteCount
        }
        let padding = byteCount - frame.content.count
        if padding > 0 { consume(padding, of: slot, now: now) }
    }
}

// MARK: - Resets

extension Connection {
    mutating func receiveReset(
        _ frame: RSTStreamFrame, now: Instant
    ) throws(HTTP2Error) -> Event? {
        guard let slot = try liveSlot(of: frame.streamID, "RST_STREAM") else {
            // Of a stream that we have ended the peer may say so, too.
            if !late.admit(contentByteCount: 0) { try spendGlitch(now: now) }
            return nil
        }
        // A client has asked for the stream that is reset; a server has not, and streams that are
        // opened and reset in one breath are an attack on it. Only a stream that was served to its
        // end earns anything, so such a flood runs dry.
        if configuration.role == .server { try spendGlitch(now: now) }
        let handle = streams.handle(of: slot)
        resetCount &+= 1
        release(slot)
        return .reset(handle, frame.code)
    }
}
