import Swiftlet
import SwiftletInterceptors
import SwiftletJSONRPC
import SwiftletLoopback
import SwiftletObservation
import Synchronization
import Testing

@Suite("A host", .timeLimit(.minutes(5)))
struct HostTests {
    private func host(_ server: LoopbackServer, _ cache: HostCache = HostCache()) -> Host {
        let host = cache.host(at: server.target)
        host.configure { $0.isSecure = false }
        return host
    }

    @Test("is unique for each address of a cache")
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

    @Test("keeps one channel until it is disconnected; new settings apply to the next channel")
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

    /// Runs a closure at its end.
    private final class Last: Sendable {
        private let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
        deinit { body() }
    }

    @Test("releases a replaced setting outside its lock, so that its end may use the host")
    func replacedSetting() async {
        let host = Host("replaced.test:1")
        await confirmation { hasEnded in
            Self.set(
                host,
                Last {
                    _ = host.settings
                    hasEnded()
                })
            host.configure { $0.interceptors = [] }
        }
    }

    private static func set(_ host: Host, _ last: Last) {
        host.configure {
            $0.interceptors = [
                .all(
                    InterceptorFactory("last") { _ in
                        _ = last
                        return nil
                    })
            ]
        }
    }

    /// Is asked while a channel is made.
    private final class Asked: MetricSink {
        let ask: @Sendable () -> Void
        init(_ ask: @escaping @Sendable () -> Void) { self.ask = ask }

        func records(_ instrument: MetricInstrument) -> Bool {
            ask()
            return false
        }
        func add(_ measurement: MetricMeasurement<Int>) {}
        func record(_ measurement: MetricMeasurement<Double>) {}
    }

    @Test("does not keep a channel if it was disconnected meanwhile, because its settings are old")
    func disconnectedWhileMaking() throws {
        let host = Host("a:1")
        let sink = Asked {
            guard host.settings.userAgentPrefix == nil else { return }
            host.configure {
                $0.userAgentPrefix = "new"
                $0.defaultOptions.timeout = .seconds(1)
            }
            host.disconnect()
        }
        host.configure { $0.arguments.metricSinks = [sink] }
        #expect(try host.channel().defaultOptions.timeout == nil)
        let channel = try host.channel()
        #expect(channel.defaultOptions.timeout == .seconds(1))
        #expect(try host.channel() === channel)
        // The sink refers to the host.
        host.configure { $0.arguments.metricSinks = nil }
    }

    @Test("refuses invalid PEM, and a key without its certificate")
    func pem() {
        let host = Host("a:1")
        let broken = #expect(throws: RPCError.self) {
            try host.setTLS(rootCertificates: "no certificate")
        }
        #expect(broken?.code == .invalidArgument)
        #expect(throws: RPCError.self) { try host.setTLS(privateKey: "key") }
        #expect(host.settings.credentials == nil)
    }

    @Test("also disconnects a channel that the program keeps")
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
        "is secured by the given PEM, for the given name",
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
        // A name that is set later is used for new connections.
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

    @Test(
        "has each setting once: one that equals the default also counts, and so does the last one")
    func settingsAreArguments() {
        let host = Host("a:1")
        host.configure { $0.arguments.maxReceiveMessageByteCount = 8 }
        #expect(host.settings.responseSizeLimit == 8)
        host.configure { $0.responseSizeLimit = 4 << 20 }
        #expect(host.settings.arguments.maxReceiveMessageByteCount == 4 << 20)
        host.configure { $0.responseSizeLimit = nil }
        #expect(host.settings.arguments.maxReceiveMessageByteCount == nil)
        host.configure { $0.arguments.connectivityMonitor = nil }
        #expect(host.settings.connectivityMonitor == nil)
    }

    @Test("accepts a response above an argument when its own limit is the default")
    func defaultLimit() async throws {
        let server = try LoopbackServer { $0.addGreeter() }
        let host = host(server)
        host.configure {
            $0.arguments.maxReceiveMessageByteCount = 1
            $0.responseSizeLimit = 4 << 20
        }
        _ = try await Greeter(channel: host.channel()).sayHello(.init(name: "you"))
    }

    @Test("opens one more connection when all streams of the server are in use, up to its limit")
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
            // Six calls have streams on the three connections, and three calls wait.
            await gate.waitFor(6)
            #expect(server.connectionCount == 3)
            gate.open()
            var answers: Set<String> = []
            for try await answer in group { answers.insert(answer) }
            #expect(answers.count == 9)
        }
        #expect(server.connectionCount == 3)
    }

    @Test("makes all calls on a single connection by default")
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
