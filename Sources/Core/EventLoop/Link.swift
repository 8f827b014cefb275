package import SwiftletTransport
import Synchronization

/// Who is told what becomes of a connection.
package protocol LinkOwner: AnyObject, Sendable {
    /// The peer has shown that it speaks HTTP/2.
    func linkIsReady(_ link: Link)
    /// The connection takes no new calls; those that run may end.
    func linkIsLeaving(_ link: Link, _ goAway: GoAwayFrame)
    /// A stream was freed on a connection that was asked to say so.
    func linkHasRoom(_ link: Link)
    /// The connection is over.
    func linkEnded(_ link: Link, _ error: LinkError)
}

/// Joins a socket, an HTTP/2 engine and the calls that run over it.
///
/// One lock guards the engine and the table of calls. It is held while frames are cut or made,
/// and never during a system call, while more than 4 KiB of a payload are copied, or while a call is
/// told something.
package final class Link: Sendable {
    /// A stream's call, and what of its response has to be remembered until the trailers.
    struct Entry {
        var call: CallCore?
        /// Which of the streams that have had the slot is the call's.
        var stream: StreamHandle?
        var httpStatus: Int?
        var isPlain = false
    }

    struct State: ~Copyable {
        var connection: Connection
        /// By the slot of the stream.
        var entries: [Entry] = []
        var callCount = 0
        /// What headers and trailers say that come again and again.
        var knownHead: Known<ResponseHead.Initial>?
        var knownTrailers: Known<CallEnd>?
        /// The most calls that ran at once lately: between two answers there may be none.
        var recentCallCount = 0
        /// When another thread than the loop's last had output, and how long it lately was from
        /// one time to the next, in nanoseconds.
        var lastOutput = MonotonicInstant(nanoseconds: 0)
        var outputGap: Int64 = Self.longestOutputGap
        /// Who writes.
        var turn = OutputTurn.idle
        /// How much DATA the writer takes at a time.
        var batchByteCount = Link.smallBatch
        /// What the writer did not get rid of.
        var unwritten = GatherList()
        /// What was made of what it took, and the socket has not taken.
        var unsentByteCount = 0
        /// When the engine is looked at again; without a handle while it is being scheduled.
        var timer: (deadline: MonotonicInstant, handle: TimerHandle?)?
        var timerCount: UInt64 = 0
        var isReady = false
        /// Somebody waits for a stream to become free.
        var isRoomWanted = false
        var times: ConnectionTimes
        /// What calls keep of the connection; complete once it is ready.
        var record: ConnectionRecord
        /// What the server said last of leaving, in words.
        var goAway: String?
        var ending: LinkError?
    }

    /// What a header block meant, by the name that the engine gives to blocks that come again.
    struct Known<Meaning> {
        var id: UInt64
        var meaning: Meaning
    }

    package let loop: EventLoop
    package let peer: String
    /// The peer is on this machine, and no network lies between.
    let isLocal: Bool
    let wire: LinkWire
    let state: Mutex<State>
    /// What only the loop's thread needs. Taken out while it is in use, so that a turn of the
    /// loop from within finds nothing to do instead of the same octets again.
    let reader: Mutex<LinkReader?>
    /// The socket was announced to have something while the reader was out.
    let missedRead = Atomic(0)
    private let owner: Mutex<(any LinkOwner)?>

    package init(
        _ wire: consuming LinkWire, to address: SocketAddress, times: ConnectionTimes,
        _ configuration: ConnectionConfiguration, loop: EventLoop, owner: any LinkOwner
    ) {
        self.wire = wire
        peer = "\(address)"
        isLocal = address.isOnThisMachine
        self.loop = loop
        self.owner = Mutex(owner)
        reader = Mutex(LinkReader(maxFrameByteCount: configuration.maxFrameByteCount))
        state = Mutex(
            State(
                connection: Connection(configuration, now: .now), times: times,
                record: ConnectionRecord(peer: peer, times)))
    }

    /// Begins to talk.
    package func start() {
        do throws(SystemError) {
            try wire.watch(by: loop, for: self)
        } catch {
            return end(with: LinkError(phase: .http2, cause: "\(error)"))
        }
        do throws(LinkError) {
            try wire.begin()
        } catch {
            end(with: error)
            // It may have ended while it was not known yet what to close.
            return wire.close(on: loop)
        }
        // Whoever gave it up before there was anything to close relies on this.
        guard !hasEnded else { return wire.close(on: loop) }
        poll(now: .now)
        flush()
        loop.run { [self] in ready(.readable, now: .now) }
    }

    /// From now on another is told what becomes of the connection. Returns who was until now.
    @discardableResult
    func changeOwner(to owner: any LinkOwner) -> (any LinkOwner)? {
        var former: (any LinkOwner)? = owner
        self.owner.withLock { swap(&$0, &former) }
        return former
    }

    /// Has the owner told once, when a stream is free again. False when one is free now.
    func reportRoom() -> Bool {
        state.withLock { state in
            guard state.ending == nil, !state.connection.hasRoomForStream else { return false }
            state.isRoomWanted = true
            return true
        }
    }

    /// Ends every call that still runs; first those in line, which the end of the others would let
    /// in.
    func endCalls(with error: RPCError) {
        let calls = state.withLock { $0.calls }
        for call in calls.inLine + calls.begun { call.fail(error) }
    }

    func tellOwner(_ body: (any LinkOwner) -> Void) {
        if let owner = owner.withLock({ $0 }) { body(owner) }
    }
}

