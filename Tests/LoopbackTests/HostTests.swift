import Swiftlet
import SwiftletLoopback
import Synchronization
import Testing

@Suite("A host", .timeLimit(.minutes(1)))
struct HostTests {
    private func host(_ server: LoopbackServer, _ cache: HostCache = HostCache()) -> Host {
        let host = cache.host(at: server.target)
        host.configure { $0.isSecure = false }
        return host
    }

    @Test("is one for each address of a cache")
    func cache() {
        let cache = HostCache()
        #expect(cache.host(at: "a:1") === cache.host(at: "a:1"))
        #expect(cache.host(at: "a:1") !== cache.host(at: "a:2"))
        let old = cache.host(at: "a:1")
        old.configure { $0.userAgentPrefix = "old" }
        cache.reset()
        #expect(cache.host(at: "a:1") !== old)
        #expect(cache.host(at: "a:1").settings.userAgentPrefix == nil)
        #expect(Host.at("b:1") === HostCache.shared.host(at: "b:1"))
    }

    @Test("keeps one channel until it is disconnected, and its settings count from then on")
    func settings() async throws {
        let agents = Mutex<[String]>([])
        let server = try LoopbackServer { server in
            server.unary(
                Method<HelloRequest, HelloReply>("/helloworld.Greeter/SayHello", .unary)
            ) { request, context in
                agents.withLock { $0.append(context.metadata["user-agent"] ?? "none") }
                return HelloReply(message: "Hello \(request.name)")
            }
        }
        let cache = HostCache()
        let host = host(server, cache)
        host.configure { $0.userAgentPrefix = "first/1" }
        let channel = try host.channel()
        _ = try await Greeter(channel: channel).sayHello(.init(name: "you"))
        host.configure { $0.userAgentPrefix = "second/2" }
        #expect(try host.channel() === channel)
        _ = try await Greeter(channel: host.channel()).sayHello(.init(name: "you"))
        cache.disconnectAll()
        #expect(try host.channel() !== channel)
        _ = try await Greeter(channel: host.channel()).sayHello(.init(name: "you"))
        let prefixes = agents.withLock { $0.map { $0.prefix(while: { $0 != " " }) } }
        #expect(prefixes == ["first/1", "first/1", "second/2"])
        #expect(agents.withLock { $0[0] }.hasPrefix("first/1 grpc-swift-swiftlet/"))
        #expect(server.connectionCount == 2)
    }

    @Test("refuses PEM that is none, and a key without its certificate")
    func pem() {
        let host = Host("a:1")
        let broken = #expect(throws: RPCError.self) {
            try host.setTLS(rootCertificates: "no certificate")
        }
        #expect(broken?.code == .invalidArgument)
        #expect(throws: RPCError.self) { try host.setTLS(privateKey: "key") }
        #expect(host.settings.credentials == nil)
    }

    @Test("disconnects those who keep its channel, too")
    func keptChannel() async throws {
        let server = try LoopbackServer { $0.addGreeter() }
        let host = host(server)
        let greeter = Greeter(channel: try host.channel())
        _ = try await greeter.sayHello(.init(name: "you"))
        host.disconnect()
        _ = try await greeter.sayHello(.init(name: "you"))
        #expect(server.connectionCount == 2)
    }

    @Test(
        "is secured by the PEM that it was given, for the name that it was told",
        .enabled(if: TLSLibrary.isHere, "OpenSSL is not installed"))
    func secured() async throws {
        let server = try SecureCallTests.server("server")
        let host = Host(server.target)
        host.configure { $0.hostNameOverride = "example.com" }
        try host.setTLS(rootCertificates: try SecureCallTests.pem("ca.pem"))
        let echo = HostileTrial.echo
        // The certificate is for localhost.
        let error = await #expect(throws: RPCError.self) {
            try await host.channel().unary(echo, [1])
        }
        #expect(error?.phase == .tls, "\(error as Any)")
        host.disconnect()
        // A name that comes later holds as well.
        host.configure { $0.hostNameOverride = "localhost" }
        #expect(try await host.channel().unary(echo, [1]) == [1])
    }

    @Test("limits the size of responses")
    func limit() async throws {
        let server = try LoopbackServer { $0.addGreeter() }
        let host = host(server)
        host.configure { $0.responseSizeLimit = 8 }
        let error = await #expect(throws: RPCError.self) {
            try await Greeter(channel: host.channel()).sayHello(.init(name: "you"))
        }
        #expect(error?.code == .resourceExhausted)
    }

    @Test("opens one more connection when the server's streams are taken, up to its cap")
    func pool() async throws {
        let gate = Gate()
        let server = try LoopbackServer { server in
            server.maxConcurrentStreams = 2
            server.unary(
                Method<HelloRequest, HelloReply>("/helloworld.Greeter/SayHello", .unary)
            ) { request, _ in
                await gate.pass()
                return HelloReply(message: request.name)
            }
        }
        let host = host(server)
        host.configure { $0.maxConnectionCount = 3 }
        let greeter = Greeter(channel: try host.channel())
        try await withThrowingTaskGroup(of: String.self) { group in
            for index in 0..<9 {
                group.addTask { try await greeter.sayHello(.init(name: "\(index)")).message }
            }
            // Six have streams on three connections, three wait in line.
            await gate.waitFor(6)
            #expect(server.connectionCount == 3)
            gate.open()
            var answers: Set<String> = []
            for try await answer in group { answers.insert(answer) }
            #expect(answers.count == 9)
        }
        #expect(server.connectionCount == 3)
    }

    @Test("does with one connection what it can when it may have no more")
    func single() async throws {
        let server = try LoopbackServer {
            $0.maxConcurrentStreams = 2
            $0.addGreeter()
        }
        let greeter = Greeter(channel: try host(server).channel())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask { _ = try await greeter.sayHello(.init(name: "you")) }
            }
            try await group.waitForAll()
        }
        #expect(server.connectionCount == 1)
    }
}

