import SwiftletTransport
import Synchronization

/// Looks names up on threads of its own, because the system's resolver blocks.
///
/// All channels of a program share it. Several requests for a name share one look-up. So a resolver
/// that hangs blocks one thread for each name, not one for each attempt to connect. A thread that has
/// become free looks up the next name, and ends when there is none.
package final class NameLookups: Sendable {
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
    }

    /// Looks up with the system's resolver.
    package static let shared = NameLookups(maxThreadCount: 64) { host in
        do throws(NameLookup.Failure) {
            return .success(try NameLookup.addresses(of: host, port: 0))
        } catch {
            return .failure(error)
        }
    }

    private let maxThreadCount: Int
    private let resolve: Resolve
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
            if isNew { state.queue.append(host) }
            let needsThread = isNew && state.threadCount < maxThreadCount
            if needsThread { state.threadCount += 1 }
            return (ticket, needsThread)
        }
        if needsThread, !Thread.start("swiftlet-lookup", { [self] in work() }) {
            threadIsMissing()
        }
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

    /// The next name to look up. Nil ends the thread: a name that is requested later gets another one.
    private func nextName() -> String? {
        state.withLock { state in
            while let host = state.queue.popFirst() {
                if state.requests[host]?.isEmpty == false { return host }
                // All its requests were cancelled.
                state.requests[host] = nil
            }
            state.threadCount -= 1
            return nil
        }
    }
}
