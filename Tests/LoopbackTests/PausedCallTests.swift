import Foundation
import Swiftlet
import SwiftletLoopback
import SwiftletStyles
import Synchronization
import Testing

/// Tests which events a paused call delivers and when, including its end.
@Suite("A paused call", .timeLimit(.minutes(5)))
struct PausedCallTests {
    private struct Illegible: Error {}

    /// Refuses a message that begins with 9.
    private static let picky = Method<[UInt8], [UInt8]>(
        "/t.T/Echoes", .serverStreaming, request: .bytes,
        reply: Codec(
            encode: { value, prefix in [UInt8](repeating: 0, count: prefix) + value },
            decode: { bytes in
                if bytes.count > 0, bytes[0] == 9 { throw Illegible() }
                return (0..<bytes.count).map { bytes[$0] }
            }))

    /// A paused call. Its whole answer has arrived on the connection.
    private struct Paused {
        let peer: RawPeer
        let channel: Channel
        let call: Call<[UInt8], [UInt8]>
        let requests = PipeWriter<[UInt8]>()
        let sink = Sink<[UInt8]>()

        init(_ messages: [[UInt8]], context: SerialContext = .inline) async throws {
            let isPaused = Atomic(false)
            var script = RawScript { try $0.reply($1) }
            script.answerToHeaders = { connection, stream in
                // The first stream belongs to the call that opens the connection.
                guard stream == 3 else { return }
                while !isPaused.load(ordering: .relaxed) { usleep(1_000) }
                let answer = RawFrame.bytes(
                    RawFrame.headers, flags: RawFrame.endHeaders, stream: stream,
                    RawHPACK.block(RawConnection.responseFields))
                let trailers = RawFrame.bytes(
                    RawFrame.headers, flags: RawFrame.endHeaders | RawFrame.endStream,
                    stream: stream, RawHPACK.block([("grpc-status", "0")]))
                let data = messages.flatMap {
                    RawFrame.bytes(RawFrame.data, stream: stream, RawPrefixed.bytes($0))
                }
                try connection.send(answer + data + trailers)
            }
            peer = try RawPeer(script)
            channel = try Channel(peer.target, credentials: .insecure)
            // On an open connection, streams open in the order in which the calls start.
            _ = try await channel.unary(HostileTrial.echo, [1])
            call = Call(
                channel, PausedCallTests.picky, requests: requests, context: context)
            try call.start(with: sink)
            call.pause()
            isPaused.store(true, ordering: .relaxed)
            // The answer to this call follows the answer to the paused call, on the same connection.
            _ = try await channel.unary(HostileTrial.echo, [1])
            #expect(peer.connectionCount == 1)
        }
    }

    @Test(
        "delivers all arrived messages when it is resumed, and then the end", arguments: [1, 2, 5])
    func goesOn(count: Int) async throws {
        let messages = (0..<count).map { [UInt8($0)] }
        let queue = try CompletionQueue()
        for context in [SerialContext.inline, .queue(queue)] {
            let paused = try await Paused(messages, context: context)
            #expect(paused.sink.all.isEmpty)
            paused.call.resume()
            await paused.sink.waitForEnd()
            #expect(paused.sink.all == messages.map { "\($0)" } + ["done"])
            #expect(paused.call.state == .finished)
        }
    }

    /// Starts a call that three threads pause and resume until it has ended.
    private static func paced(
        _ channel: Channel, _ sink: Sink<[UInt8]>, context: SerialContext
    ) throws {
        let call = Call(
            channel, HostileTrial.echoes, requests: SequenceWriter(value: [1]),
            options: .with { $0.timeout = .seconds(120) }, context: context)
        try call.start(with: sink)
        for _ in 0..<3 {
            // Every thread resumes the call after it has paused it, so the call does not stay paused.
            Thread.detachNewThread {
                while call.state != .finished {
                    call.pause()
                    call.resume()
                    sched_yield()
                }
            }
        }
    }

    @Test(
        "and resumed by several threads at once delivers every message once and in order",
        arguments: [(callCount: 1, messageCount: 2_000), (100, 2)])
    func paceOfSeveralThreads(callCount: Int, messageCount: Int) async throws {
        let server = try LoopbackServer { server in
            server.serverStreaming(HostileTrial.echoes) { _, replies, _ in
                for number in 0..<messageCount {
                    try await replies.write([UInt8(number >> 8), UInt8(number & 0xff)])
                }
            }
        }
        let channel = try Channel(server.target, credentials: .insecure)
        let wanted = (0..<messageCount).map { "[\($0 >> 8), \($0 & 0xff)]" } + ["done"]
        let queue = try CompletionQueue()
        for context in [SerialContext.inline, .queue(queue)] {
            for _ in 0..<callCount {
                let sink = Sink<[UInt8]>()
                try Self.paced(channel, sink, context: context)
                await sink.waitForEnd()
                #expect(sink.all == wanted)
            }
        }
    }

    @Test(
        "delivers only CANCELLED when it is cancelled, even if its whole answer has arrived",
        arguments: [1, 3])
    func cancelled(count: Int) async throws {
        let paused = try await Paused((0..<count).map { [UInt8($0)] })
        paused.call.cancel()
        await paused.sink.waitForEnd()
        #expect(paused.sink.all == ["CANCELLED"])
    }

    @Test("finishes the writer of its requests when it is stopped", arguments: [false, true])
    func stopped(byFinishing: Bool) async throws {
        let paused = try await Paused([[1]])
        #expect(paused.requests.state == .started)
        if byFinishing { try paused.call.finish() } else { paused.call.stop() }
        #expect(paused.requests.state == .finished)
    }

    @Test(
        "fails when an arrived message cannot be decoded",
        arguments: [[[9]], [[1], [9]], [[9], [1]]])
    func illegible(_ messages: [[UInt8]]) async throws {
        let paused = try await Paused(messages)
        paused.call.resume()
        await paused.sink.waitForEnd()
        #expect(paused.sink.all.last == "INTERNAL")
    }
}
