import Swiftlet
import SwiftletInterceptors
import SwiftletJSONRPC
import SwiftletLoopback
import Synchronization
import Testing

@Suite("A hostile server of JSON-RPC", .timeLimit(.minutes(5)))
struct HostileAnswerTests {
    /// 64 kB, not in the normal order. The first hashing of a key took half a minute.
    private static let marks = "a" + String(repeating: "\u{301}\u{316}", count: 16_000)
    private static let escaped = "a" + String(repeating: #"\u0301\u0316"#, count: 5_000)

    private static func server(_ answer: @escaping @Sendable () -> String) throws -> LoopbackServer
    {
        try LoopbackServer { server in
            server.httpVersion = .http1
            server.http("/rpc") { _ in
                HTTPReply(contentType: "application/json", body: Array(answer().utf8))
            }
        }
    }

    private static let answers = [
        #"{"jsonrpc": "2.0", "id": 1, "result": 1, "\#(marks)": 1}"#,
        #"{"jsonrpc": "2.0", "id": 1, "result": 1, "\#(escaped)" : 1}"#,
        #"{"jsonrpc": "2.0", "id": 1, "result": {"\#(marks)": 1}}"#,
        #"{"jsonrpc": "2.0", "id": "\#(marks)", "result": 1}"#,
        #"{"jsonrpc": "\#(marks)", "id": 1, "result": 1}"#,
    ]

    @Test(
        "is refused for keys with many combining marks, also if they are escaped",
        arguments: answers)
    func keys(_ answer: String) async throws {
        let server = try Self.server { answer }
        let channel = try Channel(server.target, version: .http1, credentials: .insecure)
        let client = RPCClient(channel: channel, JSONRPC(path: "/rpc")) { RPCTicket(id: "1") }
        await #expect(throws: RPCError.self) {
            try await client.call("sum", [1], returning: JSONValue.self)
        }
    }

    @Test("is refused in another encoding than UTF-8, in which its keys are not found")
    func encodings() {
        let text = #"{"\#(Self.marks)": 1}"#
        let units = text.utf16.map { [UInt8($0 & 0xff), UInt8($0 >> 8)] }
        let scalars = text.unicodeScalars.map { scalar in
            [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: scalar.value >> $0) }
        }
        let marks: [[UInt8]] = [[0xff, 0xfe], [0xff, 0xfe, 0, 0]]
        for (characters, mark) in zip([units, scalars], marks) {
            let little = Array(characters.joined())
            let big = Array(characters.map { $0.reversed() }.joined())
            for body in [little, mark + little, big, mark.reversed() + big] as [[UInt8]] {
                #expect(throws: DecodingError.self) {
                    try JSONBody.decode(body) as [String: Int]
                }
            }
        }
    }

    @Test("does not touch the calls of another client on the same queue", arguments: answers)
    func others(_ answer: String) async throws {
        let (hostile, honest) = (
            try Self.server { answer },
            try Self.server { #"{"jsonrpc": "2.0", "id": "1", "result": 7}"# }
        )
        func client(_ server: LoopbackServer) throws -> RPCClient<JSONRPC> {
            let channel = try Channel(server.target, version: .http1, credentials: .insecure)
            return RPCClient(channel: channel, JSONRPC(path: "/rpc")) { RPCTicket(id: "1") }
        }
        let (attacker, caller) = (try client(hostile), try client(honest))
        let attacks = Task {
            for _ in 0..<20 {
                _ = try? await attacker.call("sum", [1], returning: JSONValue.self)
            }
        }
        for _ in 0..<100 {
            #expect(try await caller.call("sum", [1], returning: Int.self) == 7)
        }
        await attacks.value
    }

    @Test("may answer a batch with any IDs; they are keys as bytes")
    func batch() async throws {
        let ids = (0..<50).map {
            #"{"jsonrpc": "2.0", "id": "\#($0)\#(Self.marks.prefix(1))", "result": 1}"#
        }
        let server = try Self.server { "[\(ids.joined(separator: ","))]" }
        let channel = try Channel(server.target, version: .http1, credentials: .insecure)
        var batch = JSONRPCBatch()
        let sum = batch.add("sum", [1], returning: Int.self)
        let answers = try await RPCClient(channel: channel, JSONRPC(path: "/rpc")).send(batch)
        #expect(answers.count == 50)
        #expect(throws: RPCError.self) { try answers[sum] }
    }

    @Test("may use any text as a value, and some marks in keys")
    func values() async throws {
        let text = Self.marks
        let server = try Self.server {
            #"{"jsonrpc": "2.0", "id": "1", "result": {"e\u0301": "\#(text)", "\ud83d\ude00": "b"}}"#
        }
        let channel = try Channel(server.target, version: .http1, credentials: .insecure)
        let client = RPCClient(channel: channel, JSONRPC(path: "/rpc")) { RPCTicket(id: "1") }
        let value: [String: String] = try await client.call("text", [1])
        #expect(value.count == 2)
        #expect(value["\u{e9}"]?.utf8.count == text.utf8.count)
    }
}

