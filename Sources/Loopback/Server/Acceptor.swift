import SwiftletCore
import SwiftletTransport
import Synchronization

/// One connection of a server.
protocol AcceptedConnection: AnyObject, Sendable {
    func start()
    /// Accepts no more requests. Running calls may end.
    func leaveGracefully()
    func end()
}

/// Accepts connections and keeps their sessions.
final class Acceptor: Pollable, TimerTarget {
    private struct State {
        var sessions: [ObjectIdentifier: any AcceptedConnection] = [:]
        var token: UInt64?
        var acceptedCount = 0
        var isStopped = false
        /// Whether a timer will try to accept again.
        var isRetrying = false
    }

    private let listener: Listener
    let methods: ServerMethods
    let handlerThreads: HandlerThreads
    private let provider: (any TLSProvider)?
    private let queue: CompletionQueue
    private let state = Mutex(State())

    init(
        _ listener: consuming Listener, _ methods: ServerMethods, _ provider: (any TLSProvider)?,
        _ queue: CompletionQueue
    ) {
        self.listener = listener
        self.methods = methods
        self.provider = provider
        self.queue = queue
        handlerThreads = HandlerThreads(queue.loop)
    }
}

extension Acceptor {
    func start() throws(SystemError) {
        let token = try queue.loop.add(listener.descriptor, self)
        state.withLock { $0.token = token }
        queue.loop.run { [self] in ready(.readable, now: .now) }
    }

    func ready(_ readiness: Poller.Readiness, now: MonotonicInstant) {
        do throws(SystemError) {
            while let socket = try listener.acceptNext() {
                accept(socket, isTCP: listener.address.isTCP)
            }
        } catch {
            // For example, no descriptor is left. The poller does not report the waiting connections again, so a
            // timer tries again.
            let isFirst = state.withLock { state in
                defer { state.isRetrying = true }
                return !state.isRetrying
            }
            if isFirst { _ = queue.loop.schedule(self, at: now + Self.pause) }
        }
    }

    private static let pause = Duration.milliseconds(50)

    /// Serves a connected socket. May be called from any thread.
    func accept(_ socket: consuming Socket, isTCP: Bool) {
        guard let session = makeSession(socket, isTCP: isTCP) else { return }
        let isStopped = state.withLock { state in
            state.acceptedCount += 1
            if !state.isStopped { state.sessions[ObjectIdentifier(session)] = session }
            return state.isStopped
        }
        guard !isStopped else { return }
        if queue.loop.isCurrent { session.start() } else { queue.loop.run { session.start() } }
    }

    private func makeSession(
        _ socket: consuming Socket, isTCP: Bool
    ) -> (any AcceptedConnection)? {
        // A closed socket refuses the option. Reading from the socket then reports the error.
        if isTCP { try? socket.setTCPOptions() }
        let tls = try? provider?.makeSession(host: nil)
        if provider != nil, tls == nil { return nil }
        let wire = LinkWire(socket, tls)
        guard methods.answersHTTP1 else { return ServerSession(wire, methods, queue.loop, self) }
        return VersionChoice(wire, methods, queue.loop, self)
    }

    /// Called when the version of a connection is known. From now on, `session` serves the connection.
    func replace(_ choice: VersionChoice, with session: any AcceptedConnection) {
        let isStopped = state.withLock { state in
            state.sessions[ObjectIdentifier(choice)] = nil
            if !state.isStopped { state.sessions[ObjectIdentifier(session)] = session }
            return state.isStopped
        }
        if isStopped { session.end() } else { session.start() }
    }

    func timerFired(now: MonotonicInstant) {
        state.withLock { $0.isRetrying = false }
        if !isStopped { ready(.readable, now: now) }
    }

    func sessionEnded(_ session: any AcceptedConnection) {
        _ = state.withLock { $0.sessions.removeValue(forKey: ObjectIdentifier(session)) }
    }

    func stop() {
        let (sessions, token, isFirst) = state.withLock { state in
            let isFirst = !state.isStopped
            state.isStopped = true
            defer { state.sessions = [:] }
            return (Array(state.sessions.values), state.token.take(), isFirst)
        }
        guard isFirst else { return }
        for fault in methods.book.unused {
            printToStandardError("loopback server: the fault '\(fault)' did not apply to any call")
        }
        if let token { queue.loop.remove(listener.descriptor, token) }
        listener.stop()
        queue.loop.run {
            for session in sessions { session.end() }
        }
        handlerThreads.stop()
        queue.shutdown()
    }

    func leaveGracefully() {
        let sessions = state.withLock { Array($0.sessions.values) }
        for session in sessions { session.leaveGracefully() }
    }

    var isStopped: Bool { state.withLock { $0.isStopped } }

    var acceptedCount: Int { state.withLock { $0.acceptedCount } }
}