/// Why a connection is over, in words.
package struct LinkError: Error, Sendable {
    package enum Phase: Sendable { case tls, http2 }

    package var phase: Phase
    package var cause: String
    /// The peer asked us to calm down because of our PINGs.
    package var isTooManyPings = false
    /// The machine has lost its network.
    package var isNetworkLoss = false
    /// What the peer had said of leaving, in words.
    package var goAway: String?
}

/// When a connection came about, step by step.
package struct ConnectionTimes: Sendable {
    package var begun: MonotonicInstant
    /// The name had been looked up.
    package var resolved: MonotonicInstant?
    package var connected: MonotonicInstant?
    /// The TLS handshake was done.
    package var secured: MonotonicInstant?
    /// The server had shown that it speaks HTTP/2.
    package var ready: MonotonicInstant?
    /// Attempts at addresses that failed before.
    package var failedAttemptCount = 0

    package init(begun: MonotonicInstant) { self.begun = begun }
}

// MARK: - Calls

extension Link {
    /// Gives the call a stream of this connection, or the line for one. False when the connection
    /// takes no calls any more.
    package func open(_ call: CallCore, _ prepared: PreparedHeaders, _ fields: HeaderList) -> Bool {
        guard var request = call.takeRequest() else { return true }
        let now = outputMoment
        let opened: Opened? = state.withLock { state in
            guard state.ending == nil else { return nil }
            do throws(Connection.OpenRefusal) {
                let stream = try state.connection.openStream(
                    prepared, fields, endStream: request.isEmpty && request.isFinish)
                request.takeEach { message, isLast in
                    _ = state.connection.sendData(message, on: stream, endStream: isLast)
                }
                if state.connection.isInLine(stream), let deadline = call.deadlineToSend {
                    let metadata = call.head.metadata
                    state.connection.setLateFields(of: stream) {
                        RequestHead.fields(metadata, deadline: deadline)
                    }
                }
                let slot = Int(stream.slot)
                while state.entries.count <= slot { state.entries.append(Entry()) }
                state.entries[slot] = Entry(
                    call: call, stream: stream, isPlain: call.head.isPlain)
                state.callCount += 1
                state.recentCallCount = max(state.recentCallCount, state.callCount)
                return Opened(
                    stream: stream, record: state.record, flush: state.askForFlush(now: now),
                    mustPoll: state.mustPoll())
            } catch {
                return nil
            }
        }
        guard let opened else {
            call.requestWasNotSent()
            return false
        }
        let hasNews = call.attach(
            to: self, opened.stream, opened.record, attempt: request.attempt)
        if opened.mustPoll { poll(now: .now) }
        flushSoon(opened.flush)
        // Others wait for that flush; what observers do may take its time.
        if hasNews { call.tellNews() }
        return true
    }

    private struct Opened {
        var stream: StreamHandle
        var record: ConnectionRecord
        var flush: FlushRequest?
        var mustPoll: Bool
    }

    /// Calls that have a stream or wait for one here.
    package var callCount: Int { state.withLock { $0.callCount } }

    var counts: ChannelCounts { state.withLock { ChannelCounts($0.connection) } }

    package var hasEnded: Bool { state.withLock { $0.ending != nil } }