@Suite("A call to the URL of another server", .timeLimit(.minutes(5)))
struct ForeignURLTests {
    private let hosts = HostCache()

    private struct Key: CallCredentials {
        var allowsInsecureConnections: Bool { true }
        func metadata(for call: CallDescription) async throws(RPCError) -> Metadata {
            ["x-key": "k"]
        }
    }

    /// Calls another server, and returns the headers that it received.
    private func headers(
        at url: (_ near: String, _ far: String) -> String,
        _ change: (inout RPCClient<JSONRPC>) -> Void = { _ in }
    ) async throws -> Metadata {
        let received = Mutex<Metadata?>(nil)
        func server() throws -> LoopbackServer {
            try LoopbackServer { server in
                server.httpVersion = .http1
                server.http("/rpc") { request in
                    received.withLock { $0 = request.headers }
                    return HTTPReply(
                        contentType: "application/json", body: Array(#"{"result": 1}"#.utf8))
                }
            }
        }
        let (near, far) = (try server(), try server())
        let options = CallOptions.with {
            $0.metadata = ["authorization": "Bearer s", "x-session-token": "s", "x-open": "o"]
            $0.credentials = Key()
            $0.interceptors = [.headers(["x-api-key": "s"]), .headers(["x-region": "eu"])]
        }
        var client = try RPCClient(url: "http://\(near.target)/rpc", options, hosts: hosts) {
            JSONRPC(path: $0, isLenient: true)
        }
        change(&client)
        let sum: Int = try await client.call(
            "m", [1], at: url(near.target, far.target),
            options: .with { $0.metadata = ["x-own-secret": "mine"] })
        #expect(sum == 1)
        return try #require(received.withLock { $0 })
    }

    private static let secrets = ["authorization", "x-session-token", "x-key", "x-api-key"]

    @Test("has no credentials of the client, but those of the call itself")
    func foreign() async throws {
        let headers = try await headers { "http://\($1)/rpc" }
        for name in Self.secrets { #expect(headers[name] == nil, "\(name)") }
        #expect(headers["x-open"] == "o" && headers["x-region"] == "eu")
        #expect(headers["x-own-secret"] == "mine")
    }

    @Test("has them at the client's own origin, and where the client is asked to send them")
    func own() async throws {
        let own = try await headers { near, _ in "http://\(near)/rpc" }
        let upper = try await headers { near, _ in "HTTP://\(near)/rpc" }
        let asked = try await headers(at: { "http://\($1)/rpc" }) {
            $0.sendsCredentialsToOtherServers = true
        }
        for headers in [own, upper, asked] {
            for name in Self.secrets { #expect(headers[name] != nil, "\(name)") }
        }
    }
}
