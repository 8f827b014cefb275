import Swiftlet
import SwiftletInterceptors
import SwiftletJSONRPC
import SwiftletLoopback
import SwiftletStyles
import Synchronization
import Testing

/// Each test is named after a type of gRPC for Objective-C. It checks the behavior that code with
/// this type relies on.
@Suite("gRPC for Objective-C: channels", .timeLimit(.minutes(5)))
struct ObjectiveCChannelTests {
    private static let agent = Method<[UInt8], [UInt8]>(
        "/t.T/Agent", .unary, request: .bytes, reply: .bytes)
    private static let sized = Method<[UInt8], [UInt8]>(
        "/t.T/Sized", .unary, request: .bytes, reply: .bytes)

    /// Answers with the user agent of the request, or with the requested number of bytes.
    private static func server() throws -> LoopbackServer {
        try LoopbackServer { server in
            server.unary(agent) { _, context in
                Array((context.metadata["user-agent"] ?? "none").utf8)
            }
            server.unary(sized) { request, _ in
                let count = Int(String(decoding: request, as: UTF8.self)) ?? 0
                return [UInt8](repeating: 1, count: count)
            }
        }
    }

    private static func text(_ channel: Channel) async throws -> String {
        String(decoding: try await channel.unary(agent, []), as: UTF8.self)
    }

