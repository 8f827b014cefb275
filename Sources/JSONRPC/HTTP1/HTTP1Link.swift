import SwiftletCore
import SwiftletHTTP1
import SwiftletTransport
import Synchronization

/// Joins a socket, an engine of HTTP/1.1 and the one call that runs over them.
///
/// Calls are placed on any thread. All other work for them is done on the loop's thread, in order.
final class HTTP1Link: Sendable {
    struct State: ~Copyable {
        var connection: HTTP1.ClientConnection
        /// Nil while a read uses it.
        var buffer: ReceiveBuffer?
        var output = GatherList()
        /// Whether the socket did not accept all output.
        var isBlocked = false
        /// While there is an exchange, the connection carries no other.
        var exchange: HTTP1Exchange?
        /// The number of exchanges. It is the generation of a stream's handle.
        var exchangeCount: UInt32 = 0
        /// Calls whose request was begun, and those with a complete response.
        var startedCallCount = 0
        var succeededCallCount = 0
        /// Whether the server has begun a response.
        var hasResponded = false
        /// The owner waits for the connection to become free.
        var isRoomWanted = false
        /// The connection ends after its call.
        var isLeaving = false
        var ending: LinkError?
    }

    let diagnosticID = DiagnosticID.next()
    let address: SocketAddress
    let peer: String
    private let made = MonotonicInstant.now
    let wire: LinkWire
    let loop: EventLoop
    let record: ConnectionRecord
    let state: Mutex<State>
    /// Nil until a subchannel uses the connection.
    private let owner = Mutex<(any LinkOwner)?>(nil)

    /// - Parameter wire: Its TLS handshake, if there is one, is complete.
    init(
        _ wire: consuming LinkWire, to address: SocketAddress, _ times: ConnectionTimes,
        loop: EventLoop, _ arguments: ChannelArguments
    ) {
        self.wire = wire
        self.address = address
        peer = "\(address)"
        self.loop = loop
        // Its `ready` time stays nil: a call may have to wait for the connection, so its headers
        // are not always sent at its start.
        record = ConnectionRecord(peer: peer, times)
        var limits = HTTP1Limits()
        limits.maxFieldsByteCount = max(limits.maxFieldsByteCount, arguments.maxMetadataByteCount)
        state = Mutex(State(connection: HTTP1.ClientConnection(limits), buffer: ReceiveBuffer()))
    }

    /// Begins to watch the connection.
    func start() {
        do throws(SystemError) {
            try wire.watch(by: loop, for: self)
        } catch {
            return endSoon(with: LinkError(phase: .http2, error))
        }
        // The poller does not report bytes that the handshake has read.
        loop.run { [self] in ready(.readable, now: .now) }
    }
}

extension OtherVersion {
    /// - Parameter isOnly: Whether the server cannot select HTTP/2 instead.
    static func http1(isOnly: Bool) -> OtherVersion {
        OtherVersion("http/1.1", isOnly: isOnly) { wire, address, times, loop, arguments in
            let link = HTTP1Link(wire, to: address, times, loop: loop, arguments)
            link.start()
            return link
        }
    }
}

// MARK: - For the subchannel

extension HTTP1Link: SubchannelLink {
    var isMultiplexed: Bool { false }

    var hasCarriedCall: Bool { state.withLock { $0.hasResponded } }

    func age(at now: MonotonicInstant) -> Duration { made.duration(to: now) }

    var callCount: Int { state.withLock { $0.exchange?.call == nil ? 0 : 1 } }

    var roomCount: Int { state.withLock { $0.isFree ? 1 : 0 } }

    func reportRoom() -> Bool {
        state.withLock { state in
            guard state.ending == nil, !state.isFree else { return false }
            state.isRoomWanted = true
            return true
        }
    }

    var counts: ChannelCounts {
        var counts = ChannelCounts()
        counts.connectionCount = 1
        counts.calls = state.withLock { $0.calls }
        return counts
    }

    func snapshot(isDraining: Bool) -> ConnectionSnapshot {
        ConnectionSnapshot(
            of: self, wire, isDraining: isDraining, streams: state.withLock { $0.calls })
    }

    var acceptsCalls: Bool { state.withLock { $0.ending == nil && !$0.isLeaving } }

    var hasEnded: Bool { state.withLock { $0.ending != nil } }

    var loss: LinkError { state.withLock { $0.ending } ?? .leaving }

    func changeOwner(to owner: any LinkOwner) {
        // The former owner is released outside the lock.
        var former: (any LinkOwner)? = owner
        self.owner.withLock { swap(&$0, &former) }
    }

    func leave() {
        state.withLock { $0.isLeaving = true }
        loop.run { [self] in becomeFree() }
    }

    func endCalls(with error: RPCError) { state.withLock { $0.exchange?.call }?.fail(error) }

    func endSoon(with error: LinkError) { loop.run { [self] in close(error) } }

    /// Ends the connection, on the loop's thread.
    ///
    /// - Parameter failure: The error of the call, which is not sent again; nil, the default, is UNAVAILABLE.
    func close(_ error: LinkError, _ failure: RPCError? = nil) {
        let ended: (exchange: HTTP1Exchange?, isReused: Bool)? = state.withLock { state in
            guard state.ending == nil else { return nil }
            state.ending = error
            state.output.removeAll()
            return (state.exchange.take(), state.exchangeCount > 1)
        }
        guard let ended else { return }
        wire.close(on: loop)
        let isFinal = !ended.isReused || failure != nil || error.isNetworkLoss
        var failure = failure ?? StatusMapping.error(forLost: error, peer: peer)
        failure.phase = .stream
        failure.peer = peer
        // Before the report to the owner: the owner shuts itself down when no call waits for a connection.
        ended.exchange?.connectionEnded(with: failure, mayBeRepeated: !isFinal)
        owner.withLock { $0 }?.linkEnded(self, error)
    }

    /// The connection may have become free. On the loop's thread.
    func becomeFree() {
        let (isOver, hasRoom) = state.withLock { state in
            let hasRoom = state.isFree && state.isRoomWanted
            if hasRoom { state.isRoomWanted = false }
            return (state.isLeaving && state.exchange == nil, hasRoom)
        }
        if isOver { close(.leaving) }
        if hasRoom { owner.withLock { $0 }?.linkHasRoom(self) }
    }
}

extension HTTP1Link.State {
    /// Whether the connection can carry a call now.
    var isFree: Bool {
        ending == nil && !isLeaving && exchange == nil && connection.canBegin
    }

    var calls: CallCounts {
        var counts = CallCounts()
        counts.started = startedCallCount
        counts.succeeded = succeededCallCount
        let isRunning = exchange?.isAttached == true && exchange?.call != nil
        counts.failed = startedCallCount - succeededCallCount - (isRunning ? 1 : 0)
        return counts
    }
}

extension LinkError {
    /// This side closes the connection.
    static func closed(_ cause: String) -> LinkError {
        LinkError(phase: .http2, cause: cause, kind: .ownEnd)
    }

    static var leaving: LinkError { .closed("this side closed the connection") }
}
