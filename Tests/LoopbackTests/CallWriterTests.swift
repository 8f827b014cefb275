import Swiftlet
import SwiftletLoopback
import SwiftletStyles
import Testing

@Suite("A call with writers", .timeLimit(.minutes(5)))
struct CallWriterTests {
    let server: LoopbackServer
    let channel: Channel

    init() throws {
        server = try LoopbackServer {
            $0.addGreeter()
            $0.addRouteGuide()
        }
        channel = try Channel(server.target, credentials: .insecure)
    }

    private func chat(
        _ requests: any Writer<RouteGuide.RouteNote>, _ options: CallOptions = .init()
    ) -> Call<RouteGuide.RouteNote, RouteGuide.RouteNote> {
        Call(
            channel, Method("/routeguide.RouteGuide/RouteChat", .bidirectional),
            requests: requests, options: options)
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
        #expect(twice?.message == "the call cannot be started: it is finished")
        #expect([late, twice].allSatisfy { $0?.phase == .preparing })
        #expect([late, twice].allSatisfy { $0?.mayHaveBeenExecuted == false })
    }

    @Test("that finishes before its start is refused, and nothing was sent")
    func finishedTooEarly() {
        let call = chat(SequenceWriter([]))
        let early = #expect(throws: RPCError.self) { try call.finish() }
        #expect(early?.message == "the call cannot be finished: it is not started")
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

    @Test("that is paused before its first event receives nothing until it is resumed")
    func pausedAtOnce() async throws {
        let (answered, answer) = AsyncStream.makeStream(of: Void.self)
        let (mayAnswer, allow) = AsyncStream.makeStream(of: Void.self)
        let server = try LoopbackServer { server in
            server.unary(HostileTrial.echo) { request, _ in request }
            server.bidirectional(HostileTrial.talk) { requests, replies, _ in
                for await _ in mayAnswer { break }
                for try await request in requests { try await replies.write(request) }
                answer.yield()
            }
        }
        let channel = try Channel(server.target, credentials: .insecure)
        let sink = Sink<[UInt8]>()
        let call = Call(
            channel, HostileTrial.talk, requests: SequenceWriter((0..<3).map { [$0] }))
        try call.start(with: sink)
        call.pause()
        allow.yield()
        for await _ in answered { break }
        // The answers to the paused call were sent before this one, on the same connection.
        #expect(try await channel.unary(HostileTrial.echo, [9]) == [9])
        #expect(sink.all.isEmpty)
        call.resume()
        await sink.waitForEnd()
        #expect(sink.all == ["[0]", "[1]", "[2]", "done"])
        #expect(server.connectionCount == 1)
    }

    @Test("with mapped requests ends once, with the value that could not be mapped")
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

    @Test("that is paused requests no more messages")
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

    @Test("completes its writeable at once when finish() is called")
    func finishing() async throws {
        let sink = Sink<RouteGuide.RouteNote>()
        let call = chat(PipeWriter())
        #expect(throws: RPCError.self) { try call.finish() }
        try call.start(with: sink)
        try call.finish()
        #expect(sink.all == ["done"])
    }

    @Test("delivers one response to a SingleValueWriteable")
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
