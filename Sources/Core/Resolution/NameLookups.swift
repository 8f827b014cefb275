import SwiftletTransport
import Synchronization

/// Looks names up on threads of its own, because the system's resolver blocks.
///
/// All channels of a program share it. Several requests for a name share one look-up, and a thread
/// that has become free is used for the next name. So a resolver that hangs blocks one thread for
/// each name, not one for each attempt to connect.
final class NameLookups: Sendable {
    typealias Answer = Result<[SocketAddress], NameLookup.Failure>
    typealias Resolve = @Sendable (_ host: String) -> Answer

    /// A request for a name, to be cancelled when its answer is not needed any more.
    struct Ticket: Sendable {
        fileprivate let host: String
        fileprivate let number: UInt64
    }

    private struct State: ~Copyable {
        /// The requests that wait for an answer, by name.
        var requests: [String: [UInt64: @Sendable (Answer) -> Void]] = [:]
        /// Names that no thread has taken yet, in order.
        var queue = Backlog<String>()
        var requestCount: UInt64 = 0
        var threadCount = 0
        var idleThreadCount = 0
    }

    /// Looks up with the system's resolver.
    static let shared = NameLookups(maxThreadCount: 64) { host in
        do throws(NameLookup.Failure) {
            return .success(try NameLookup.addresses(of: host, port: 0))
        } catch {
            return .failure(error)
        }
    }

    /// A thread without work ends after this time.
    private static let idleTime = Duration.seconds(10)

    private let maxThreadCount: Int
    private let resolve: Resolve
    private let gate = BlockingGate()
    private let state = Mutex(State())

    init(maxThreadCount: Int, resolve: @escaping Resolve) {
        self.maxThreadCount = maxThreadCount
        self.resolve = resolve
    }
}

extension NameLookups {
    /// Calls `receive` with the addresses of `host`, without a port, on one of its threads.
    func lookUp(_ host: String, _ receive: @escaping @Sendable (Answer) -> Void) -> Ticket {
        let (ticket, needsThread) = state.withLock { state in
            state.requestCount += 1
            let ticket = Ticket(host: host, number: state.requestCount)
            let isNew = state.requests[host] == nil
            state.requests[host, default: [:]][ticket.number] = receive
            guard isNew else { return (ticket, false) }
            state.queue.append(host)
            let needsThread =
                state.idleThreadCount < state.queue.count && state.threadCount < maxThreadCount
            if needsThread { state.threadCount += 1 }
            return (ticket, needsThread)
        }
        guard needsThread else {
            gate.open()
            return ticket
        }
        if !Thread.start("swiftlet-lookup", { [self] in work() }) { threadIsMissing() }
        return ticket
    }

    /// Removes a request whose answer is not needed any more. A look-up that has begun continues: it
    /// cannot be interrupted.
    func cancel(_ ticket: Ticket) {
        let receive = state.withLock {
            $0.requests[ticket.host]?.removeValue(forKey: ticket.number)
        }
        // Released outside the lock.
        _ = receive
    }

    /// The number of threads now, for tests of leaks.
    var threadCount: Int { state.withLock { $0.threadCount } }

    /// The system could not start a thread. A running thread looks the name up when it is free.
    /// Without a running thread, all waiting names fail.
    private func threadIsMissing() {
        let failed: [String: [UInt64: @Sendable (Answer) -> Void]] = state.withLock { state in
            state.threadCount -= 1
            guard state.threadCount == 0 else { return [:] }
            var failed: [String: [UInt64: @Sendable (Answer) -> Void]] = [:]
            while let host = state.queue.popFirst() {
                failed[host] = state.requests.removeValue(forKey: host)
            }
            return failed
        }
        for (host, requests) in failed {
            let failure = NameLookup.Failure(
                host: host, reason: "the system cannot start a thread")
            for receive in requests.values { receive(.failure(failure)) }
        }
    }

    private func work() {
        while let host = nextName() {
            let answer = resolve(host)
            let requests = state.withLock { $0.requests.removeValue(forKey: host) }
            for receive in (requests ?? [:]).values { receive(answer) }
        }
    }

    /// The next name to look up. Waits for one; nil if none was requested within `idleTime`.
    private func nextName() -> String? {
        let end = MonotonicInstant.now + Self.idleTime
        var isIdle = false
        while true {
            let mark = gate.mark
            let isLate = MonotonicInstant.now >= end
            let (host, mustEnd): (String?, Bool) = state.withLock { state in
                while let host = state.queue.popFirst() {
                    if state.requests[host]?.isEmpty == false {
                        if isIdle { state.idleThreadCount -= 1 }
                        return (host, false)
                    }
                    // All its requests were cancelled.
                    state.requests[host] = nil
                }
                if isLate {
                    if isIdle { state.idleThreadCount -= 1 }
                    state.threadCount -= 1
                    return (nil, true)
                }
                if !isIdle { state.idleThreadCount += 1 }
                return (nil, false)
            }
            if host != nil || mustEnd { return host }
            isIdle = true
            gate.wait(since: mark, upTo: MonotonicInstant.now.duration(to: end))
        }
    }
}
