import Foundation
import Swiftlet
import SwiftletJSONRPC
import SwiftletLoopback
import SwiftletObservation
import SwiftletStyles
import Synchronization
import Testing

/// Each test is named after a type or a setting of DRDNetworking. It checks the behavior that users of
/// this type or setting rely on.
@Suite("DRDNetworking", .timeLimit(.minutes(5)))
struct ProcedureCallTests {
    /// An envelope that the program defines.
    private struct Envelope: RPCProtocol {
        struct Refused: Error, Equatable { var reason: String }
        struct Answer<Value: Decodable>: Decodable {
            var value: Value?
            var refusal: String?
        }

        func path(of method: String) -> String { "/envelope/\(method)" }
        func box<Parameters: Encodable>(
            method: String, parameters: Parameters, ticket: RPCTicket
        ) throws -> [UInt8] { try JSONBody.encode(["wrapped": parameters]) }
        func unbox<Value: Decodable>(_ body: [UInt8], _ ticket: RPCTicket) throws -> Value {
            let answer: Answer<Value> = try JSONBody.decode(body)
            guard let value = answer.value else { throw Refused(reason: answer.refusal ?? "") }
            return value
        }
    }

    /// The next answer of the server.
    private final class NextAnswer: Sendable {
        private let text = Mutex("")
        var body: String {
            get { text.withLock { $0 } }
            set { text.withLock { $0 = newValue } }
        }
    }

