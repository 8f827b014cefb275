import Swiftlet
import SwiftletStyles
import Synchronization
import Testing

@Suite("A concurrent writeable", .timeLimit(.minutes(5)))
struct ConcurrentWriteableTests {
    @Test("delivers in order, and the end once")
    func order() {
        let sink = Sink<Int>()
        let writeable = ConcurrentWriteable(sink)
        let delivered = Mutex(0)
        for index in 0..<3 { writeable.enqueue(index) { delivered.withLock { $0 += 1 } } }
        writeable.enqueueSuccessfulCompletion()
        writeable.enqueueSuccessfulCompletion()
        writeable.cancel(with: RPCError(.aborted, "too late"))
        writeable.enqueue(9)
        #expect(sink.all == ["0", "1", "2", "done"])
        #expect(delivered.withLock { $0 } == 3)
    }

    /// A context that runs its work only when the test calls `run()`.
    private final class Later: Sendable {
        private let work = Mutex<[@Sendable () -> Void]>([])
        var context: SerialContext {
            .on { [self] body in work.withLock { $0.append(body) } }
        }
        func run() {
            let all = work.withLock { work in
                defer { work = [] }
                return work
            }
            for body in all { body() }
        }
    }

    @Test("that is cancelled drops undelivered values")
    func cancelling() {
        let (sink, later) = (Sink<Int>(), Later())
        let writeable = ConcurrentWriteable(sink, context: later.context)
        writeable.enqueue(1)
        writeable.enqueueSuccessfulCompletion()
        writeable.cancel(with: RPCError(.aborted, "stop"))
        later.run()
        #expect(sink.all == ["ABORTED"])
    }

    @Test("that is cancelled silently delivers neither values nor an end")
    func silence() {
        let (sink, later) = (Sink<Int>(), Later())
        let writeable = ConcurrentWriteable(sink, context: later.context)
        writeable.enqueue(1)
        writeable.cancelSilently()
        writeable.enqueueSuccessfulCompletion()
        later.run()
        #expect(sink.all == [])
    }

    @Test("ends once in any race")
    func race() async {
        for round in 0..<200 {
            let sink = Sink<Int>()
            let writeable = ConcurrentWriteable(sink)
            await withTaskGroup(of: Void.self) { group in
                for value in 0..<8 { group.addTask { writeable.enqueue(value) } }
                group.addTask { writeable.enqueueSuccessfulCompletion() }
                group.addTask { writeable.cancel(with: RPCError(.aborted, "stop")) }
            }
            let ends = sink.all.filter { $0 == "done" || $0 == "ABORTED" }
            #expect(ends.count == 1, "round \(round)")
            #expect(sink.all.last == ends.first, "round \(round)")
        }
    }
}
