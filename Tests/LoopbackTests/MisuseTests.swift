import Swiftlet
import SwiftletLoopback
import SwiftletStyles
import Testing

/// A mistake of the program is reported by an error that describes it. It causes no trap, no hang and no
/// loss.
@Suite("A mistake of the program", .timeLimit(.minutes(5)))
struct MisuseTests {
    private static let count = Method<[UInt8], [UInt8]>(
        "/t.T/Count", .serverStreaming, request: .bytes, reply: .bytes)
    private static let echo = HostileTrial.echo
    private static let talk = HostileTrial.talk

    private static func server() throws -> LoopbackServer {
        try LoopbackServer { server in
            server.unary(echo) { request, context in
                if request == [0xff] { context.setTrailingMetadata(["x-user": "José"]) }
                return request
            }
            server.serverStreaming(count) { request, replies, _ in
                for number in 0..<request[0] { try await replies.write([number]) }
            }
            server.bidirectional(talk) { requests, replies, _ in
                for try await request in requests { try await replies.write(request) }
            }
        }
    }

    private static func error(
        _ location: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
    ) async -> RPCError? {
        await #expect(throws: RPCError.self, sourceLocation: location) { try await body() }
    }

    @Test("in metadata ends the call, from every source of metadata")
    func metadata() async throws {
        let server = try Self.server()
        let channel = try Channel(server.target, credentials: .insecure)
        let name = "José"
        let bad: [Metadata] = [["x-user": name], ["x user": "a"], ["grpc-status": "0"]]
        for metadata in bad {
            let error = await Self.error {
                _ = try await channel.unary(
                    Self.echo, [1], options: .with { $0.metadata = metadata })
            }
            #expect(error?.code == .invalidArgument)
            #expect(error?.phase == .preparing)
            #expect(error?.mayHaveBeenExecuted == false)
            #expect(error?.message.hasPrefix("metadata ") == true)
        }
        // The same with metadata in the default options.
        let defaults = try Channel(
            server.target, credentials: .insecure,
            defaultOptions: .with { $0.metadata = ["x-user": name] })
        let inherited = await Self.error { _ = try await defaults.unary(Self.echo, [1]) }
        #expect(inherited?.code == .invalidArgument)
        let added = await Self.error {
            var metadata = Metadata()
            try metadata.add(name, for: "x-user")
        }
        #expect(added?.code == .invalidArgument)
        let answered = await Self.error { _ = try await channel.unary(Self.echo, [0xff]) }
        #expect(answered?.code == .internal)
        #expect(
            answered?.message
                == "the answer is not valid: metadata 'x-user': only printable ASCII is allowed in a text value"
        )
        let fake = try FakeChannel()
        let response = fake.respond(to: Self.echo)
        let faked = await Self.error {
            try response.sendMessage([1], trailingMetadata: ["x-user": name])
        }
        #expect(faked?.code == .failedPrecondition)
        try response.sendMessage([2])
        #expect(try await fake.channel.unary(Self.echo, [1]) == [2])
    }

    @Test("in metadata is not added to the metadata, and can be undone")
    func badMetadata() {
        var metadata: Metadata = ["x-user": "José", "a": "b"]
        #expect(metadata.map(\.name) == ["a"])
        #expect(metadata.problem != nil)
        // Valid entries that are added after the invalid one are kept.
        metadata.append("d", for: "c")
        metadata.append(contentsOf: ["e": "f", "g": "ü"])
        metadata.append("h", for: "e")
        #expect(metadata.map(\.name) == ["a", "c", "e", "e"])
        #expect(metadata["e"] == "f")
        #expect("\(metadata)" == "[a: b, c: d, e: f, e: h]")
        metadata.removeAll("X-User")
        #expect(metadata.problem?.hasPrefix("metadata 'g'") == true)
        metadata.removeAll("G")
        #expect(metadata.problem == nil)
        metadata["E"] = nil
        metadata["a"] = "z"
        #expect("\(metadata)" == "[c: d, a: z]")
    }

    @Test(
        "in a channel's arguments is reported when the channel is made",
        arguments: [
            { $0.maxConcurrentStreams = 0 }, { $0.maxAttemptCount = 0 },
            { $0.streamWindowByteCount = -5 },
            { $0.maxMetadataByteCount = -1 }, { $0.maxReceiveMessageByteCount = -1 },
            { $0.settingsTimeout = .zero }, { $0.connectTimeout = .zero },
            { $0.keepAliveTimeout = .seconds(-1) }, { $0.maxFrameByteCount = 1 << 24 },
            { $0.maxConnectionCount = 0 },
        ] as [@Sendable (inout ChannelArguments) -> Void])
    func arguments(_ change: @Sendable (inout ChannelArguments) -> Void) async {
        var arguments = ChannelArguments()
        change(&arguments)
        let error = await Self.error {
            _ = try Channel("127.0.0.1:1", credentials: .insecure, arguments: arguments)
        }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message.hasPrefix("channel argument '") == true)
    }

    @Test("of a certificate without its key is refused")
    func identity() async {
        var options = TLSOptions()
        options.certificateChain = .file("/nowhere.pem")
        let error = await Self.error { _ = try ChannelCredentials.tls(options) }
        #expect(error?.code == .invalidArgument)
        #expect(
            error?.message
                == "TLSOptions has only one of privateKey and certificateChain; set both or neither"
        )
    }

    @Test("in the literal path of a method ends the program with the reason")
    func methodPath() async throws {
        let result = try await #require(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = Method<[UInt8], [UInt8]>("Ask", .unary, request: .bytes, reply: .bytes)
        }
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(
            text.contains(
                "not the path of a method: 'Ask' (expected /package.Service/Method in ASCII)"))
        let error = #expect(throws: RPCError.self) {
            try Method<[UInt8], [UInt8]>(path: "Ask", .unary, request: .bytes, reply: .bytes)
        }
        #expect(error?.code == .invalidArgument)
    }

    @Test("that would block the queue's own thread fails at once")
    func blocking() async throws {
        let server = try Self.server()
        // Uses a new queue, because a blocked shared queue would also block other tests.
        let channel = try Channel(server.target, credentials: .insecure, queue: CompletionQueue())
        let outside = channel.blockingBidirectional(Self.talk)
        let (errors, error) = AsyncStream.makeStream(of: RPCError?.self)
        try channel.startUnary(Self.echo, [1]) { _ in
            error.yield(
                #expect(throws: RPCError.self) { _ = try channel.blockingUnary(Self.echo, [2]) })
            for call in [channel.blockingBidirectional(Self.talk), outside] {
                error.yield(#expect(throws: RPCError.self) { _ = try call.next() })
                error.yield(#expect(throws: RPCError.self) { try call.write([3]) })
                error.yield(#expect(throws: RPCError.self) { _ = try call.initialMetadata() })
            }
            error.finish()
        }
        var count = 0
        for await error in errors {
            count += 1
            #expect(error?.code == .failedPrecondition)
            #expect(error?.mayHaveBeenExecuted == false)
        }
        #expect(count == 7)
    }

    @Test("with a second reader fails with FAILED_PRECONDITION, and consumes no message")
    func twoReaders() async throws {
        let server = try Self.server()
        let channel = try Channel(server.target, credentials: .insecure)
        let call = try await channel.bidirectional(Self.talk)
        // Either task may be first. The first one waits, and the second one fails.
        let reading = (0..<2).map { _ in
            Task {
                var iterator = call.responses.makeAsyncIterator()
                return try await iterator.next()
            }
        }
        let (results, result) = AsyncStream.makeStream(of: Result<[UInt8]?, any Error>.self)
        for task in reading { Task { result.yield(await task.result) } }
        var iterator = results.makeAsyncIterator()
        let second = await iterator.next()
        let error = #expect(throws: RPCError.self) { try second?.get() }
        #expect(error?.code == .failedPrecondition)
        try await call.requests.write([7])
        #expect(try await iterator.next()?.get() == [7])
        call.cancel()
    }

    @Test("of releasing the responses, or of writing after the end, is named in the error")
    func writer() async throws {
        let server = try Self.server()
        let channel = try Channel(server.target, credentials: .insecure)
        let requests = try await channel.bidirectional(Self.talk).requests
        let gone = await Self.error { while true { try await requests.write([1]) } }
        #expect(gone?.code == .cancelled)
        #expect(gone?.message == "the response stream was released before its end")

        let call = try await channel.bidirectional(Self.talk)
        call.requests.finish()
        for try await _ in call.responses {}
        let late = await Self.error { try await call.requests.write([1]) }
        #expect(late?.code == .failedPrecondition)
    }

    @Test(
        "of sending no or two messages to a unary method fails a call with writers",
        arguments: [0, 2])
    func cardinality(count: UInt8) async throws {
        let server = try Self.server()
        let channel = try Channel(server.target, credentials: .insecure)
        let method = try Method<[UInt8], [UInt8]>(
            path: Self.count.path, .unary, request: .bytes, reply: .bytes)
        let (ends, end) = AsyncStream.makeStream(of: RPCError?.self)
        let call = Call(channel, method, requests: SequenceWriter([[count]]))
        try call.start(with: HandlerWriteable(value: { _ in }, completion: { end.yield($0) }))
        var iterator = ends.makeAsyncIterator()
        let error = await iterator.next()
        #expect(error??.code == .unimplemented)
    }
}
