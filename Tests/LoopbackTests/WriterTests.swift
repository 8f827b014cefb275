import Dispatch
import Foundation
import Swiftlet
import SwiftletLoopback
import Synchronization
import Testing

@Suite("A writer", .timeLimit(.minutes(1)))
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

    @Test("may finish while it is paused, and says so once")
    func finishing() throws {
        let writer = SequenceWriter(1...4)
        let sink = Sink<Int> { _ in writer.pause() }
        try writer.start(with: sink)
        try writer.finish(RPCError(.aborted, "enough"))
        try writer.finish()
        writer.resume()
        #expect(sink.all == ["1", "ABORTED"])
    }

    @Test("that is stopped lets go of its writeable without a word")
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
        #expect(early?.message == "a writer finishes after its start, and this one is not started")
        try writer.start(with: Sink<Int>())
        let twice = #expect(throws: RPCError.self) { try writer.start(with: Sink<Int>()) }
        #expect(twice?.message == "a writer is started only once, and this one is finished")
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

    @Test("of an asynchronous sequence holds a value back during a pause, and asks for no more")
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
        // Were it not paused, it would come to the end of them meanwhile.
        for _ in 0..<1_000 { await Task.yield() }
        #expect(writer.state == .paused)
        #expect(sink.all == ["1", "2"])
        #expect(askedCount.load(ordering: .relaxed) == 3)
        mayWriteMore.store(true, ordering: .relaxed)
        writer.resume()
        await sink.waitForEnd()
        #expect(sink.all == ["1", "2", "3", "4", "done"])
    }

    @Test("that is a pipe keeps what comes while nobody takes it")
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

/// What is written into it takes its time, and somebody ends the writer meanwhile.
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

@Suite("A writer that is finished while it writes", .timeLimit(.minutes(1)))
struct FinishedWriterTests {
    /// What a sink has heard in the end.
    private func lines(_ writer: some Writer<Int>, _ begin: () -> Void = {}) async throws
        -> [String]
    {
        let sink = SlowSink { try? writer.finish(RPCError(.aborted, "enough")) }
        try writer.start(with: sink)
        begin()
        for await _ in sink.finished.stream {}
        return sink.all
    }

    @Test("tells the end behind the value")
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

@Suite("A concurrent writeable", .timeLimit(.minutes(1)))
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

    /// A context that is run by hand.
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

    @Test("that is cancelled drops what it has not delivered")
    func cancelling() {
        let (sink, later) = (Sink<Int>(), Later())
        let writeable = ConcurrentWriteable(sink, context: later.context)
        writeable.enqueue(1)
        writeable.enqueueSuccessfulCompletion()
        writeable.cancel(with: RPCError(.aborted, "stop"))
        later.run()
        #expect(sink.all == ["ABORTED"])
    }

    @Test("that is cancelled silently says nothing")
    func silence() {
        let (sink, later) = (Sink<Int>(), Later())
        let writeable = ConcurrentWriteable(sink, context: later.context)
        writeable.enqueue(1)
        writeable.cancelSilently()
        writeable.enqueueSuccessfulCompletion()
        later.run()
        #expect(sink.all == [])
    }

    @Test("ends once, whatever races")
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

@Suite("A call with writers", .timeLimit(.minutes(1)))
struct CallWriterTests {
    let server: LoopbackServer
    let channel: Channel

    init() throws {
        server = try LoopbackServer {
            $0.addGreeter()
            $0.addRouteGuide()
        }
        channel = try Channel(server.target)
    }

    private func chat(
        _ requests: any Writer<RouteGuide.RouteNote>, _ options: CallOptions = .init()
    ) -> Call<RouteGuide.RouteNote, RouteGuide.RouteNote> {
        Call(
            channel, Method("/routeguide.RouteGuide/RouteChat", .bidirectional),
            requests: requests, options)
    }

    private func note(_ text: String) -> RouteGuide.RouteNote { .with { $0.message = text } }