    /// The requests that the server received: method, path and body of each.
    private final class RequestLog: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func append(_ line: String) { lines.withLock { $0.append(line) } }
    }

    private let log = RequestLog()
    private let gate = Gate()
    private let hosts = HostCache()

    /// - Parameter answer: Returns the response body for a request body.
    private func server(
        _ path: String, _ version: HTTPVersion = .http1,
        _ answer: @escaping @Sendable (String) async -> String
    ) throws -> LoopbackServer {
        let log = log
        return try LoopbackServer { server in
            server.httpVersion = version
            server.http(path) { request in
                let body = String(decoding: request.body, as: UTF8.self)
                log.append("\(request.method) \(request.path) \(body)")
                return HTTPReply(
                    contentType: "application/json", body: Array(await answer(body).utf8))
            }
        }
    }

    private func fields(_ line: String) throws -> [String: JSONValue] {
        let body = line.drop { $0 != "{" }
        return try JSONDecoder().decode([String: JSONValue].self, from: Data(body.utf8))
    }

    @Test(
        "rpcDelegate: determines the URL, wraps the parameters, and returns the result or the error"
    )
    func rpcProtocol() async throws {
        let server = try server("/envelope/add") { body in
            body.utf8.count > 20 ? #"{"refusal": "too long"}"# : #"{"value": 3}"#
        }
        let client = RPCClient(
            channel: try Channel(url: "http://\(server.target)"), Envelope())
        let sum: Int = try await client.call("add", [1, 2])
        #expect(sum == 3)
        #expect(log.all == [#"POST /envelope/add {"wrapped":[1,2]}"#])
        await #expect(throws: Envelope.Refused(reason: "too long")) {
            try await client.call("add", [100_000, 200_000], returning: Int.self)
        }
    }

    @Test("rpcDelegate nil: the body is sent unchanged")
    func noProtocol() async throws {
        let server = try server("/plain/add") { $0 }
        let client = RPCClient(
            channel: try Channel(url: "http://\(server.target)"), PlainBodies(prefix: "/plain/"))
        let echoed: [Int] = try await client.call("add", [1, 2])
        #expect(echoed == [1, 2])
        #expect(log.all == ["POST /plain/add [1,2]"])
    }

    @Test("DRDJsonRpcVersionTwo: jsonrpc, a UUID in lower case as id, method and params")
    func jsonRPC() async throws {
        let server = try server("/rpc") { _ in #"{"id": "any", "result": 1224}"# }
        let client = try RPCClient(url: "http://\(server.target)/rpc?test", hosts: hosts) {
            JSONRPC(path: $0, additionalFields: ["tenant": "t1", "zone": 1], isLenient: true)
        }
        let sum: Int = try await client.call("add", ["a": 12, "b": 1_212])
        #expect(sum == 1_224)
        let line = log.all[0]
        #expect(line.hasPrefix("POST /rpc?test {"))
        let sent = try fields(line)
        #expect(sent["jsonrpc"] == "2.0" && sent["method"] == "add")
        #expect(sent["params"] == .object(["a": 12, "b": 1_212]))
        #expect(sent["tenant"] == "t1" && sent["zone"] == 1)
        guard case .string(let id)? = sent["id"] else {
            Issue.record("no id in \(line)")
            return
        }
        #expect(UUID(uuidString: id) != nil && id == id.lowercased())
        let _: Int = try await client.call(
            "add", [1], additionalFields: ["tenant": "t2", "jsonrpc": "1.9"])
        let own = try fields(log.all[1])
        #expect(own["tenant"] == "t2" && own["zone"] == 1 && own["jsonrpc"] == "1.9")
    }

    @Test(
        "DRDJsonRpcVersionTwo: a result, or an error with code, message and data; null is neither")
    func answers() async throws {
        let next = NextAnswer()
        let server = try server("/rpc") { _ in next.body }
        let client = RPCClient(
            channel: try Channel(url: "http://\(server.target)"),
            JSONRPC(path: "/rpc", isLenient: true))
        next.body = #"{"id": "1", "error": null, "result": 5}"#
        let five: Int = try await client.call("add", [1])
        #expect(five == 5)
        next.body = #"{"result": null, "error": {"code": 7, "message": "no", "data": {"why": 1}}}"#
        let error = await #expect(throws: JSONRPCError.self) {
            try await client.call("add", [1], returning: Int.self)
        }
        #expect(error == JSONRPCError(code: 7, message: "no", data: .object(["why": 1])))
        next.body = #"{"id": "1", "error": null, "result": null}"#
        let none: Int? = try await client.call("add", [1], returning: Int?.self)
        #expect(none == nil)
    }

    @Test(
        "The sample answer, without jsonrpc and with another id: lenient accepts, strict does not")
    func sample() async throws {
        let server = try server("/demo.ashx") { _ in
            #"{"id": "a1bda1d7-22c7-4fbd-a4ba-d5fb1c44a13e", "result": 1224}"#
        }
        let url = "http://\(server.target)/demo.ashx?test"
        for (isLenient, isAccepted) in [(true, true), (false, false)] {
            let client = try RPCClient(url: url, hosts: hosts) {
                JSONRPC(path: $0, isLenient: isLenient)
            }
            let sum: Int? = try? await client.call("add", ["a": 12, "b": 1_212])
            #expect((sum == 1_224) == isAccepted)
        }
    }

    @Test("customRequestUrl: a call can name its own full URL")
    func customURL() async throws {
        let (near, far) = (
            try server("/near") { _ in #"{"result": 1}"# },
            try server("/far") { _ in #"{"result": 2}"# }
        )
        let client = try RPCClient(url: "http://\(near.target)/near", hosts: hosts) {
            JSONRPC(path: $0, isLenient: true)
        }
        let first: Int = try await client.call("m", [1])
        let second: Int = try await client.call("m", [1], at: "http://\(far.target)/far?x=1")
        #expect(first == 1 && second == 2)
        #expect(far.connectionCount == 1)
    }

    @Test(
        "JSON-RPC and RESTful APIs on one server, with any verb, over HTTP/1.1 and HTTP/2",
        arguments: [HTTPVersion.http1, .http2])
    func sideBySide(_ version: HTTPVersion) async throws {
        let server = try server("/rpc", version) { body in
            body.isEmpty ? "9" : #"{"result": 9}"#
        }
        let channel = try Channel(server.target, version: version, credentials: .insecure)
        let rpc = RPCClient(channel: channel, JSONRPC(path: "/rpc", isLenient: true))
        let rest = RESTClient(channel: channel)
        let called: Int = try await rpc.call("nine", [1])
        let fetched: Int = try await rest.get("/rpc")
        #expect(called == 9 && fetched == 9)
        for verb: HTTPMethod in [.put, .patch, .delete, .post, "REPORT"] {
            _ = try await channel.request(verb, "/rpc", contentType: "application/json")
        }
        let verbs = log.all.map { $0.prefix { $0 != " " } }
        #expect(verbs == ["POST", "GET", "PUT", "PATCH", "DELETE", "POST", "REPORT"])
        #expect(server.connectionCount == 1)
    }

    @Test("setApiCompletionHandler: the handler is called once, with the result or the error")
    func completionHandler() async throws {
        let server = try server("/rpc") { body in
            body.contains("fail")
                ? #"{"error": {"code": 1, "message": "no"}}"# : #"{"result": 1}"#
        }
        let client = RPCClient(
            channel: try Channel(url: "http://\(server.target)"),
            JSONRPC(path: "/rpc", isLenient: true))
        let (results, continuation) = AsyncStream.makeStream(of: Result<Int, any Error>.self)
        for method in ["add", "fail"] {
            client.start(method, [1], returning: Int.self) { continuation.yield($0) }
            for await result in results.prefix(1) {
                #expect(((try? result.get()) == 1) == (method == "add"))
            }
        }
    }

    @Test("maxHttpConnectionPerHost: one cached session for a base URL, with this many connections")
    func sessionCache() async throws {
        let server = try server("/rpc") { [gate] _ in
            await gate.pass()
            return #"{"result": 1}"#
        }
        let base = "http://\(server.target)"
        hosts.host(at: base).configure { $0.maxConnectionCount = 2 }
        let clients = try ["a", "b"].map { name in
            try RPCClient(url: "\(base)/rpc?\(name)", hosts: hosts) {
                JSONRPC(path: $0, isLenient: true)
            }
        }
        #expect(clients[0].channel === clients[1].channel)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<6 {
                group.addTask { try await clients[number % 2].call("m", [number]) }
            }
            await gate.waitFor(2)
            for _ in 0..<100 { await Task.yield() }
            #expect(gate.arrivalCount <= 2)
            gate.open()
            for try await value in group { #expect(value == 1) }
        }
        #expect(server.connectionCount == 2)
    }

    @Test("frequentRequestErrorStr: the same method, parameters and URL are refused while they run")
    func duplicates() async throws {
        let server = try server("/rpc") { [gate] _ in
            await gate.pass()
            return #"{"result": 1}"#
        }
        let guarding = DuplicateGuard(.refuse(message: "one moment, please"))
        let client = RPCClient(
            channel: try Channel(
                url: "http://\(server.target)", interceptors: [.all(guarding.interceptor)]),
            JSONRPC(path: "/rpc", isLenient: true))
        let first = Task { try await client.call("m", ["b": 1, "a": 2], returning: Int.self) }
        await gate.waitFor(1)
        // Another id, and the keys in another order.
        let second = await #expect(throws: RPCError.self) {
            try await client.call("m", ["a": 2, "b": 1], returning: Int.self)
        }
        #expect(second?.code == .cancelled && second?.message == "one moment, please")
        let others = [
            Task { try await client.call("n", ["a": 2, "b": 1], returning: Int.self) },
            Task { try await client.call("m", ["a": 2, "b": 2], returning: Int.self) },
            Task {
                try await client.call("m", ["a": 2, "b": 1], returning: Int.self, at: "/rpc?2")
            },
        ]
        await gate.waitFor(3)
        gate.open()
        for task in others + [first] { #expect(try await task.value == 1) }
        let again: Int = try await client.call("m", ["a": 2, "b": 1])
        #expect(again == 1)
    }

    @Test("DRDAPIBatchAPIRequests: the end of a group is reported once, when all calls have ended")
    func group() async throws {
        let server = try server("/rpc") { body in
            body.contains("fail") ? #"{"error": {"code": 1, "message": "no"}}"# : #"{"result": 4}"#
        }
        let client = RPCClient(
            channel: try Channel(url: "http://\(server.target)"),
            JSONRPC(path: "/rpc", isLenient: true))
        var group = CallGroup<Int>()
        for method in ["add", "fail", "add"] {
            group.add { try await client.call(method, [1]) }
        }
        let calls = group
        let (ends, continuation) = AsyncStream.makeStream(of: [Int?].self)
        calls.start { results in continuation.yield(results.map { try? $0.get() }) }
        for await end in ends.prefix(1) { #expect(end == [4, nil, 4]) }
        #expect(log.all.count == 3)
    }
}
