import SwiftletCore
import SwiftletTransport
import Synchronization

/// Runs work that blocks, on a limited number of threads of its own.
final class BlockingWork: Sendable {
    /// Is called with false, on the caller's thread, if the system cannot start a thread.
    typealias Body = @Sendable (_ hasThread: Bool) -> Void

    private struct State {
        /// Work that no thread has taken yet, in order.
        var queue = Backlog<Body>()
        var threadCount = 0
    }

    private let name: String
    private let maxThreadCount: Int
    private let state = Mutex(State())

    init(_ name: String, maxThreadCount: Int) {
        self.name = name
        self.maxThreadCount = maxThreadCount
    }
}

extension BlockingWork {
    /// Calls `body` once, on a new thread or when a thread is free.
    func run(_ body: @escaping Body) {
        let needsThread = state.withLock { state in
            state.queue.append(body)
            guard state.threadCount < maxThreadCount else { return false }
            state.threadCount += 1
            return true
        }
        if needsThread, !Thread.start(name, { [self] in work() }) { threadIsMissing() }
    }

    /// The system could not start a thread. A running thread does the work when it is free. Without a
    /// running thread, all waiting work fails.
    private func threadIsMissing() {
        let failed: [Body] = state.withLock { state in
            state.threadCount -= 1
            var failed: [Body] = []
            while state.threadCount == 0, let body = state.queue.popFirst() { failed.append(body) }
            return failed
        }
        for body in failed { body(false) }
    }

    private func work() {
        while let body = next() { body(true) }
    }

    private func next() -> Body? {
        state.withLock { state in
            let body = state.queue.popFirst()
            if body == nil { state.threadCount -= 1 }
            return body
        }
    }
}