    @Test("writes its responses, headers before and trailers at the end")
    func unary() async throws {
        let call = Call<HelloRequest, HelloReply>(
            channel, Method("/helloworld.Greeter/SayHello", .unary),
            requests: SequenceWriter(value: HelloRequest(name: "you")))
        #expect(call.state == .notStarted)
        #expect(call.requestHeaders.isEmpty)
        try call.changeRequestHeaders { $0.append("1", for: "X-Test") }
        #expect(call.requestHeaders["x-test"] == "1")
        #expect(call.responseHeaders == nil)
        #expect(call.responseTrailers == nil)
        let sink = Sink<HelloReply> { _ in #expect(call.responseHeaders != nil) }
        try call.start(with: sink)
        await sink.waitForEnd()
        #expect(sink.all.count == 2 && sink.all.last == "done")
        #expect(call.responseTrailers != nil)
        #expect(call.state == .finished)
        let late = #expect(throws: RPCError.self) { try call.changeRequestHeaders { _ in } }
        #expect(late?.code == .failedPrecondition)
        let twice = #expect(throws: RPCError.self) { try call.start(with: sink) }
        #expect(twice?.message == "a call is started only once, and this one is finished")
        #expect([late, twice].allSatisfy { $0?.phase == .preparing })
        #expect([late, twice].allSatisfy { $0?.mayHaveBeenExecuted == false })
    }

    @Test("that finishes before its start is refused, and nothing was sent")
    func finishedTooEarly() {
        let call = chat(SequenceWriter([]))
        let early = #expect(throws: RPCError.self) { try call.finish() }
        #expect(early?.message == "a call finishes after its start")
        #expect(early?.phase == .preparing)
        #expect(early?.mayHaveBeenExecuted == false)
    }

    @Test("carries many requests and responses, whichever of them is faster")
    func many() async throws {
        let sink = Sink<RouteGuide.RouteNote>()
        let call = chat(SequenceWriter((0..<100).map { note("\($0)") }))
        try call.start(with: sink)
        await sink.waitForEnd()
        // The sum of the numbers below 100, and the end.
        #expect(sink.all.count == 4_951)
        #expect(sink.all.last == "done")
    }

    @Test("that is paused before anything came gets nothing until it goes on")
    func pausedAtOnce() async throws {
        let sink = Sink<RouteGuide.RouteNote>()
        let call = chat(SequenceWriter((0..<3).map { note("\($0)") }))
        try call.start(with: sink)
        call.pause()
        // Headers and answers are here when these have been there and back.
        while call.responseHeaders == nil { try await Task.sleep(for: .milliseconds(1)) }
        try await Task.sleep(for: .milliseconds(20))
        #expect(sink.all.isEmpty)
        call.resume()
        await sink.waitForEnd()
        #expect(sink.all.count == 4)
    }

    @Test("mapped from another one ends once, with the value that could not be mapped")
    func mappedFailure() async throws {
        struct Unfit: Error {}
        let sink = Sink<Int>()
        let mapped = MappedWriter(SequenceWriter(1...5)) { value in
            if value == 3 { throw Unfit() }
            return value * 10
        }
        try mapped.start(with: sink)
        await sink.waitForEnd()
        #expect(sink.all.count == 3)
        #expect(sink.all.prefix(2) == ["10", "20"])
    }

    @Test("that is paused asks for no more")
    func pausing() async throws {
        let pipe = PipeWriter<RouteGuide.RouteNote>()
        let (answers, continuation) = AsyncStream.makeStream(of: String.self)
        let call = chat(pipe)
        try call.start(
            with: HandlerWriteable(
                value: { answer in
                    call.pause()
                    continuation.yield(answer.message)
                },
                completion: { _ in continuation.finish() }))
        for index in 0..<3 { pipe.write(note("\(index)")) }
        pipe.writesFinished(nil)
        var all: [String] = []
        for await answer in answers {
            all.append(answer)
            #expect(call.state != .started)
            call.resume()
        }
        #expect(all == ["0", "0", "1"])
    }

    @Test("that is cancelled ends with CANCELLED, and its requests stop")
    func cancelling() async throws {
        let pipe = PipeWriter<RouteGuide.RouteNote>()
        let sink = Sink<RouteGuide.RouteNote>()
        let call = chat(pipe)
        try call.start(with: sink)
        call.cancel()
        await sink.waitForEnd()
        #expect(sink.all == ["CANCELLED"])
        #expect(pipe.state == .finished)
    }

    @Test("ends with the error of its requests")
    func failingRequests() async throws {
        let pipe = PipeWriter<RouteGuide.RouteNote>()
        let sink = Sink<RouteGuide.RouteNote>()
        try chat(pipe).start(with: sink)
        pipe.writesFinished(RPCError(.dataLoss, "the disk"))
        await sink.waitForEnd()
        #expect(sink.all == ["DATA_LOSS"])
    }

    @Test("that is finished by hand tells its end at once")
    func finishing() async throws {
        let sink = Sink<RouteGuide.RouteNote>()
        let call = chat(PipeWriter())
        #expect(throws: RPCError.self) { try call.finish() }
        try call.start(with: sink)
        try call.finish()
        #expect(sink.all == ["done"])
    }

    @Test("gives one response to a writeable that wants one")
    func single() async throws {
        let result = try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Result<HelloReply, RPCError>, any Error>) in
            do {
                try Call<HelloRequest, HelloReply>(
                    channel, Method("/helloworld.Greeter/SayHello", .unary),
                    requests: SequenceWriter(value: HelloRequest(name: "you"))
                ).start(with: SingleValueWriteable { continuation.resume(returning: $0) })
            } catch {
                continuation.resume(throwing: error)
            }
        }
        #expect(try result.get().message == "Hello you")
    }
}
