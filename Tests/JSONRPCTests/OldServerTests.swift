import Swiftlet
import SwiftletJSONRPC
import SwiftletLoopback
import SwiftletObservation
import SwiftletStyles
import Synchronization
import Testing

@Suite("A server of JSON-RPC over HTTP/1.1", .timeLimit(.minutes(5)))
struct OldServerTests {
    struct Item: Codable, Hashable {
        var id: Int
        var name: String
    }

    private let gate = Gate()
    private let hosts = HostCache()
    private let server: LoopbackServer

    init() throws {
        let gate = gate
        let items = Mutex<[String: [UInt8]]>([:])
        server = try LoopbackServer { server in
            server.httpVersion = .http1
            // The sample answer: it has no version, and its ID is not that of the request.
            server.http("/demo.ashx") { request in
                guard request.path == "/demo.ashx?test" else {
                    return HTTPReply(status: 404, contentType: "text/plain", body: [])
                }
                let answer = #"{"id": "a1bda1d7-22c7-4fbd-a4ba-d5fb1c44a13e", "result": 1224}"#
                return HTTPReply(contentType: "application/json", body: Array(answer.utf8))
            }
            server.http("/slow") { _ in
                await gate.pass()
                return HTTPReply(
                    contentType: "application/json", body: Array(#"{"result": 1}"#.utf8))
            }
            server.http("/v1/items/7") { request in
                items.withLock { items in
                    switch request.method {
                    case .put, .patch: items[request.path] = request.body
                    case .delete: items[request.path] = nil
                    default: break
                    }
                    guard let body = items[request.path] else {
                        return HTTPReply(
                            status: request.method == .delete ? 204 : 404,
                            contentType: "text/plain", body: [])
                    }
                    return HTTPReply(
                        contentType: "application/json", headers: ["x-version": "3"], body: body)
                }
            }
            server.http("/v1/search") { request in
                HTTPReply(
                    contentType: "application/json", body: Array(#"["\#(request.path)"]"#.utf8))
            }
        }
    }

    private func client(_ path: String, isLenient: Bool = true) throws -> RPCClient<JSONRPC> {
        try RPCClient(url: "http://\(server.target)\(path)", hosts: hosts) {
            JSONRPC(path: $0, isLenient: isLenient)
        }
    }

    @Test("may answer like the sample, without version and with another ID")
    func sampleAnswer() async throws {
        let sum: Int = try await client("/demo.ashx?test").call("add", ["a": 12, "b": 1212])
        #expect(sum == 1224)
        await #expect(throws: RPCError.self) {
            try await client("/demo.ashx?test", isLenient: false)
                .call("add", ["a": 12, "b": 1212], returning: Int.self)
        }
    }

    @Test("is called with handlers as well as with async, and at a URL of the call's own")
    func handlers() async throws {
        let client = try client("/nowhere")
        let url = "http://\(server.target)/demo.ashx?test"
        let (results, continuation) = AsyncStream.makeStream(of: Result<Int, any Error>.self)
        client.start("add", [1, 2], at: url) { continuation.yield($0) }
        client.start("add", 5, at: url) { continuation.yield($0) }
        client.start("add", [1], at: "ftp://a") { continuation.yield($0) }
        var codes: [StatusCode] = []
        var values: [Int] = []
        for await result in results.prefix(3) {
            switch result {
            case .success(let value): values.append(value)
            case .failure(let error): codes.append((error as? RPCError)?.code ?? .ok)
            }
        }
        #expect(values == [1224])
        #expect(codes == [.invalidArgument, .invalidArgument])
        let same: Int = try await client.call("add", [1], at: url)
        #expect(same == 1224)
        #expect(server.connectionCount == 1)
    }

    @Test("supports deadlines, a guard that ignores IDs, and groups")
    func options() async throws {
        let guarding = DuplicateGuard(.refuse(message: "not twice"))
        var client = try client("/slow")
        client.options.interceptors = [guarding.interceptor]
        let guarded = client
        let first = Task { try await guarded.call("x", ["b": 1, "a": 2], returning: Int.self) }
        await gate.waitFor(1)
        let second = await #expect(throws: RPCError.self) {
            try await guarded.call("x", ["a": 2, "b": 1], returning: Int.self)
        }
        #expect(second?.code == .cancelled)
        #expect(second?.message == "not twice")
        let late = await #expect(throws: RPCError.self) {
            try await guarded.call(
                "y", [1], returning: Int.self, options: .with { $0.timeout = .milliseconds(20) })
        }
        #expect(late?.code == .deadlineExceeded)
        gate.open()
        #expect(try await first.value == 1)
        var group = CallGroup<Int>()
        for number in 1...3 { group.add { try await guarded.call("x", [number]) } }
        #expect(try await group.values() == [1, 1, 1])
    }

    @Test("can also have RESTful resources, with the verbs of HTTP")
    func resources() async throws {
        let items = try RESTClient(url: "http://\(server.target)/v1/", hosts: hosts)
        let item = Item(id: 7, name: "a")
        let missing = await #expect(throws: RPCError.self) {
            try await items.get("items/7", returning: Item.self)
        }
        #expect(missing?.message == "the server answered HTTP 404")
        #expect(try await items.send(.put, "items/7", body: item, returning: Item.self) == item)
        #expect(try await items.get("/items/7") == item)
        #expect(try await items.head("items/7")["x-version"] == "3")
        try await items.send(.patch, "items/7", body: Item(id: 7, name: "b"))
        let result = await withCheckedContinuation { continuation in
            _ = items.start(.get, "items/7", returning: Item.self) {
                continuation.resume(returning: $0)
            }
        }
        #expect(try result.get().name == "b")
        try await items.delete("items/7")
        await #expect(throws: RPCError.self) {
            try await items.get("items/7", returning: Item.self)
        }
        let paths: [String] = try await items.get("search", query: ["q": "a b&c", "lang": "ä"])
        #expect(paths == ["/v1/search?lang=%C3%A4&q=a%20b%26c"])
        #expect(server.connectionCount == 1)
    }

    @Test("shares one pool of connections with all clients of its address")
    func pool() async throws {
        hosts.host(at: "http://\(server.target)").configure { $0.maxConnectionCount = 2 }
        let client = try client("/slow")
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<6 {
                group.addTask { try await client.call("x", [number]) }
            }
            await gate.waitFor(2)
            #expect(server.connectionCount == 2)
            gate.open()
            for try await value in group { #expect(value == 1) }
        }
        #expect(server.connectionCount == 2)
    }
}
