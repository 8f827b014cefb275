import SwiftletTransport
import Synchronization

// How an HTTP/1.1 channel opens, reuses and closes connections.

/// Tries to connect again.
final class RetryTimer: TimerTarget {
    private let channel: HTTP1Channel

    init(_ channel: HTTP1Channel) { self.channel = channel }

    func timerFired(now: MonotonicInstant) { channel.retry(now: now) }
}

// MARK: - Connections

extension HTTP1Channel: HTTP1LinkOwner {
    fileprivate func retry(now: MonotonicInstant) {
        timer.hasFired(now: now)
        advance()
    }

    func connectOnce() {
        let route = WireRoute(
            target: target, credentials: credentials, arguments: arguments,
            protocols: whenHTTP2 == nil ? ["http/1.1"] : ["h2", "http/1.1"], sockets: sockets,
            proxy: proxy)
        let attempt = HTTP1Attempt(route, loop: loop)
        state.withLock { $0.attempts[ObjectIdentifier(attempt)] = attempt }
        Task(executorPreference: loop) { [self] in
            let result: Result<OpenConnection, ConnectionFailure>
            do throws(ConnectionFailure) {
                result = .success(try await attempt.run())
            } catch {
                result = .failure(error)
            }
            let isCurrent = state.withLock {
                $0.attempts.removeValue(forKey: ObjectIdentifier(attempt)) != nil
            }
            switch result {
            // The channel has cancelled the attempt.
            case .success(let connection) where !isCurrent: connection.giveUp()
            case .failure where !isCurrent: break
            case .success(let connection): adopt(connection)
            case .failure(let failure): attemptFailed(failure, begun: attempt.begun)
            }
        }
    }

    private func attemptFailed(_ failure: ConnectionFailure, begun: MonotonicInstant) {
        whenNotHTTP2?()
        let steps = change { $0.pool.attemptFailed(failure, begun: begun) }
        for step in steps { perform(step) }
        advance()
    }

    private func adopt(_ connection: OpenConnection) {
        if connection.applicationProtocol == "h2", let whenHTTP2 {
            let waiting = change { state in
                state.pool.attemptEnded()
                return state.pool.takeWaiting()
            }
            whenHTTP2(connection, waiting)
            return endIfReleased()
        }
        whenNotHTTP2?()
        var limits = HTTP1Limits()
        limits.maxFieldsByteCount = max(limits.maxFieldsByteCount, arguments.maxMetadataByteCount)
        guard let wire = connection.takeWire() else { return }
        let link = HTTP1Link(
            wire, to: connection.address, connection.times, limits, loop: loop, owner: self)
        let isShutDown = change { state in
            state.pool.attemptSucceeded(link)
            return state.isShutDown
        }
        guard !isShutDown else { return link.end("the channel was closed") }
        link.start()
        advance()
        scheduleIdleCheck()
    }

    func linkIsFree(_ link: HTTP1Link) {
        putBack(link)
        advance()
    }

    /// Makes a connection without a call available to other calls, unless the channel drains it.
    func putBack(_ link: HTTP1Link) {
        let isLeaving = change { state in
            let isLeaving = state.isShutDown || state.leaving.contains { $0 === link }
            if !isLeaving { state.pool.free(link) }
            return isLeaving
        }
        if isLeaving { link.end("the channel was closed") } else { scheduleIdleCheck() }
    }

    func linkEnded(_ link: HTTP1Link, lossCause: String?) {
        let loss = lossCause.map { cause in
            ConnectionFailure(
                phase: .connect, attempts: [(link.peer, "connect \(link.peer): \(cause)")])
        }
        let now = MonotonicInstant.now
        let (steps, closers): ([Pool.Step], [HTTP1ClosingWait]) = change { state in
            let steps = state.pool.remove(link, loss: loss, now: now)
            state.leaving.removeAll { $0 === link }
            let isLast = state.isShutDown && state.pool.busy.isEmpty
            return (steps, isLast ? state.takeClosers() : [])
        }
        for step in steps { perform(step) }
        for closer in closers { closer.connectionsEnded() }
        loop.run { [self] in advance() }
    }

    private func scheduleIdleCheck() {
        guard let timeout = arguments.effectiveIdleTimeout,
            let first = state.withLock({ $0.pool.free.map(\.idleSince).min() })
        else { return }
        idleTimer.schedule(self, noLaterThan: first + timeout, on: loop)
    }
}

extension HTTP1Channel: TimerTarget {
    /// Closes connections that no call has used for the idle time-out.
    func timerFired(now: MonotonicInstant) {
        idleTimer.hasFired(now: now)
        guard let timeout = arguments.effectiveIdleTimeout else { return }
        let idle = change { state in
            state.pool.takeFree(idleSince: now - timeout)
        }
        for link in idle { link.end("the connection was idle") }
        scheduleIdleCheck()
    }
}

extension HTTP1Channel.State {
    mutating func takeClosers() -> [HTTP1ClosingWait] {
        defer { closers = [] }
        return closers
    }
}
