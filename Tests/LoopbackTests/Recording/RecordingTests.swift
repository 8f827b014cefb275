import Swiftlet
import SwiftletLoopback
import TestSupport
import Testing

@Suite("A recording", .timeLimit(.minutes(5)))
struct RecordingTests {
    private static let sayHello = Method<HelloRequest, HelloReply>(
        "/helloworld.Greeter/SayHello", .unary)
    private static let chat = Method<HelloRequest, HelloReply>(
        "/helloworld.Greeter/SayHelloBidiStream", .bidirectional)

    /// The lines of a call with one request, answered by `names`.
    private static func unary(_ number: Int, _ request: String, _ names: [String]) -> String {
        let replies = names.map { name in
            """
            {"call": \(number), "at": 0.2, "event": "response", "message": "\(message(name))"}
            """
        }
        return """
            {"call": \(number), "at": 0.1, "event": "start", "method": "\(sayHello.path)"}
            {"call": \(number), "at": 0.1, "event": "request", "message": "\(message(request))"}
            {"call": \(number), "at": 0.1, "event": "half-close"}
            {"call": \(number), "at": 0.2, "event": "headers", "metadata": [["x-a", "1"]]}
            \(replies.joined(separator: "\n"))
            {"call": \(number), "at": 0.3, "event": "status", "code": "OK", "metadata": []}

            """
    }

    /// A message whose field 1 is `name`, in base64. HelloRequest and HelloReply are alike.
    private static func message(_ name: String) -> String {
        Base64.encode(HelloRequest(name: name).encoded())
    }

    private static func channel(_ text: String) throws -> Channel {
        let recording = try Recording(text)
        return try LoopbackServer { $0.add(ReplayService(recording)) }.makeChannel()
    }

    @Test("has its calls with their events in order")
    func reading() throws {
        let recording = try Recording(
            Self.unary(1, "Ada", ["Hi"]) + "\n"
                + """
                {"call": 2, "at": 1.5, "event": "start", "method": "/a.B/C", "metadata": [["x-b", "c"], ["d-bin", "AQI"]]}
                {"call": 2, "at": 2, "event": "status", "code": "NOT_FOUND", "message": "gone", "details": "AQ"}
                """)
        #expect(recording.calls.map(\.path) == ["/helloworld.Greeter/SayHello", "/a.B/C"])
        let first = recording.calls[0]
        #expect(first.requests == [HelloRequest(name: "Ada").encoded()])
        #expect(first.responses == [HelloReply(message: "Hi").encoded()])
        #expect(first.status?.code == .ok)
        let second = recording.calls[1]
        #expect(second.metadata["x-b"] == "c")
        #expect(second.metadata.bytes(for: "d-bin") == [1, 2])
        #expect(second.status == Status(.notFound, "gone", details: [1]))
        #expect(second.events[0].time == .seconds(0.5))
    }

    @Test("is read in the same time, whether its events are of one call or of many")
    func manyEvents() {
        func read(callCount: Int) -> () -> Void {
            let starts = (0..<callCount).map {
                #"{"call": \#($0), "at": 0, "event": "start", "method": "/a.B/C"}"#
            }
            let events = (0..<20_000).map {
                #"{"call": \#($0 % callCount), "at": 0, "event": "half-close"}"#
            }
            let text = (starts + events).joined(separator: "\n")
            return {
                guard (try? Recording(text)) != nil else { preconditionFailure("refused") }
            }
        }
        let ratio = ProcessorTime.ratio(of: read(callCount: 1), to: read(callCount: 1_000))
        #expect(ratio < 5, "\(ratio)")
    }

    @Test("may have lines that end in CRLF")
    func lineEnds() throws {
        let text = Self.unary(1, "Ada", ["Hi"]) + "\n" + Self.unary(2, "Bob", ["Hi"])
        let recording = try Recording(text.split(separator: "\n").joined(separator: "\r\n"))
        #expect(recording.calls.map(\.status?.code) == [.ok, .ok])
    }

    @Test("answers with a recorded call of the same request, and otherwise in turn")
    func choice() async throws {
        let channel = try Self.channel(
            Self.unary(1, "Ada", ["one"]) + Self.unary(2, "Bob", ["two"])
                + Self.unary(3, "Ada", ["three"]))
        let names = ["Bob", "Ada", "Ada", "Ada", "Eve"]
        var answers: [String] = []
        for name in names {
            answers.append(try await channel.unary(Self.sayHello, .init(name: name)).message)
        }
        #expect(answers == ["two", "one", "three", "one", "two"])
        await channel.close()
    }

    @Test("waits for the requests that were recorded before each message")
    func conversation() async throws {
        let path = Self.chat.path
        let channel = try Self.channel(
            """
            {"call": 1, "at": 0, "event": "start", "method": "\(path)"}
            {"call": 1, "at": 0, "event": "request", "message": "\(Self.message("a"))"}
            {"call": 1, "at": 0, "event": "headers"}
            {"call": 1, "at": 0, "event": "response", "message": "\(Self.message("b"))"}
            {"call": 1, "at": 0, "event": "request", "message": "\(Self.message("c"))"}
            {"call": 1, "at": 0, "event": "response", "message": "\(Self.message("d"))"}
            {"call": 1, "at": 0, "event": "half-close"}
            {"call": 1, "at": 0, "event": "status", "code": "ABORTED", "message": "over", "metadata": [["x-t", "y"]]}
            """)
        let call = try await channel.bidirectional(Self.chat)
        var replies = call.responses.makeAsyncIterator()
        try await call.requests.write(.init(name: "a"))
        #expect(try await replies.next()?.message == "b")
        try await call.requests.write(.init(name: "c"))
        #expect(try await replies.next()?.message == "d")
        call.requests.finish()
        let error = try await #require(throws: RPCError.self) { try await replies.next() }
        #expect(error.code == .aborted)
        #expect(error.message == "over")
        #expect(error.metadata["x-t"] == "y")
        await channel.close()
    }

