import Swiftlet
import SwiftletStyles
import Synchronization
import Testing

@Suite("gRPC for Objective-C: writers and writeables", .timeLimit(.minutes(5)))
struct ObjectiveCWriterTests {
    /// A sequence that counts the calls of `next()`.
    private struct Source: Sequence, IteratorProtocol, Sendable {
        final class Count: Sendable { let value = Atomic(0) }
        let count = Count()
        func next() -> Int? {
            let number = count.value.wrappingAdd(1, ordering: .relaxed).newValue
            return number > 3 ? nil : number
        }
    }

    @Test("GRXWriter, not started: start begins the side effect; nothing else leaves the state")
    func notStarted() throws {
        let source = Source()
        let writer = SequenceWriter(source)
        #expect(source.count.value.load(ordering: .relaxed) == 0)
        writer.pause()
        writer.resume()
        #expect(throws: RPCError.self) { try writer.finish() }
        #expect(writer.state == .notStarted)
        #expect(source.count.value.load(ordering: .relaxed) == 0)
        let sink = Sink<Int>()
        try writer.start(with: sink)
        #expect(sink.all == ["1", "2", "3", "done"])
    }

    @Test("GRXWriter, started: finish ends the writeable and releases it; start is refused")
    func started() throws {
        let pipe = PipeWriter<Int>()
        let sink = Sink<Int>()
        try pipe.start(with: sink)
        pipe.write(1)
        #expect(pipe.state == .started)
        #expect(throws: RPCError.self) { try pipe.start(with: Sink<Int>()) }
        try pipe.finish(RPCError(.aborted, "enough"))
        #expect(pipe.state == .finished)
        #expect(sink.all == ["1", "ABORTED"])
    }

    @Test("GRXWriter, paused: no values until it is resumed; may finish from there")
    func paused() throws {
        let pipe = PipeWriter<Int>()
        let sink = Sink<Int>()
        try pipe.start(with: sink)
        pipe.pause()
        pipe.write(1)
        #expect(sink.all.isEmpty && pipe.state == .paused)
        pipe.resume()
        #expect(sink.all == ["1"] && pipe.state == .started)
        pipe.pause()
        try pipe.finish()
        #expect(sink.all == ["1", "done"] && pipe.state == .finished)
    }

    @Test("GRXWriter, finished by hand: the writeable is released and receives no end")
    func finished() async throws {
        let (released, continuation) = AsyncStream.makeStream(of: Void.self)
        let told = Mutex<[String]>([])
        let pipe = PipeWriter<Int>()
        do {
            let token = Released(continuation)
            try pipe.start(
                with: HandlerWriteable<Int>(event: { event in
                    withExtendedLifetime(token) { told.withLock { $0.append("\(event)") } }
                }))
        }
        pipe.stop()
        for await _ in released {}
        pipe.write(1)
        pipe.pause()
        pipe.resume()
        #expect(pipe.state == .finished)
        #expect(told.withLock { $0 }.isEmpty)
        #expect(throws: RPCError.self) { try pipe.start(with: Sink<Int>()) }
    }

    @Test("GRXWriter: of one value, of sequences, a pipe, and mapped from another")
    func kinds() async throws {
        let single = Sink<Int>()
        try SingleValueWriter(value: 7).start(with: single)
        #expect(single.all == ["7", "done"])
        let later = Sink<Int>()
        let stream = AsyncStream<Int> { continuation in
            continuation.yield(1)
            continuation.yield(2)
            continuation.finish()
        }
        try AsyncSequenceWriter(stream).start(with: later)
        await later.waitForEnd()
        #expect(later.all == ["1", "2", "done"])
        let (source, mapped) = (PipeWriter<Int>(), Sink<String>())
        try MappedWriter(source) { "<\($0)>" }.start(with: mapped)
        source.write(3)
        source.writesFinished(nil)
        #expect(mapped.all == ["<3>", "done"])
    }

    @Test("GRXWriteable: made from a single-value handler, an event handler, or two handlers")
    func writeables() throws {
        let heard = Notes()
        let single = SingleValueWriteable<Int> { heard.add("single \((try? $0.get()) ?? -1)") }
        try SequenceWriter([4]).start(with: single)
        let events = HandlerWriteable<Int>(event: { event in
            switch event {
            case .value(let value): heard.add("value \(value)")
            case .done: heard.add("done")
            case .error(let error): heard.add("\(error.code)")
            }
        })
        try SequenceWriter([5]).start(with: events)
        let both = HandlerWriteable<Int>(
            value: { heard.add("value \($0)") },
            completion: { heard.add("end \($0?.code ?? .ok)") })
        try SequenceWriter([6]).start(with: both)
        #expect(heard.all == ["single 4", "value 5", "done", "value 6", "end OK"])
    }

    @Test("GRXWriteable: a single-value handler gets exactly one value, or an error")
    func singleValue() {
        for values in [[], [1, 2]] {
            let failures = Mutex<[StatusCode]>([])
            let single = SingleValueWriteable<Int> { result in
                guard case .failure(let error) = result else { return }
                failures.withLock { $0.append(error.code) }
            }
            for value in values { single.write(value) }
            single.writesFinished(nil)
            #expect(failures.withLock { $0.count } == 1)
        }
    }

    @Test("GRXConcurrentWriteable: delivers on one context, in order, and handlers after values")
    func concurrentOrder() async throws {
        let queue = try CompletionQueue()
        let elsewhere = Atomic(0)
        let heard = Notes {
            if !queue.loop.isCurrent { elsewhere.wrappingAdd(1, ordering: .relaxed) }
        }
        let sink = Sink<Int> { heard.add("\($0)") }
        let writeable = ConcurrentWriteable(sink, context: .queue(queue))
        for value in 1...3 { writeable.enqueue(value) { heard.add("after \(value)") } }
        writeable.enqueueSuccessfulCompletion()
        await sink.waitForEnd()
        #expect(heard.all == (1...3).flatMap { ["\($0)", "after \($0)"] })
        #expect(sink.all.last == "done")
        #expect(elsewhere.load(ordering: .relaxed) == 0)
        queue.shutdown()
        await queue.waitForShutdown()
    }

    @Test("GRXConcurrentWriteable: cancelWithError delivers the error, cancelSilently nothing")
    func concurrentCancel() {
        let (told, silent) = (Sink<Int>(), Sink<Int>())
        let first = ConcurrentWriteable(told)
        first.cancel(with: RPCError(.aborted, "stop"))
        first.enqueueSuccessfulCompletion()
        let second = ConcurrentWriteable(silent)
        second.cancelSilently()
        second.enqueue(1)
        second.enqueueSuccessfulCompletion()
        #expect(told.all == ["ABORTED"])
        #expect(silent.all.isEmpty)
    }

    @Test("GRXConcurrentWriteable: the finish reaches the writeable once in any race")
    func concurrentRace() async {
        for _ in 0..<100 {
            let sink = Sink<Int>()
            let writeable = ConcurrentWriteable(sink)
            await withTaskGroup(of: Void.self) { group in
                group.addTask { writeable.enqueue(1) }
                group.addTask { writeable.enqueueSuccessfulCompletion() }
                group.addTask { writeable.enqueueCompletion(RPCError(.internal, "late")) }
                group.addTask { writeable.cancel(with: RPCError(.aborted, "stop")) }
            }
            #expect(sink.all.filter { $0 != "1" }.count == 1)
            #expect(sink.all.last != "1")
        }
    }
}
