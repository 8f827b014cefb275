import Dispatch
import Foundation
import Swiftlet
import SwiftletStyles
import Synchronization
import Testing

/// A sink whose `write` blocks until another thread has finished the writer.
private final class SlowSink: Writeable {
    private let lines = Mutex<[String]>([])
    private let interrupt: @Sendable () -> Void
    let finished = AsyncStream<Void>.makeStream()

    init(_ interrupt: @escaping @Sendable () -> Void) { self.interrupt = interrupt }

    var all: [String] { lines.withLock { $0 } }

    func write(_ value: Int) {
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread { [interrupt] in
            interrupt()
            done.signal()
        }
        done.wait()
        lines.withLock { $0.append("\(value)") }
    }

    func writesFinished(_ error: RPCError?) {
        lines.withLock { $0.append("\(error?.code ?? .ok)") }
        finished.continuation.finish()
    }
}

@Suite("A writer that is finished while it writes", .timeLimit(.minutes(5)))
struct FinishedWriterTests {
    /// The values and the end that a sink has received.
    private func lines(_ writer: some Writer<Int>, _ begin: () -> Void = {}) async throws
        -> [String]
    {
        let sink = SlowSink { try? writer.finish(RPCError(.aborted, "enough")) }
        try writer.start(with: sink)
        begin()
        for await _ in sink.finished.stream {}
        return sink.all
    }

    @Test("delivers the end after the value")
    func order() async throws {
        let wanted = ["1", "ABORTED"]
        let fromSequence = try await lines(SequenceWriter([1, 2]))
        #expect(fromSequence == wanted)
        let (stream, continuation) = AsyncStream<Int>.makeStream()
        continuation.yield(1)
        continuation.yield(2)
        let fromStream = try await lines(AsyncSequenceWriter(stream))
        #expect(fromStream == wanted)
        let pipe = PipeWriter<Int>()
        let fromPipe = try await lines(pipe) { pipe.write(1) }
        #expect(fromPipe == wanted)
    }
}
