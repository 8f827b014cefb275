import Swiftlet
import SwiftletJSONRPC
import SwiftletLoopback
import SwiftletTransport
import Synchronization
import Testing

@Suite("A hostile server of HTTP/1.1", .timeLimit(.minutes(5)))
struct HTTP1HostileServerTests {
    /// An answer without an end.
    struct Flood: CustomTestStringConvertible {
        var testDescription: String
        var beginning: String
        var rest: String
        var code = StatusCode.internal
    }

    private static let ok = "HTTP/1.1 200 OK\r\n"
    private static let chunked = ok + "Transfer-Encoding: chunked\r\n\r\n"

    static let floods = [
        Flood(testDescription: "fields", beginning: ok, rest: "a: b\r\n"),
        Flood(testDescription: "empty fields", beginning: ok, rest: "a:\r\n"),
        Flood(testDescription: "one field", beginning: ok + "A: ", rest: "aaaaaaaa"),
        Flood(testDescription: "one name", beginning: ok, rest: "aaaaaaaa"),
        Flood(testDescription: "the reason", beginning: "HTTP/1.1 200 ", rest: "aaaaaaaa"),
        Flood(testDescription: "no line at all", beginning: "", rest: "aaaaaaaa"),
        Flood(
            testDescription: "interim answers", beginning: "",
            rest: "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"),
        Flood(testDescription: "the digits of a chunk", beginning: chunked, rest: "00000000"),
        Flood(testDescription: "one extension", beginning: chunked + "1;", rest: "aaaaaaaa"),
        Flood(
            testDescription: "extensions", beginning: chunked,
            rest: "1;" + String(repeating: "a", count: 500) + "\r\nx\r\n"),
        Flood(testDescription: "trailers", beginning: chunked + "0\r\n", rest: "a: b\r\n"),
        Flood(
            testDescription: "content with a length",
            beginning: ok + "Content-Length: 4611686018427387904\r\n\r\n",
            rest: String(repeating: "x", count: 8_192), code: .resourceExhausted),
        Flood(
            testDescription: "content in chunks", beginning: chunked,
            rest: "2000\r\n" + String(repeating: "x", count: 8_192) + "\r\n",
            code: .resourceExhausted),
        Flood(
            testDescription: "content up to the end of the connection", beginning: ok + "\r\n",
            rest: String(repeating: "x", count: 8_192), code: .resourceExhausted),
        Flood(
            testDescription: "chunks of one byte", beginning: chunked, rest: "1\r\nx\r\n",
            code: .resourceExhausted),
    ]

