import Swiftlet
import SwiftletStyles
import Synchronization

/// Records the values that are written to the sink, and its end, as text.
final class Sink<Value: Sendable>: Writeable {
    private let lines = Mutex<[String]>([])
    private let onWrite: @Sendable (Value) -> Void
    let finished: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init(onWrite: @escaping @Sendable (Value) -> Void = { _ in }) {
        self.onWrite = onWrite
        (finished, continuation) = AsyncStream.makeStream()
    }

    var all: [String] { lines.withLock { $0 } }

    func write(_ value: Value) {
        lines.withLock { $0.append("\(value)") }
        onWrite(value)
    }

    func writesFinished(_ error: RPCError?) {
        lines.withLock { $0.append(error.map { "\($0.code)" } ?? "done") }
        continuation.finish()
    }

    func waitForEnd() async { for await _ in finished {} }
}
