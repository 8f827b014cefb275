package import SwiftletTransport
import Synchronization

/// Receives the events of a connection.
package protocol LinkOwner: AnyObject, Sendable {
    /// The peer has sent its SETTINGS.
    func linkIsReady(_ link: Link)
    /// The connection accepts no new calls. Running calls continue.
    func linkIsLeaving(_ link: Link, _ goAway: GoAwayFrame)
    /// A stream has become free, after ``SubchannelLink/reportRoom()``.
    func linkHasRoom(_ link: any SubchannelLink)
    /// The connection has ended.
    func linkEnded(_ link: any SubchannelLink, _ error: LinkError)
}

/// Joins a socket, an HTTP/2 engine and the calls that run over it.
///
/// One lock guards the engine and the table of calls. It is held while frames are read or made, and
/// never during a system call, a copy of more than 4 KiB of a payload, or a delivery to a call.
package final class Link: Sendable {
    /// The call of a stream, and the values that are needed to read the trailers of its response.
    struct Entry {
        var call: CallCore?
        /// The handle of the call's stream. It distinguishes the stream from earlier ones in the
        /// same slot.
        var stream: StreamHandle?
        var httpStatus: Int?
        var framing = BodyFraming.lengthPrefixed
    }

    struct State: ~Copyable {
        var connection: Connection
        /// Indexed by the slot of the stream. When the engine frees the slot of a stream with a call,
        /// the call is removed before the lock is released: the next stream may get the slot.
        var entries: [Entry] = []
        var callCount = 0
        /// The meaning of the last headers and trailers, which most responses repeat.
        var knownHead: Known<ResponseHead.Initial>?
        var knownTrailers: Known<ResponseEnd>?
        /// The recent maximum of ``callCount``.
        var recentCallCount = 0
        /// The last time at which a thread other than the loop's thread had output.
        var lastOutput = MonotonicInstant(nanoseconds: 0)
        /// The recent mean time between such outputs, in nanoseconds.
        var outputGap: Int64 = Self.longestOutputGap
        /// Whether a thread writes, and whether the loop was asked to flush.
        var turn = OutputTurn.idle
        /// The most bytes of DATA that the writer takes at once.
        var batchByteCount = Link.smallBatch
        /// Bytes that the writer took from the engine but the socket did not accept.
        var unwritten = GatherList()
        /// Bytes of TLS records that the socket did not accept.
        var unsentByteCount = 0
        /// When the engine is polled next; nil means never.
        var pollDeadline: MonotonicInstant?
        /// Whether bytes of a request were written to the socket, or are being written.
        var hasCarriedStream = false
        /// Streams that the channel itself asked for: health checks and load reports.
        var ownStreamCount = 0
        /// Calls that ended with OK.
        var succeededCallCount = 0
        var isReady = false
        /// The owner waits for a stream to become free.
        var isRoomWanted = false
        var times: ConnectionTimes
        /// The part of the connection that calls keep; complete once it is ready.
        var record: ConnectionRecord
        /// Nil when frames are not logged.
        let frameLog: LinkFrameLog?
        /// The text of the last GOAWAY.
        var goAway: String?
        var goAwayCode: ErrorCode?
        /// Whether the server has reported too many PINGs.
        var hasPingComplaint = false
        var ending: LinkError?
    }

    /// The meaning of a header block, with the number that the engine gives to repeated blocks.
    struct Known<Meaning> {
        var id: UInt64
        var framing: BodyFraming
        var meaning: Meaning
    }

    package let loop: EventLoop
    /// The number of the connection in the process.
    package let diagnosticID = DiagnosticID.next()
    package let peer: String
    package let address: SocketAddress
    let wire: LinkWire
    let pollTimer = TimerSlot()
    let state: Mutex<State>
    // Safe, although the compiler cannot check it: events and jobs of the loop alone use it, and
    // they run one at a time. A turn does not nest in another, the loop orders one turn before the
    // next, and one mailbox runs the jobs that follow the last turn, one at a time.
    nonisolated(unsafe) var reader: LinkReader
    /// Nil when frames are not logged.
    let frameLog: LinkFrameLog?
    private let owner: Mutex<any LinkOwner>
    /// An empty list for the fields of the next call that has any.
    private let spareFields = Mutex(HeaderList())

    /// - Parameter wire: Its TLS handshake, if there is one, is complete.
    package init(
        _ wire: consuming LinkWire, to address: SocketAddress, times: ConnectionTimes,
        _ configuration: ConnectionConfiguration, loop: EventLoop, frameLog: FrameLog? = nil,
        owner: any LinkOwner
    ) {
        self.wire = wire
        peer = "\(address)"
        self.address = address
        self.loop = loop
        self.owner = Mutex(owner)
        var ownLog: LinkFrameLog?
        if let frameLog {
            ownLog = LinkFrameLog(frameLog, connection: diagnosticID, peer: "\(address)")
        }
        self.frameLog = ownLog
        unsafe reader = LinkReader(maxFrameByteCount: configuration.maxFrameByteCount)
        state = Mutex(
            State(
                connection: Connection(configuration, now: .now), times: times,
                record: ConnectionRecord(peer: peer, times),
                frameLog: ownLog))
    }

    /// Watches the socket and begins the connection.
    package func start() {
        do throws(SystemError) {
            try wire.watch(by: loop, for: self)
        } catch {
            return end(with: LinkError(phase: .http2, error))
        }
        // Closes a connection that was ended before the socket was watched.
        guard !hasEnded else { return wire.close(on: loop) }
        poll(now: .now)
        flush()
        // The poller does not report bytes that the handshake has read.
        loop.run { [self] in ready(.readable, now: .now) }
    }

    package func changeOwner(to owner: any LinkOwner) {
        // The former owner is released outside the lock.
        var former = owner
        self.owner.withLock { swap(&$0, &former) }
    }

    package func reportRoom() -> Bool {
        state.withLock { state in
            guard state.ending == nil, !state.connection.hasRoomForStream else { return false }
            state.isRoomWanted = true
            return true
        }
    }

    func withOwner(_ body: (any LinkOwner) -> Void) {
        body(owner.withLock { $0 })
    }
}