    @Test("fails one request and its connection when its answer has no end", arguments: floods)
    func endless(_ flood: Flood) async throws {
        let (stopped, continuation) = AsyncStream.makeStream(of: Void.self)
        let peer = try RawPeer(
            RawScript(opening: { connection in
                defer { continuation.yield() }
                var buffer = ReceiveBuffer()
                try connection.receive(&buffer)
                try connection.send(Array(flood.beginning.utf8))
                let rest = Array(
                    String(repeating: flood.rest, count: max(1, 8_192 / flood.rest.utf8.count))
                        .utf8)
                // Ends when the client has closed the connection.
                while true { try connection.send(rest) }
            }))
        // The channel connects again after the delay, which is longer than the test.
        var arguments = ChannelArguments()
        arguments.initialReconnectBackoff = .seconds(3_600)
        let channel = try Channel(
            peer.target, version: .http1, credentials: .insecure, arguments: arguments)
        let error = await #expect(throws: RPCError.self) {
            try await channel.request(
                .post, "/", options: .with { $0.maxReceiveByteCount = 1 << 20 })
        }
        #expect(error?.code == flood.code, "\(error as Any)")
        for await _ in stopped.prefix(1) {}
        #expect(peer.connectionCount == 1)
    }

    @Test(
        "that stops inside its answer delays one request until its deadline, and no other",
        arguments: [
            "", "HTTP/1.1 2", "HTTP/1.1 200 OK\nContent-Le", "HTTP/1.1 100 Continue\n\n",
            "HTTP/1.1 200 OK\nContent-Length: 5\n\nhel",
            "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n5\nhello\n",
        ])
    func silence(text: String) async throws {
        let stops = Atomic(true)
        let peer = try RawHTTP1 { _, request in
            // The next request cannot use a connection with an incomplete answer.
            #expect(request == 1)
            return stops.load(ordering: .relaxed)
                ? (text, false) : ("HTTP/1.1 200 OK\nContent-Length: 2\n\nok", false)
        }
        let channel = try Self.channel(peer.target)
        let late = try await withGrowingTimeout(until: { $0?.mayHaveBeenExecuted != false }) {
            options in
            await #expect(throws: RPCError.self) {
                try await channel.request(.get, "/", options: options)
            }
        }
        #expect(late?.code == .deadlineExceeded)
        stops.store(false, ordering: .relaxed)
        #expect(try await channel.request(.get, "/").body == Array("ok".utf8))
        #expect(peer.connectionCount >= 2)
    }

    @Test("that never answers delays no deadline, no cancellation and no close")
    func neverAnswers() async throws {
        let peer = try RawHTTP1 { _, _ in ("", false) }
        var arguments = ChannelArguments()
        arguments.maxConnectionCount = 1
        let channel = try Channel(
            peer.target, version: .http1, credentials: .insecure, arguments: arguments)
        let first = Task { try await channel.request(.get, "/1") }
        try await eventually { !peer.requestTexts.isEmpty }
        // The only connection is in use.
        let late = await #expect(throws: RPCError.self) {
            try await channel.request(
                .get, "/2", options: .with { $0.timeout = .milliseconds(50) })
        }
        #expect(late?.code == .deadlineExceeded)
        #expect(late?.mayHaveBeenExecuted == false)
        let second = Task { try await channel.request(.get, "/3") }
        second.cancel()
        let cancelled = await #expect(throws: RPCError.self) { try await second.value }
        #expect(cancelled?.code == .cancelled)
        #expect(cancelled?.mayHaveBeenExecuted == false)
        let third = Task { try await channel.request(.get, "/4") }
        await channel.close()
        for task in [first, third] {
            let error = await #expect(throws: RPCError.self) { try await task.value }
            #expect(error?.code == .cancelled || error?.code == .unavailable)
        }
        #expect(peer.requestTexts == ["GET /1 HTTP/1.1|"])
    }

    @Test("cannot send the answer to the next request in advance", arguments: splitAnswers)
    func splitting(text: String) async throws {
        let peer = try Self.splittingPeer(text)
        let channel = try Self.channel(peer.target)
        let first = try await channel.request(.get, "/")
        #expect(first.status == 200 || first.status == 204)
        let second = try await channel.request(.get, "/")
        #expect(second.body == Array("good".utf8))
        #expect(peer.connectionCount == 2)
    }

    @Test("cannot send the answer to a waiting request in advance", arguments: splitAnswers)
    func splittingBesideWaiting(text: String) async throws {
        let peer = try Self.splittingPeer(text)
        var arguments = ChannelArguments()
        arguments.maxConnectionCount = 1
        let channel = try Channel(
            peer.target, version: .http1, credentials: .insecure, arguments: arguments)
        let bodies = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<4 { group.addTask { try await channel.request(.get, "/").body } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(bodies.count { $0 == Array("good".utf8) } == 3)
        #expect(!bodies.contains(Array("bad".utf8)))
        #expect(peer.connectionCount == 2)
    }

    /// An answer, followed by another answer for which there is no request.
    private static let splitAnswers = [
        "HTTP/1.1 200 OK\nContent-Length: 2\n\nokHTTP/1.1 200 OK\nContent-Length: 3\n\nbad",
        "HTTP/1.1 204 No Content\n\nHTTP/1.1 200 OK\nContent-Length: 3\n\nbad",
        """
        HTTP/1.1 200 OK
        Transfer-Encoding: chunked

        2
        ok
        0

        HTTP/1.1 200 OK
        Content-Length: 3

        bad
        """,
    ]

    /// A server that answers with `text` on its first connection.
    private static func splittingPeer(_ text: String) throws -> RawHTTP1 {
        try RawHTTP1 { connection, _ in
            connection == 1 ? (text, false) : ("HTTP/1.1 200 OK\nContent-Length: 4\n\ngood", false)
        }
    }

    private static func channel(_ target: String) throws -> Channel {
        try Channel(target, version: .http1, credentials: .insecure)
    }
}
