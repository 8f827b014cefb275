import Swiftlet
import SwiftletInterceptors
import SwiftletJSONRPC
import SwiftletLoopback
import Synchronization
import Testing

@Suite("A host whose address is a URL", .timeLimit(.minutes(5)))
struct HostURLTests {
    private let gate = Gate()
    private let hosts = HostCache()
    private let server: LoopbackServer

    init() throws {
        let gate = gate
        server = try LoopbackServer { server in
            server.httpVersion = .http1
            for path in ["/v1/users", "/users", "/v1/rpc"] {
                server.http(path) { request in
                    HTTPReply(
                        contentType: "application/json",
                        body: Array(
                            (request.method == .get
                                ? #"["\#(request.path)"]"#
                                : #"{"result": "\#(request.path)"}"#).utf8))
                }
            }
            server.http("/slow") { _ in
                await gate.pass()
                return HTTPReply(contentType: "application/json", body: Array("1".utf8))
            }
        }
    }

    private var base: String { "http://\(server.target)" }

    /// The number of connections with which requests at the same time are made.
    private func connectionCount(_ client: RESTClient, requests: Int) async throws -> Int {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<requests {
                group.addTask { try await client.get("/slow", query: ["n": "\(number)"]) }
            }
            await gate.waitFor(min(requests, 6))
            gate.open()
            for try await value in group { #expect(value == 1) }
        }
        return server.connectionCount
    }

    @Test("has up to 6 connections of HTTP/1.1, unless its settings say another number")
    func defaultPool() async throws {
        #expect(hosts.host(at: base).settings.maxConnectionCount == nil)
        let client = try RESTClient(url: base, hosts: hosts)
        #expect(try await connectionCount(client, requests: 9) == 6)
    }

    @Test(
        "is one server with hosts whose URLs differ in case, in the port of the scheme, and in the path"
    )
    func equalOrigins() throws {
        hosts.host(at: "https://api.test").configure { $0.userAgentPrefix = "mine" }
        for url in ["https://API.test:443/rpc", "HTTPS://api.test/v2"] {
            #expect(hosts.host(at: url).settings.userAgentPrefix == "mine", "\(url)")
        }
        for url in ["http://api.test", "https://api.test:444", "http://api.test:443"] {
            #expect(hosts.host(at: url).settings.userAgentPrefix == nil, "\(url)")
        }
    }

    @Test("has one connection of HTTP/1.1 when that is set, although HTTP/2 has one by default")
    func singleConnection() async throws {
        hosts.host(at: base).configure { $0.maxConnectionCount = 1 }
        let client = try RESTClient(url: base, hosts: hosts)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<4 {
                group.addTask { try await client.get("/slow", query: ["n": "\(number)"]) }
            }
            await gate.waitFor(1)
            gate.open()
            for try await value in group { #expect(value == 1) }
        }
        #expect(server.connectionCount == 1)
    }

    @Test("is the server of its client's own URL, whose settings and credentials such a call has")
    func ownURL() async throws {
        let requests = Mutex<[Metadata]>([])
        let server = try LoopbackServer { server in
            server.httpVersion = .http1
            server.http("/rpc") { request in
                requests.withLock { $0.append(request.headers) }
                return HTTPReply(
                    contentType: "application/json", body: Array(#"{"result": "done"}"#.utf8))
            }
        }
        // Not in the cache of all hosts.
        let host = Host("http://\(server.target)/rpc")
        host.configure { $0.interceptors = [.all(.headers(["x-host": "own"]))] }
        let options = CallOptions.with { $0.metadata = ["authorization": "secret"] }
        let client = try RPCClient(host: host, options) { JSONRPC(path: $0, isLenient: true) }
        for _ in 0..<2 {
            let url = "http://\(server.target)/rpc"
            #expect(try await client.call("m", [1], returning: String.self, at: url) == "done")
            host.disconnect()
        }
        for headers in requests.withLock({ $0 }) {
            #expect(headers["x-host"] == "own")
            #expect(headers["authorization"] == "secret")
        }
        #expect(requests.withLock { $0.count } == 2)
    }

    @Test("keeps its path, which its clients put in front of theirs")
    func basePath() async throws {
        let host = hosts.host(at: "\(base)/v1")
        #expect(host.path == "/v1")
        #expect(hosts.host(at: "\(base)/v1") === host)
        #expect(try await RESTClient(host: host).get("users") == ["/v1/users"])
        let rpc = try RPCClient(host: hosts.host(at: "\(base)/v1/rpc?x=1")) {
            JSONRPC(path: $0, isLenient: true)
        }
        #expect(try await rpc.call("m", [1], returning: String.self) == "/v1/rpc?x=1")
        #expect(try await RESTClient(host: hosts.host(at: base)).get("users") == ["/users"])
        #expect(hosts.host(at: base).path.isEmpty)
        #expect(hosts.host(at: server.target).path.isEmpty)
        #expect(server.connectionCount == 1)
    }

    @Test(
        "shares its settings and its channel with the hosts of other paths, and with clients of URLs"
    )
    func sharing() throws {
        let (first, second) = (hosts.host(at: "\(base)/v1"), hosts.host(at: "\(base)/v2?x"))
        first.configure { $0.userAgentPrefix = "shop/1" }
        #expect(second.settings.userAgentPrefix == "shop/1")
        #expect(try first.channel() === second.channel())
        #expect(try RESTClient(url: "\(base)/v3", hosts: hosts).channel === first.channel())
        #expect(try hosts.host(at: server.target).channel() !== first.channel())
    }

    @Test("gets the settings for all hosts, whether it exists or not; its own override them")
    func allHosts() {
        let existing = hosts.host(at: "a:1")
        existing.configure { $0.maxConnectionCount = 2 }
        hosts.configureAll { $0.maxConnectionCount = 4 }
        hosts.configureAll { $0.userAgentPrefix = "shop/1" }
        let later = hosts.host(at: "https://b.example/v1")
        for host in [existing, later] {
            #expect(host.settings.maxConnectionCount == 4)
            #expect(host.settings.userAgentPrefix == "shop/1")
        }
        later.configure { $0.maxConnectionCount = 1 }
        #expect(hosts.host(at: "https://b.example").settings.maxConnectionCount == 1)
        hosts.reset()
        #expect(hosts.host(at: "a:1").settings.maxConnectionCount == nil)
    }

    @Test(
        "or a path, with a query: the items of all queries follow each other",
        arguments: [
            ("/v1?key=k", "users", ["page": "2"], "/v1/users?key=k&page=2"),
            ("/v1", "users?a=1", ["page": "2"], "/v1/users?a=1&page=2"),
            ("/v1/?key=k", "/users?a=1", [:], "/v1/users?key=k&a=1"), ("", "users?", [:], "/users"),
            ("", "users?q=a?b", [:], "/users?q=a?b"),
        ])
    func queries(
        _ prefix: String, _ path: String, _ items: [String: String], _ expected: String
    ) async throws {
        let client = try RESTClient(url: base + prefix, hosts: hosts)
        #expect(try await client.get(path, query: items) == [expected])
    }

    @Test("calls completion handlers in the context that the call names, also for a bad request")
    func contexts() async throws {
        let entered = Mutex(0)
        let context = SerialContext.on { body in
            entered.withLock { $0 += 1 }
            body()
        }
        let (results, continuation) = AsyncStream.makeStream(of: Bool.self)
        let rest = try RESTClient(url: base, hosts: hosts)
        rest.start(.get, "users", returning: [String].self, context: context) {
            continuation.yield((try? $0.get()) != nil)
        }
        rest.start(.get, "no path", returning: [String].self, context: context) {
            continuation.yield((try? $0.get()) != nil)
        }
        let rpc = try RPCClient(url: "\(base)/v1/rpc", hosts: hosts) {
            JSONRPC(path: $0, isLenient: true)
        }
        rpc.start("m", [1], returning: String.self, context: context) {
            continuation.yield((try? $0.get()) != nil)
        }
        rpc.start("m", 1, returning: String.self, context: context) {
            continuation.yield((try? $0.get()) != nil)
        }
        var successes = 0
        for await isSuccess in results.prefix(4) where isSuccess { successes += 1 }
        #expect(successes == 2)
        #expect(entered.withLock { $0 } == 4)
    }
}