// MARK: - Calls

extension Link {
    /// Opens a stream for the call, or queues the call until one is free. False if the connection
    /// accepts no calls.
    package func open(_ call: CallCore, _ prepared: PreparedHeaders) -> Bool {
        let metadata = call.metadata
        guard call.deadlineToSend != nil || !metadata.isEmpty else {
            return open(call, prepared, HeaderList())
        }
        // The list of the previous call is reused, because each list costs two allocations.
        var fields = HeaderList()
        spareFields.withLock { swap(&fields, &$0) }
        RequestHead.append(
            metadata, deadline: call.deadlineToSend ?? .never, to: &fields)
        let isOpen = open(call, prepared, fields)
        fields.removeAll()
        spareFields.withLock { swap(&fields, &$0) }
        return isOpen
    }

    private func open(
        _ call: CallCore, _ prepared: PreparedHeaders, _ fields: HeaderList
    ) -> Bool {
        if let refusal = wire.refusal(of: call, prepared, peer: peer) {
            call.attemptFailed(with: refusal)
            return true
        }
        guard var request = call.takeRequest() else { return true }
        let now = outputMoment
        let opened: Result<Opened, Connection.OpenRefusal> = state.withLock { state in
            guard state.ending == nil else { return .failure(.failed) }
            do throws(Connection.OpenRefusal) {
                let framing = call.head.framing
                let isEmpty = request.isEmpty && request.isFinish
                let endsWithHeaders = isEmpty && framing.endsEmptyRequestWithHeaders
                let stream = try state.connection.openStream(
                    wire.isSecure ? prepared : prepared.insecure ?? prepared, fields,
                    endStream: endsWithHeaders, isHead: call.head.isHead)
                request.takeEach { message, isLast in
                    _ = state.connection.sendData(message, on: stream, endStream: isLast)
                }
                if isEmpty, !endsWithHeaders {
                    _ = state.connection.sendData([], on: stream, endStream: true)
                }
                if state.connection.isWaiting(stream), call.deadlineToSend != nil {
                    state.connection.awaitFields(of: stream)
                }
                let slot = Int(stream.slot)
                while state.entries.count <= slot { state.entries.append(Entry()) }
                assert(!state.hasCall(at: slot), "the call of the slot would never end")
                state.entries[slot] = Entry(
                    call: call, stream: stream, framing: framing)
                state.callCount += 1
                state.recentCallCount = max(state.recentCallCount, state.callCount)
                return .success(
                    Opened(
                        stream: stream, record: state.record, flush: state.askForFlush(now: now),
                        mustPoll: state.mustPoll()))
            } catch {
                return .failure(error)
            }
        }
        switch opened {
        case .success(let opened): attach(call, opened, attempt: request.attempt)
        case .failure(.headerListTooLarge(let limit)):
            call.requestWasNotSent()
            call.attemptFailed(with: .headerListTooLarge(limit, peer: peer))
        case .failure:
            call.requestWasNotSent()
            return false
        }
        return true
    }

