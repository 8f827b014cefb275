import Synchronization

/// Lines that are added from any thread, in order.
final class Notes: Sendable {
    private let lines = Mutex<[String]>([])
    private let onAdd: @Sendable () -> Void

    init(onAdd: @escaping @Sendable () -> Void = {}) { self.onAdd = onAdd }

    var all: [String] { lines.withLock { $0 } }

    func add(_ line: String) {
        lines.withLock { $0.append(line) }
        onAdd()
    }
}
