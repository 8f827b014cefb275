import Synchronization

/// Sees how many are in the same place at once.
final class Overlap: Sendable {
    private let running = Mutex((now: 0, most: 0))

    var most: Int { running.withLock { $0.most } }

    /// Stays for a while in which others may come.
    func stay() async {
        running.withLock { running in
            running.now += 1
            running.most = max(running.most, running.now)
        }
        for _ in 0..<10 { await Task.yield() }
        running.withLock { $0.now -= 1 }
    }
}