    /// Whether a call would get its stream at once.
    package var hasRoom: Bool { roomCount > 0 }

    /// How many calls would.
    var roomCount: Int {
        state.withLock { $0.ending == nil ? $0.connection.streamRoom : 0 }
    }

    /// Says goodbye: no new calls; the connection ends when the last one has.
    package func leave() {
        state.withLock { $0.connection.leave() }
        flushSoon()
        endIfLeft()
    }

    /// Ends a connection that takes no new calls when the last of the old ones has ended.
    func endIfLeft() {
        guard state.withLock({ $0.isLeft }) else { return }
        // On the loop, so that what the peer has sent meanwhile is not cut off in the middle.
        loop.run { [self] in
            // Who has begun to write meanwhile looks when he is done.
            end(with: LinkError(phase: .http2, cause: "the connection was left"), ifLeft: true)
        }
    }
}

// MARK: - What calls ask for

extension Link: StreamCarrier {
    package func send(
        _ framedMessage: EncodedMessage, on stream: StreamHandle, andFinish: Bool
    ) -> Bool {
        let now = outputMoment
        let (outcome, mustPoll, flush) = state.withLock { state in
            // Nobody would ever say that there is room again.
            guard state.ending == nil else {
                return (Connection.SendOutcome.closed, false, nil as FlushRequest?)
            }
            let outcome = state.connection.sendData(
                framedMessage, on: stream, endStream: andFinish)
            return (outcome, state.mustPoll(), state.askForFlush(now: now))
        }
        if mustPoll { poll(now: .now) }
        flushSoon(flush)
        if case .queued(let byteCount) = outcome { return byteCount < Self.queuedByteCount }
        return true
    }

    /// A stream with more than this queued takes no more messages.
    private static let queuedByteCount = 64 << 10

    package func reportRoom(on stream: StreamHandle, to call: CallCore) {
        let isShort = state.withLock { state in
            state.ending != nil || !state.connection.reportWhenSendQueueIsShort(stream)
        }
        if isShort { call.streamHasRoom() }
    }

    package func finish(_ stream: StreamHandle) {
        let now = outputMoment
        flushSoon(
            state.withLock { state in
                _ = state.connection.sendData([], on: stream, endStream: true)
                return state.askForFlush(now: now)
            })
    }

    package func reset(_ stream: StreamHandle) -> Bool {
        let (wasInLine, wasOpen, hasRoom, hasEvents) = state.withLock { state in
            let wasInLine = state.connection.isInLine(stream)
            state.connection.reset(stream, .cancel)
            let wasOpen = state.removeCall(of: stream) != nil
            return (
                wasInLine, wasOpen, wasOpen && state.takeRoomReport(), state.connection.hasEvents
            )
        }
        if hasEvents { loop.run { [self] in tellEvents() } }
        guard wasOpen else { return wasInLine }
        flushSoon()
        endIfLeft()
        if hasRoom { tellOwner { $0.linkHasRoom(self) } }
        return wasInLine
    }

    package func consumed(_ byteCount: Int, on stream: StreamHandle) {
        let hasOutput = state.withLock { state in
            state.connection.consumed(stream, by: byteCount, now: .now)
            return state.connection.hasOutput
        }
        if hasOutput { flushSoon() }
    }
}

extension Link.State {
    /// The call that has the stream; nil when it has ended.
    func call(of stream: StreamHandle) -> CallCore? {
        let slot = Int(stream.slot)
        guard slot < entries.count, entries[slot].stream == stream else { return nil }
        return entries[slot].call
    }

    /// Ends the entry of a stream. Nil when it has ended already.
    mutating func removeCall(of stream: StreamHandle) -> CallCore? {
        let slot = Int(stream.slot)
        // A call takes leave of its stream after the lock was let go of: by then the slot may be
        // another call's.
        guard slot < entries.count, let owner = entries[slot].stream, owner == stream,
            let call = entries[slot].call.take()
        else { return nil }
        callCount -= 1
        return call
    }

    /// Whether nothing keeps the connection any more, and nobody is at writing its last words.
    var isLeft: Bool {
        connection.isDraining && callCount == 0 && ending == nil && !turn.isWriting
    }

    /// Whether the owner has to be told that a stream is free.
    mutating func takeRoomReport() -> Bool {
        guard isRoomWanted, ending == nil, connection.hasRoomForStream else { return false }
        isRoomWanted = false
        return true
    }
}
