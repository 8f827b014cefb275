import Swiftlet
import SwiftletLoopback
import Testing

@Suite("A strict server", .timeLimit(.minutes(5)))
struct StrictServerTests {
    private static let headers: [RawClient.Header] = [
        (":method", "POST"), (":scheme", "http"), (":path", "/t.T/Echo"), ("te", "trailers"),
        ("content-type", "application/grpc"),
    ]
    private static let message: [UInt8] = [0, 0, 0, 0, 1, 7]

    private static func server(isStrict: Bool = true) throws -> LoopbackServer {
        try LoopbackServer { server in
            server.isStrict = isStrict
            server.unary(HostileTrial.echo) { request, _ in request }
            server.bidirectional(HostileTrial.talk) { requests, replies, _ in
                for try await request in requests { try await replies.write(request) }
            }
            server.http("/plain") { HTTPReply(contentType: "text/plain", body: $0.body) }
        }
    }

    /// The headers of a correct request. Some are set or added, and some are removed (if the value
    /// is nil).
    private static func headers(_ changes: [(String, String?)]) -> [RawClient.Header] {
        var headers = headers
        for (name, value) in changes {
            let index = headers.firstIndex { $0.name == name }
            switch (index, value) {
            case (let index?, let value?): headers[index].value = value
            case (let index?, nil): headers.remove(at: index)
            // Pseudo-headers come first.
            case (nil, let value?):
                headers.insert((name, value), at: name.hasPrefix(":") ? 0 : headers.count)
            case (nil, nil): break
            }
        }
        return headers
    }

    private static let accepted: [[(String, String?)]] = [
        [], [("content-type", "application/grpc+proto")], [("grpc-timeout", "99999999H")],
        [(":authority", "localhost"), ("user-agent", "x")], [("grpc-encoding", "identity")],
        [("x-note", "a b"), ("x-bytes-bin", "AAE=,AAE")], [("grpc-trace-bin", "AAE")],
        [(":scheme", "https")],
    ]

    @Test("answers a request that follows PROTOCOL-HTTP2")
    func correct() async throws {
        let server = try Self.server()
        for changes in Self.accepted {
            let client = RawClient(headers: Self.headers(changes), body: Self.message)
            let answer = try await onThread { try client.call(server) }
            #expect(answer["grpc-status"] == "0", "\(changes): \(answer)")
        }
    }

    /// The changes of a request, and the text that the server's message must contain.
    private static let refused: [(changes: [(String, String?)], message: String)] = [
        ([(":method", "PUT")], ":method is 'PUT'"),
        ([(":scheme", "ftp")], ":scheme is 'ftp'"),
        ([(":path", "/Echo")], ":path is '/Echo'"),
        ([("te", nil)], "'te' is missing"),
        ([("content-type", "application/grpc+")], "empty subtype"),
        ([("grpc-timeout", "1")], "grpc-timeout is '1'"),
        ([("grpc-timeout", "0S")], "grpc-timeout is '0S'"),
        ([("grpc-timeout", "S")], "grpc-timeout is 'S'"),
        ([("grpc-timeout", "123456789n")], "grpc-timeout is '123456789n'"),
        ([("grpc-timeout", "-1S")], "grpc-timeout is '-1S'"),
        ([("grpc-encoding", "")], "grpc-encoding is empty"),
        ([("grpc-shout", "x")], "reserved prefix"),
        ([("x!y", "x")], "has a character other than"),
        ([("x-note", "caf\u{e9}")], "not printable ASCII"),
        ([("x-bytes-bin", "?")], "is not Base64"),
    ]

    @Test("refuses headers that PROTOCOL-HTTP2 forbids, and names the rule")
    func headers() async throws {
        let server = try Self.server()
        for (changes, message) in Self.refused {
            let client = RawClient(headers: Self.headers(changes), body: Self.message)
            let answer = try await onThread { try client.call(server) }
            #expect(answer["grpc-status"] == "13", "\(changes): \(answer)")
            #expect(answer["grpc-message"]?.contains(message) == true, "\(changes): \(answer)")
        }
    }

    @Test("refuses a header of the protocol that occurs twice")
    func twice() async throws {
        let server = try Self.server()
        for name in ["te", "content-type"] {
            let value = try #require(Self.headers.first { $0.name == name }).value
            let client = RawClient(headers: Self.headers + [(name, value)], body: Self.message)
            let answer = try await onThread { try client.call(server) }
            #expect(answer["grpc-status"] == "13")
            #expect(answer["grpc-message"]?.contains("'\(name)' occurs twice") == true)
        }
    }

    @Test("refuses END_STREAM on the HEADERS of a gRPC request, not of a plain one")
    func endStream() async throws {
        let server = try Self.server()
        let call = RawClient(headers: Self.headers([(":path", "/t.T/Talk")]))
        let answer = try await onThread { try call.call(server) }
        #expect(answer["grpc-status"] == "13")
        #expect(answer["grpc-message"]?.contains("END_STREAM") == true)
        let plain = RawClient(
            headers: Self.headers([
                (":path", "/plain"), ("te", nil), ("content-type", "text/plain"),
            ]))
        #expect(try await onThread { try plain.call(server) }[":status"] == "200")
    }

    /// A request as bytes, and the text that the server's message must contain.
    private static let bodies: [(body: [UInt8], trailers: [RawClient.Header]?, message: String)] = [
        ([1, 0, 0, 0, 1, 7], nil, "grpc-encoding is missing"),
        ([2, 0, 0, 0, 1, 7], nil, "compressed flag"),
        ([0, 0, 0, 0, 2, 7], nil, "inside a message"),
        (message, [("x-end", "1")], "trailers"),
    ]

    @Test("refuses messages and ends that PROTOCOL-HTTP2 forbids")
    func bodies() async throws {
        let server = try Self.server()
        for (body, trailers, message) in Self.bodies {
            let client = RawClient(headers: Self.headers, body: body, trailers: trailers)
            let answer = try await onThread { try client.call(server) }
            #expect(answer["grpc-status"] == "13", "\(message): \(answer)")
            #expect(answer["grpc-message"]?.contains(message) == true, "\(message): \(answer)")
        }
    }

    @Test("answers UNIMPLEMENTED to no message, or two, for a method with one request")
    func cardinality() async throws {
        let server = try Self.server()
        for (body, message) in [
            (Self.message + Self.message, "the request has more than one message"),
            ([], "the request has no message"),
        ] {
            let client = RawClient(headers: Self.headers, body: body)
            let answer = try await onThread { try client.call(server) }
            #expect(answer["grpc-status"] == "12", "\(answer)")
            #expect(answer["grpc-message"] == message, "\(answer)")
        }
    }

    @Test("answers 415 to a content type that is not gRPC's")
    func contentType() async throws {
        let server = try Self.server()
        for type in ["application/grpc-web", "application/json", "text/plain"] {
            let client = RawClient(
                headers: Self.headers([("content-type", type)]), body: Self.message)
            #expect(try await onThread { try client.call(server) }[":status"] == "415")
        }
    }

    @Test("answers all these requests when it is not strict")
    func mild() async throws {
        let server = try Self.server(isStrict: false)
        let changes: [(String, String?)] = [("te", nil), ("grpc-shout", "x"), (":scheme", "ftp")]
        let client = RawClient(headers: Self.headers(changes), body: Self.message)
        #expect(try await onThread { try client.call(server) }["grpc-status"] == "0")
        let empty = RawClient(headers: Self.headers([(":path", "/t.T/Talk")]))
        #expect(try await onThread { try empty.call(server) }["grpc-status"] == "0")
    }
}
