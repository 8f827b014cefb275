import Synchronization

/// Counts how many tasks are in `stay()` at the same time.
final class Overlap: Sendable {
    private let running = Mutex((now: 0, most: 0))

    var most: Int { running.withLock { $0.most } }

    /// Yields several times, so that other tasks can call it at the same time.
    func stay() async {
        running.withLock { running in
            running.now += 1
            running.most = max(running.most, running.now)
        }
        for _ in 0..<10 { await Task.yield() }
        running.withLock { $0.now -= 1 }
    }
}