    private func attach(_ call: CallCore, _ opened: Opened, attempt: Int) {
        let hasDeliveries = call.attach(
            to: self, opened.stream, opened.record, attempt: attempt)
        if opened.mustPoll { poll(now: .now) }
        flushSoon(opened.flush)
        // After the flush, because observers may run for a long time.
        if hasDeliveries { call.deliverPending() }
    }

    private struct Opened {
        var stream: StreamHandle
        var record: ConnectionRecord
        var flush: FlushRequest?
        var mustPoll: Bool
    }

    package var callCount: Int { state.withLock { $0.callCount } }

    package var counts: ChannelCounts {
        state.withLock { state in
            var counts = ChannelCounts(state.connection)
            counts.calls = state.callCounts()
            return counts
        }
    }

    package var hasEnded: Bool { state.withLock { $0.ending != nil } }

    package var loss: LinkError {
        state.withLock { state in
            var loss =
                state.ending ?? LinkError(phase: .http2, cause: "the connection refused a call")
            if let code = state.goAwayCode { loss.kind = .goAway(code) }
            return loss
        }
    }

    /// The server has reported too many PINGs. Returns false if it had reported that before: a server
    /// may repeat its GOAWAY.
    func notePingComplaint() -> Bool {
        state.withLock { state in
            defer { state.hasPingComplaint = true }
            return !state.hasPingComplaint
        }
    }

    /// Whether a call of the program was sent on this connection.
    package var hasCarriedCall: Bool {
        state.withLock {
            $0.hasCarriedStream && $0.connection.startedStreamCount > $0.ownStreamCount
        }
    }

    /// The channel is about to open a stream for itself.
    func noteOwnStream() { state.withLock { $0.ownStreamCount += 1 } }

    /// The time since the server's first SETTINGS; zero before them.
    package func age(at now: MonotonicInstant) -> Duration {
        state.withLock { $0.times.ready.map { $0.duration(to: now) } ?? .zero }
    }

    package var roomCount: Int {
        state.withLock { $0.ending == nil ? $0.connection.streamRoom : 0 }
    }
}

extension Link: SubchannelLink {
    package var isMultiplexed: Bool { true }

    package func place(_ call: CallCore, _ prepared: PreparedHeaders) -> CallPlacing {
        open(call, prepared) ? .placed : .refused
    }
}

extension Link.State {
    /// The call that has the stream; nil after its end.
    func call(of stream: StreamHandle) -> CallCore? {
        let slot = Int(stream.slot)
        guard slot < entries.count, entries[slot].stream == stream else { return nil }
        return entries[slot].call
    }

    /// Removes the call of a stream. Nil if it was removed before.
    mutating func removeCall(of stream: StreamHandle) -> CallCore? {
        let slot = Int(stream.slot)
        // A call resets its stream outside the lock: by then another call may have the slot.
        guard slot < entries.count, let owner = entries[slot].stream, owner == stream,
            let call = entries[slot].call.take()
        else { return nil }
        callCount -= 1
        // Frees the memory of a burst of calls.
        if callCount == 0, entries.count > Self.keptEntryCount { entries = [] }
        return call
    }

    /// The streams so far. Those that wait to be opened are not included.
    func callCounts() -> CallCounts {
        var counts = CallCounts()
        counts.started = connection.startedStreamCount
        counts.succeeded = succeededCallCount
        let running = ending == nil ? max(0, callCount - connection.waitingStreamCount) : 0
        counts.failed = max(0, counts.started - counts.succeeded - running)
        return counts
    }

    private static let keptEntryCount = 1_024

    /// Whether a call has that slot.
    func hasCall(at slot: Int) -> Bool { slot < entries.count && entries[slot].call != nil }

    /// Whether the link must report to the owner that a stream is free.
    mutating func takeRoomReport() -> Bool {
        guard isRoomWanted, ending == nil, connection.hasRoomForStream else { return false }
        isRoomWanted = false
        return true
    }
}
