import SwiftletTransport

// Translates events of the engine into arrivals of calls, under the link's lock.

extension Link.State {
    /// Records an event. Reads header fields, which the engine keeps until the next event.
    mutating func record(
        _ event: consuming Connection.Event, _ link: Link, into arrivals: inout LinkArrivals
    ) {
        switch consume event {
        case .headers(let stream, let meaning, let endStream):
            recordHeaders(stream, meaning, endStream, into: &arrivals)
        case .data(let stream, let range, let endStream):
            recordData(stream, range, endStream, into: &arrivals)
        case .reset(let stream, let code):
            guard let call = removeCall(of: stream) else { return }
            if code == .refusedStream {
                arrivals.append(.refused, for: call)
            } else {
                let error = StatusMapping.error(forReset: code, peer: link.peer)
                arrivals.append(end: ResponseEnd(error: error), on: stream, for: call)
            }
        case .streamFailed(let stream, let error):
            guard let call = removeCall(of: stream) else { return }
            let failure = StatusMapping.error(for: error, peer: link.peer)
            arrivals.append(end: ResponseEnd(error: failure), on: stream, for: call)
        case .unprocessed(let stream):
            guard let call = removeCall(of: stream) else { return }
            arrivals.append(.unprocessed, for: call)
        case .unsent(let stream):
            guard let call = removeCall(of: stream) else { return }
            arrivals.append(.unsent, for: call)
        case .ready: arrivals.append(.ready)
        case .goAway(let frame):
            goAway = "\(frame)"
            // A second frame may have the reason, but metrics count the first.
            goAwayCode = goAwayCode ?? frame.code
            arrivals.append(.goAway(frame))
        case .pingAnswered: break
        case .failed(let error):
            arrivals.append(.ended(LinkError(phase: .http2, cause: "\(error)")))
        }
    }

    private mutating func recordHeaders(
        _ stream: StreamHandle, _ meaning: StreamState.HeadersMeaning, _ endStream: Bool,
        into arrivals: inout LinkArrivals
    ) {
        let slot = Int(stream.slot)
        guard hasCall(at: slot) else { return }
        let framing = entries[slot].framing
        if framing.isStatus(meaning, endStream: endStream) {
            return endCall(
                stream, responseTrailers(httpStatus: entries[slot].httpStatus), into: &arrivals)
        }
        if meaning != .trailers, let call = entries[slot].call {
            do throws(RPCError) {
                let head = try responseHead(framing)
                entries[slot].httpStatus = head.httpStatus
                arrivals.append(initial: head, on: stream, for: call)
            } catch {
                return endCall(stream, ResponseEnd(error: error), .cancel, into: &arrivals)
            }
        }
        if endStream { endCall(stream, ResponseEnd(error: nil), into: &arrivals) }
    }

    /// The meaning of the headers that have arrived. Repeated header blocks are read once.
    private mutating func responseHead(
        _ framing: BodyFraming
    ) throws(RPCError) -> ResponseHead.Initial {
        let id = connection.receivedHeadersID
        if let id, knownHead?.id == id, knownHead?.framing == framing,
            let meaning = knownHead?.meaning
        {
            return meaning
        }
        let head = try framing.responseHead(connection.receivedHeaders)
        if let id { knownHead = Link.Known(id: id, framing: framing, meaning: head) }
        return head
    }

    /// Like `responseHead(_:)`, for trailers. The meaning of an error also depends on the headers,
    /// so only OK is kept.
    private mutating func responseTrailers(httpStatus: Int?) -> ResponseEnd {
        let id = connection.receivedHeadersID
        if let id, knownTrailers?.id == id, let end = knownTrailers?.meaning { return end }
        var end = ResponseHead.trailers(connection.receivedHeaders, httpStatus: httpStatus)
        end.isOfServer = true
        if let id, end.error == nil {
            knownTrailers = Link.Known(id: id, framing: .lengthPrefixed, meaning: end)
        }
        return end
    }

    private mutating func recordData(
        _ stream: StreamHandle, _ range: Range<Int>, _ endStream: Bool,
        into arrivals: inout LinkArrivals
    ) {
        let slot = Int(stream.slot)
        guard hasCall(at: slot) else { return }
        if !range.isEmpty { arrivals.append(data: range, on: stream, for: entries[slot].call) }
        guard endStream else { return }
        let end = entries[slot].framing.endWithoutStatus(httpStatus: entries[slot].httpStatus)
        endCall(stream, end, into: &arrivals)
    }

    /// - Parameter code: What the server is told if the rest of its response is not wanted.
    private mutating func endCall(
        _ stream: StreamHandle, _ end: consuming ResponseEnd, _ code: ErrorCode = .noError,
        into arrivals: inout LinkArrivals
    ) {
        guard let call = removeCall(of: stream) else { return }
        if end.error == nil { succeededCallCount &+= 1 }
        // The response is complete or refused, so the rest of the request is not needed.
        connection.reset(stream, code)
        arrivals.append(end: end, on: stream, for: call)
    }
}