    @Test("GRPCHost: one for each address; its settings apply from the next channel on")
    func host() async throws {
        let server = try Self.server()
        let cache = HostCache()
        let host = cache.host(at: server.target)
        #expect(cache.host(at: server.target) === host)
        #expect(host.settings.responseSizeLimit == 4 << 20)
        #expect(host.settings.isSecure)
        let authorities = Notes()
        let noting = InterceptorFactory("noting") { call in
            authorities.add(call.authority)
            return nil
        }
        host.configure {
            $0.isSecure = false
            $0.userAgentPrefix = "shop/1.4"
            $0.hostNameOverride = "shop.example"
            $0.interceptors = [.all(noting)]
        }
        let first = try host.channel()
        let agent = UserAgent.value(prefix: "shop/1.4")
        #expect(try await Self.text(first) == agent)
        host.configure { $0.userAgentPrefix = "shop/1.5" }
        #expect(try await Self.text(host.channel()) == agent)
        #expect(authorities.all == ["shop.example", "shop.example"])
        host.disconnect()
        #expect(try host.channel() !== first)
        #expect(try await Self.text(host.channel()).hasPrefix("shop/1.5 grpc-"))

        let limit = 4 << 20
        let whole = try await host.channel().unary(Self.sized, Array("\(limit)".utf8))
        #expect(whole.count == limit)
        let error = await #expect(throws: RPCError.self) {
            try await host.channel().unary(Self.sized, Array("\(limit + 1)".utf8))
        }
        #expect(error?.code == .resourceExhausted)
    }

    @Test("flushChannelCache, resetAllHostSettings: disconnect all hosts, and forget them")
    func cache() throws {
        let cache = HostCache()
        let hosts = ["127.0.0.1:1", "127.0.0.1:2"].map { cache.host(at: $0) }
        for host in hosts { host.configure { $0.isSecure = false } }
        let channels = try hosts.map { try $0.channel() }
        cache.disconnectAll()
        for (host, channel) in zip(hosts, channels) {
            #expect(try host.channel() !== channel)
            #expect(cache.host(at: host.address) === host)
            #expect(!host.settings.isSecure)
        }
        cache.reset()
        for host in hosts {
            #expect(cache.host(at: host.address) !== host)
            #expect(cache.host(at: host.address).settings.isSecure)
        }
    }

    @Test(
        "setTLSPEMRootCerts:withPrivateKey:withCertChain:error: reports PEM that is not valid",
        .enabled(if: TLSLibrary.isHere, "OpenSSL is not installed"))
    func pem() throws {
        let (key, chain) = (
            try SecureCallTests.pem("client.key"), try SecureCallTests.pem("client.pem")
        )
        let host = Host("localhost:1")
        let mistakes: [(root: String?, key: String?, chain: String?)] = [
            ("no PEM", nil, nil), (nil, "no PEM", chain), (nil, key, "no PEM"), (nil, key, nil),
            (nil, try SecureCallTests.pem("server.key"), chain),
        ]
        for (root, key, chain) in mistakes {
            let error = #expect(throws: RPCError.self) {
                try host.setTLS(rootCertificates: root, privateKey: key, certificateChain: chain)
            }
            #expect(error?.code == .invalidArgument)
            #expect(host.settings.credentials == nil)
        }
        try host.setTLS(
            rootCertificates: try SecureCallTests.pem("ca.pem"), privateKey: key,
            certificateChain: chain)
        #expect(host.settings.credentials != nil)
    }

    @Test("userAgentPrefix: precedes the library's own user agent, separated by a space")
    func userAgent() async throws {
        let server = try Self.server()
        for (prefix, suffix) in [(nil, nil), ("shop/1.4", nil), ("shop/1.4", "(linux; x86_64)")] {
            var arguments = ChannelArguments()
            arguments.userAgentPrefix = prefix
            arguments.userAgentSuffix = suffix
            let channel = try Channel(server.target, credentials: .insecure, arguments: arguments)
            let agent = try await Self.text(channel)
            // "grpc-" language ["-" variant] "/" version [" (" properties ")"]
            let own = /(shop\/1\.4 )?grpc-[a-z]+(-[a-z]+)?\/[0-9]+\.[0-9]+\.[0-9]+( \(.*\))?/
            #expect(agent.wholeMatch(of: own) != nil, "\(agent)")
            #expect(agent.hasPrefix("shop/1.4 ") == (prefix != nil))
            #expect(agent.hasSuffix(" (linux; x86_64)") == (suffix != nil))
        }
    }

    @Test("GRPCChannel: without TLS, and all calls to one host share one connection")
    func insecureChannel() async throws {
        let server = try Self.server()
        let queue = try CompletionQueue()
        let channel = try Channel(
            server.target, credentials: .insecure,
            arguments: try ChannelArguments(["grpc.primary_user_agent": "shop/1.4"]), queue: queue)
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 { group.addTask { try await Self.text(channel) } }
            for try await text in group { #expect(text.hasPrefix("shop/1.4 ")) }
        }
        #expect(server.connectionCount == 1)
        queue.shutdown()
    }

    @Test(
        "GRPCChannel: secure with default certificates, and with given credentials",
        .enabled(if: TLSLibrary.isHere, "OpenSSL is not installed"))
    func secureChannel() async throws {
        let server = try SecureCallTests.server("server")
        let unknown = await #expect(throws: RPCError.self) {
            try await Channel(server.target, credentials: .tls()).unary(HostileTrial.echo, [1])
        }
        #expect(unknown?.phase == .tls)
        var options = TLSOptions()
        options.rootCertificates = .text(try SecureCallTests.pem("ca.pem"))
        let arguments = try ChannelArguments(["grpc.max_receive_message_length": 1])
        let channel = try Channel(
            server.target, credentials: .tls(options), arguments: arguments)
        #expect(try await channel.unary(HostileTrial.echo, [1]) == [1])
        let large = await #expect(throws: RPCError.self) {
            try await channel.unary(HostileTrial.echo, [1, 2])
        }
        #expect(large?.code == .resourceExhausted)
    }

    @Test("GRPCCompletionQueue: one thread; each batch is an event with its handler and success")
    func queueOfOneThread() async throws {
        let server = try Self.server()
        let queue = try CompletionQueue()
        let channel = try Channel(server.target, credentials: .insecure, queue: queue)
        let (events, continuation) = AsyncStream.makeStream(of: (Bool, Bool).self)
        let report: @Sendable (Bool) -> Void = { success in
            continuation.yield((success, queue.loop.isCurrent))
        }
        let call = try channel.rawCall(Self.agent.path)
        try call.start(
            [.sendInitialMetadata([:]), .sendMessage([]), .sendClose()], handler: report)
        try call.start([.receiveMessage { _ in }, .receiveStatus { _, _ in }], handler: report)
        for await (success, isOnThread) in events.prefix(2) {
            #expect(success && isOnThread)
        }
        let cancelled = try channel.rawCall(Self.agent.path)
        cancelled.cancel()
        try cancelled.start([.sendInitialMetadata([:])], handler: report)
        queue.shutdown()
        // The last event arrives before the thread ends.
        for await (success, isOnThread) in events.prefix(1) { #expect(!success && isOnThread) }
        await queue.waitForShutdown()
    }

    @Test("GRPCCompletionQueue: polled by hand, it returns an event, a timeout, or shutdown")
    func queueByHand() async throws {
        let server = try Self.server()
        try await onThread {
            let queue = try CompletionQueue(.byHand)
            let channel = try Channel(server.target, credentials: .insecure, queue: queue)
            #expect(try queue.next(deadline: .after(.zero)) == .timeout)
            let call = try channel.rawCall(Self.agent.path)
            try call.start(
                [
                    .sendInitialMetadata([:]), .sendMessage([]), .sendClose(),
                    .receiveMessage { #expect($0 != nil) },
                    .receiveStatus { status, _ in #expect(status.code == .ok) },
                ], tag: 42)
            #expect(try queue.next() == .completed(tag: 42, success: true))
            queue.shutdown()
            #expect(try queue.next() == .shutdown)
        }
    }

    @Test("ProtoService: host, package, service and method give a call that is not started")
    func protoService() async throws {
        let server = try LoopbackServer { $0.addGreeter() }
        let greeter = Greeter(channel: try server.makeChannel())
        let (package, service) = ("helloworld", "Greeter")
        let method = try Method<HelloRequest, HelloReply>(
            path: "/\(package).\(service)/SayHello", .unary)
        #expect(method.serviceName == "helloworld.Greeter" && method.name == "SayHello")
        let call = greeter.call(
            method, requests: SequenceWriter(value: HelloRequest(name: "you")))
        #expect(call.state == .notStarted)
        let sink = Sink<HelloReply>()
        try call.start(with: sink)
        await sink.waitForEnd()
        #expect(sink.all.last == "done")
        for path in ["/helloworld.Greeter/", "//SayHello", "/helloworld./SayHello", "/.Greeter/M"] {
            let error = #expect(throws: RPCError.self, "\(path)") {
                _ = try Method<HelloRequest, HelloReply>(path: path, .unary)
            }
            #expect(error?.code == .invalidArgument)
        }
    }

    @Test("GRPCConnectivityMonitor: a lost network ends calls, and the host connects again")
    func connectivity() async throws {
        let gate = Gate()
        let server = try LoopbackServer { server in
            server.unary(Self.agent) { _, _ in
                await gate.pass()
                return [7]
            }
        }
        let monitor = ConnectivityMonitor(includesLocal: true)
        let host = Host(server.target)
        host.configure {
            $0.isSecure = false
            $0.connectivityMonitor = monitor
        }
        let channel = try host.channel()
        let call = Task { try await channel.unary(Self.agent, []) }
        await gate.waitFor(1)
        monitor.report(isConnected: false)
        let error = await #expect(throws: RPCError.self) { try await call.value }
        #expect(error?.code == .unavailable)
        #expect(error?.message == "Connectivity lost.")
        #expect(try host.channel() !== channel)
        gate.open()
        monitor.report(isConnected: true)
        #expect(try await host.channel().unary(Self.agent, []) == [7])
    }
}