    @Test("that ends inside a call ends it with UNAVAILABLE")
    func unfinished() async throws {
        let channel = try Self.channel(
            """
            {"call": 1, "at": 0, "event": "start", "method": "\(Self.sayHello.path)"}
            """)
        let error = try await #require(throws: RPCError.self) {
            _ = try await channel.unary(Self.sayHello, .init(name: "a"))
        }
        #expect(error.code == .unavailable)
        #expect(error.message == "the recording of the call has no end")
        await channel.close()
    }

    /// What a server may send, and a client may not set.
    private static let received: Metadata = {
        var metadata: Metadata = ["x-a": "1"]
        metadata.append(received: .text("20"), for: "grpc-retry-pushback-ms")
        metadata.append(received: .bytes([1]), for: "grpc-server-stats-bin")
        metadata.append(received: .text("café"), for: "x-b")
        metadata.append(received: .text("?"), for: "x-c-bin")
        return metadata
    }()

    @Test("of the proxy can be read, whatever metadata the server sent")
    func metadata() async throws {
        let server = try LoopbackServer { server in
            server.unary(Self.sayHello) { _, context in
                var headers = Self.received
                // Of the connection and of an encoding of the messages that the proxy does not keep.
                headers.append(received: .text("0"), for: "content-length")
                context.sendInitialMetadata(headers)
                context.setTrailingMetadata(Self.received)
                throw RPCError(.aborted, "later")
            }
        }
        let lines = Notes()
        let log = RecordingLog(
            keepsSecrets: false, describe: { _, _, _ in nil }, to: { lines.add($0) })
        let upstream = try server.makeChannel()
        let proxy = try LoopbackServer { $0.add(RecordingProxy(to: upstream, log: log)) }
        for _ in 0..<2 { try await Self.expectPushback(proxy.makeChannel()) }
        await upstream.close()
        let recording = try Recording(lines.all.joined())
        let call = try #require(recording.calls.last)
        let kept = call.events.compactMap { _, event in
            switch event {
            case .headers(let metadata), .status(_, let metadata): metadata.map(\.name)
            default: nil
            }
        }
        #expect(kept == [["x-a"], ["x-a", "grpc-retry-pushback-ms"]])
        try await Self.expectPushback(
            LoopbackServer { $0.add(ReplayService(recording)) }.makeChannel())
    }

    private static func expectPushback(_ channel: Channel) async throws {
        let error = try await #require(throws: RPCError.self) {
            _ = try await channel.unary(sayHello, .init(name: "a"))
        }
        #expect(error.code == .aborted)
        #expect(error.metadata["grpc-retry-pushback-ms"] == "20")
        await channel.close()
    }

    private static let mistakes: [(line: String, error: String)] = [
        ("[]", "an object was expected, not an array"),
        ("{\"call\": 1, \"event\": \"start\"", "expected ',' or '}'"),
        ("{\"call\": 1, \"at\": 0}", "'event' is missing"),
        (
            "{\"call\": \"1\", \"at\": 0, \"event\": \"request\"}",
            "'call' is missing or is not a number"
        ),
        ("{\"call\": 1, \"at\": -1, \"event\": \"request\"}", "'at' is not a time"),
        ("{\"call\": 7, \"at\": 0, \"event\": \"half-close\"}", "call 7 has no 'start'"),
        ("{\"call\": 1, \"at\": 0, \"event\": \"begin\"}", "unknown event 'begin'"),
        ("{\"call\": 1, \"at\": 0, \"event\": \"request\", \"message\": \"?\"}", "not base64"),
        (
            "{\"call\": 1, \"at\": 0, \"event\": \"status\", \"code\": \"GOOD\"}",
            "'GOOD' is not a status"
        ),
        (
            "{\"call\": 1, \"at\": 0, \"event\": \"start\", \"method\": \"/a.B/C\"}",
            "call 1 has started"
        ),
        ("{\"call\": 2, \"at\": 0, \"event\": \"start\", \"method\": \"a\"}", "not a method: 'a'"),
        (
            "{\"call\": 1, \"at\": 0, \"event\": \"headers\", \"metadata\": [[\"A b\", \"c\"]]}",
            "metadata name 'a b'"
        ),
    ]

    @Test("that is not valid is refused with the line", arguments: mistakes)
    func refusal(line: String, error: String) throws {
        let start = "{\"call\": 1, \"at\": 0, \"event\": \"start\", \"method\": \"/a.B/C\"}\n\n"
        let found = try #require(throws: RPCError.self) { _ = try Recording(start + line) }
        #expect(found.code == .invalidArgument)
        #expect(found.message.hasPrefix("recording, line 3"), "\(found.message)")
        #expect(found.message.contains(error), "\(found.message)")
    }
}
