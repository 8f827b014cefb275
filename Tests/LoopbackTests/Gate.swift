import Synchronization

/// Blocks handlers until the test opens it. The test can wait until handlers have arrived.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var arrivalCount = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }
    private let state = Mutex(State())
    private let continuation: AsyncStream<String>.Continuation
    let arrivals: AsyncStream<String>

    /// The number of calls of `pass(_:)` so far, also of those that found the gate open.
    var arrivalCount: Int { state.withLock { $0.arrivalCount } }

    init() { (arrivals, continuation) = AsyncStream.makeStream() }

    func pass(_ name: String = "") async {
        await withCheckedContinuation { waiter in
            let isOpen = state.withLock { state in
                state.arrivalCount += 1
                if !state.isOpen { state.waiting.append(waiter) }
                return state.isOpen
            }
            continuation.yield(name)
            if isOpen { waiter.resume() }
        }
    }

    /// Waits for `count` further arrivals.
    func waitFor(_ count: Int) async {
        for await _ in arrivals.prefix(count) {}
    }

    /// Resumes all waiting handlers, and makes `pass(_:)` return at once from now on.
    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiter in waiting { waiter.resume() }
    }
}
