import Swiftlet
import SwiftletStyles
import Synchronization
import Testing

@Suite("A writer", .timeLimit(.minutes(5)))
struct WriterTests {
    @Test("of a sequence writes its values and then the end")
    func sequence() throws {
        let sink = Sink<Int>()
        let writer = SequenceWriter([1, 2, 3])
        #expect(writer.state == .notStarted)
        try writer.start(with: sink)
        #expect(sink.all == ["1", "2", "3", "done"])
        #expect(writer.state == .finished)
    }

    @Test("of one value writes it and then the end")
    func single() throws {
        let sink = Sink<String>()
        try SequenceWriter(value: "only").start(with: sink)
        #expect(sink.all == ["only", "done"])
    }

    @Test("that is paused writes nothing until it is resumed")
    func pausing() throws {
        let writer = SequenceWriter(1...4)
        let sink = Sink<Int> { if $0 == 2 { writer.pause() } }
        try writer.start(with: sink)
        #expect(sink.all == ["1", "2"])
        #expect(writer.state == .paused)
        writer.resume()
        #expect(sink.all == ["1", "2", "3", "4", "done"])
    }

    @Test("may finish while it is paused, and reports the end once")
    func finishing() throws {
        let writer = SequenceWriter(1...4)
        let sink = Sink<Int> { _ in writer.pause() }
        try writer.start(with: sink)
        try writer.finish(RPCError(.aborted, "enough"))
        try writer.finish()
        writer.resume()
        #expect(sink.all == ["1", "ABORTED"])
    }

    @Test("that is stopped does not complete its writeable")
    func stopping() throws {
        let writer = SequenceWriter(1...4)
        let sink = Sink<Int> { _ in writer.stop() }
        try writer.start(with: sink)
        #expect(sink.all == ["1"])
        #expect(writer.state == .finished)
    }

    @Test("starts once, and finishes only after that")
    func order() throws {
        let writer = SequenceWriter(1...4)
        let early = #expect(throws: RPCError.self) { try writer.finish() }
        #expect(early?.message == "the writer cannot be finished: it is not started")
        try writer.start(with: Sink<Int>())
        let twice = #expect(throws: RPCError.self) { try writer.start(with: Sink<Int>()) }
        #expect(twice?.message == "the writer cannot be started: it is finished")
        let neverStarted = SequenceWriter(1...4)
        neverStarted.pause()
        neverStarted.resume()
        #expect(neverStarted.state == .notStarted)
    }

    @Test("of an asynchronous sequence ends with its error")
    func asynchronous() async throws {
        struct Failure: Error {}
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: Int.self)
        let writer = AsyncSequenceWriter(stream)
        let sink = Sink<Int>()
        try writer.start(with: sink)
        continuation.yield(1)
        continuation.yield(2)
        continuation.finish(throwing: Failure())
        await sink.waitForEnd()
        #expect(sink.all == ["1", "2", "UNKNOWN"])
    }

    @Test("of an asynchronous sequence keeps one value during a pause, and requests no more")
    func asynchronousPause() async throws {
        let (asked, asking) = AsyncStream.makeStream(of: Int.self)
        let askedCount = Atomic(0)
        let mayWriteMore = Atomic(false)
        let numbers = AsyncStream<Int> {
            let number = askedCount.wrappingAdd(1, ordering: .relaxed).newValue
            asking.yield(number)
            return number > 4 ? nil : number
        }
        let writer = AsyncSequenceWriter(numbers)
        let sink = Sink<Int> { number in
            if number == 2 { writer.pause() }
            #expect(number <= 2 || mayWriteMore.load(ordering: .relaxed))
        }
        try writer.start(with: sink)
        for await number in asked where number == 3 { break }
        // A writer that was not paused would reach the end of the numbers during these yields.
        for _ in 0..<1_000 { await Task.yield() }
        #expect(writer.state == .paused)
        #expect(sink.all == ["1", "2"])
        #expect(askedCount.load(ordering: .relaxed) == 3)
        mayWriteMore.store(true, ordering: .relaxed)
        writer.resume()
        await sink.waitForEnd()
        #expect(sink.all == ["1", "2", "3", "4", "done"])
    }

    @Test("that is a pipe buffers values before its start and during a pause")
    func pipe() throws {
        let pipe = PipeWriter<Int>()
        pipe.write(1)
        pipe.write(2)
        let sink = Sink<Int>()
        try pipe.start(with: sink)
        #expect(sink.all == ["1", "2"])
        pipe.pause()
        pipe.write(3)
        pipe.writesFinished(nil)
        #expect(sink.all == ["1", "2"])
        pipe.resume()
        #expect(sink.all == ["1", "2", "3", "done"])
        pipe.write(4)
        #expect(sink.all == ["1", "2", "3", "done"])
    }

    @Test("that is mapped changes values, and ends with what the change throws")
    func mapped() throws {
        let sink = Sink<String>()
        try MappedWriter(SequenceWriter(1...3)) { number in
            guard number < 3 else { throw RPCError(.outOfRange, "three") }
            return "number \(number)"
        }.start(with: sink)
        #expect(sink.all == ["number 1", "number 2", "OUT_OF_RANGE"])
    }
}