/// Handlers wait here until it is opened.
private final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [CheckedContinuation<Void, Never>] = []
        var observers: [(count: Int, CheckedContinuation<Void, Never>)] = []
    }
    private let state = Mutex(State())

    func pass() async {
        await withCheckedContinuation { continuation in
            let told: [CheckedContinuation<Void, Never>] = state.withLock { state in
                if state.isOpen { return [continuation] }
                state.waiting.append(continuation)
                let count = state.waiting.count
                let told = state.observers.filter { $0.count <= count }.map(\.1)
                state.observers.removeAll { $0.count <= count }
                return told
            }
            for continuation in told { continuation.resume() }
        }
    }

    func waitFor(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.waiting.count >= count { return true }
                state.observers.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}

@Suite("When the machine loses its network", .timeLimit(.minutes(1)))
struct ConnectivityMonitorTests {
    @Test("running calls end with UNAVAILABLE, and the next one finds its way")
    func loss() async throws {
        let monitor = ConnectivityMonitor(includesLocal: true)
        var arguments = ChannelArguments()
        arguments.connectivityMonitor = monitor
        let server = try LoopbackServer {
            $0.addGreeter()
            $0.addRouteGuide()
        }
        let channel = try Channel(server.target, arguments: arguments)
        let chat: Conversation<RouteGuide.RouteNote, RouteGuide.RouteNote> =
            try await channel.bidirectional(
                Method("/routeguide.RouteGuide/RouteChat", .bidirectional))
        _ = try await Greeter(channel: channel).sayHello(.init(name: "you"))
        monitor.report(isConnected: false)
        let error = await #expect(throws: RPCError.self) {
            for try await _ in chat.responses {}
        }
        #expect(error?.code == .unavailable)
        #expect(error?.message == "Connectivity lost.")
        monitor.report(isConnected: true)
        _ = try await Greeter(channel: channel).sayHello(.init(name: "again"))
        #expect(server.connectionCount == 2)
    }

    @Test("calls within the machine go on, unless it is asked otherwise")
    func local() async throws {
        let monitor = ConnectivityMonitor()
        var arguments = ChannelArguments()
        arguments.connectivityMonitor = monitor
        let server = try LoopbackServer { $0.addGreeter() }
        let greeter = Greeter(channel: try Channel(server.target, arguments: arguments))
        _ = try await greeter.sayHello(.init(name: "you"))
        monitor.report(isConnected: false)
        _ = try await greeter.sayHello(.init(name: "you"))
        #expect(server.connectionCount == 1)
    }

    @Test("reconnecting does not wait once it is back")
    func recovery() async throws {
        let monitor = ConnectivityMonitor(includesLocal: true)
        var arguments = ChannelArguments()
        arguments.connectivityMonitor = monitor
        arguments.initialReconnectBackoff = .seconds(600)
        arguments.maxReconnectBackoff = .seconds(600)
        let path = "/tmp/swiftlet-\(UInt64.random(in: 0 ... .max)).sock"
        let channel = try Channel("unix:\(path)", arguments: arguments)
        let greeter = Greeter(channel: channel)
        await #expect(throws: RPCError.self) { try await greeter.sayHello(.init(name: "you")) }
        let server = try LoopbackServer(on: .unix(path: path)) { $0.addGreeter() }
        monitor.report(isConnected: false)
        monitor.report(isConnected: true)
        let reply = try await greeter.sayHello(
            .init(name: "you"), .with { $0.waitForReady = true })
        #expect(reply.message == "Hello you")
        _ = server
    }

    @Test("hosts let go of their channels, and the next is made from the settings as they are")
    func hosts() async throws {
        let server = try LoopbackServer { $0.addGreeter() }
        let monitor = ConnectivityMonitor(includesLocal: true)
        let host = Host(server.target)
        host.configure {
            $0.isSecure = false
            $0.connectivityMonitor = monitor
        }
        let first = try host.channel()
        _ = try await Greeter(channel: first).sayHello(HelloRequest(name: "you"))
        monitor.report(isConnected: false)
        monitor.report(isConnected: true)
        let second = try host.channel()
        #expect(first !== second)
        #expect(
            try await Greeter(channel: second).sayHello(.init(name: "me")).message == "Hello me")
    }

    @Test("those who watch are told, and the system's own monitor starts")
    func watching() async {
        let monitor = ConnectivityMonitor()
        var iterator = monitor.changes.makeAsyncIterator()
        #expect(await iterator.next() == true)
        monitor.report(isConnected: true)
        monitor.report(isConnected: false)
        #expect(await iterator.next() == false)
        #expect(!monitor.isConnected)
        // Whatever the machine has, asking does no harm.
        _ = ConnectivityMonitor.system.isConnected
    }
}

@Suite("A bearer token", .timeLimit(.minutes(1)))
struct BearerTokenTests {
    struct NoToken: Error {}

    private func server(_ tokens: Mutex<[String]>.Box) throws -> LoopbackServer {
        try LoopbackServer { server in
            server.unary(
                Method<HelloRequest, HelloReply>("/helloworld.Greeter/SayHello", .unary)
            ) { _, context in
                tokens.add(context.metadata["authorization"] ?? "none")
                return HelloReply()
            }
        }
    }

    @Test("is fetched once and kept until it expires or is refused")
    func caching() async throws {
        let seen = Mutex<[String]>.Box()
        let fetches = Atomic(0)
        let server = try server(seen)
        let token = BearerToken(isAllowedInTheClear: true) {
            let number = fetches.wrappingAdd(1, ordering: .relaxed).newValue
            // The second is as good as expired.
            return BearerToken.Token("t\(number)", validFor: .seconds(number == 2 ? 1 : 3_600))
        }
        let channel = try Channel(server.target, defaultOptions: .with { $0.credentials = token })
        let greeter = Greeter(channel: channel)
        for _ in 0..<3 { _ = try await greeter.sayHello(.init()) }
        token.invalidate()
        for _ in 0..<3 { _ = try await greeter.sayHello(.init()) }
        #expect(
            seen.all == [
                "Bearer t1", "Bearer t1", "Bearer t1", "Bearer t2", "Bearer t3", "Bearer t3",
            ])
    }

    @Test("is fetched once for calls that come together, in every face")
    func together() async throws {
        let seen = Mutex<[String]>.Box()
        let fetches = Atomic(0)
        let server = try server(seen)
        let token = BearerToken(isAllowedInTheClear: true) {
            fetches.wrappingAdd(1, ordering: .relaxed)
            await Task.yield()
            return BearerToken.Token("only")
        }
        let channel = try Channel(server.target, defaultOptions: .with { $0.credentials = token })
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask { _ = try await Greeter(channel: channel).sayHello(.init()) }
            }
            group.addTask {
                _ = try await onThread {
                    try channel.blockingUnary(
                        Method<HelloRequest, HelloReply>("/helloworld.Greeter/SayHello", .unary),
                        .init())
                }
            }
            try await group.waitForAll()
        }
        #expect(fetches.load(ordering: .relaxed) == 1)
        #expect(Set(seen.all) == ["Bearer only"])
        #expect(seen.all.count == 21)
    }

    @Test("that cannot be fetched fails the call, and the next call tries again")
    func failure() async throws {
        let seen = Mutex<[String]>.Box()
        let fetches = Atomic(0)
        let server = try server(seen)
        let token = BearerToken(isAllowedInTheClear: true) {
            guard fetches.wrappingAdd(1, ordering: .relaxed).newValue > 1 else { throw NoToken() }
            return BearerToken.Token("second")
        }
        let channel = try Channel(server.target, defaultOptions: .with { $0.credentials = token })
        let error = await #expect(throws: RPCError.self) {
            try await Greeter(channel: channel).sayHello(.init())
        }
        #expect(error?.code == .unauthenticated)
        #expect(error?.mayHaveBeenExecuted == false)
        _ = try await Greeter(channel: channel).sayHello(.init())
        #expect(seen.all == ["Bearer second"])
    }

    @Test("is not sent in the clear unless that is allowed")
    func clear() async throws {
        let seen = Mutex<[String]>.Box()
        let server = try server(seen)
        let options = CallOptions.with { $0.credentials = BearerToken("secret") }
        let channel = try Channel(server.target)
        let error = await #expect(throws: RPCError.self) {
            try await Greeter(channel: channel).sayHello(.init(), options)
        }
        #expect(error?.code == .unauthenticated)
        #expect(seen.all == [])
    }
}

extension Mutex where Value == [String] {
    /// A list that handlers share.
    fileprivate final class Box: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }
}
