import SwiftletJSONRPC
import SwiftletLoopback
import SwiftletStyles
import Synchronization
import Testing

@testable import Swiftlet
@testable import SwiftletCore

@Suite("When the machine loses its network", .timeLimit(.minutes(5)))
struct ConnectivityMonitorTests {
    /// Those of a channel that follows the monitor and retries all calls.
    private static func arguments(
        _ monitor: ConnectivityMonitor, _ retry: RetryPolicy
    ) -> ChannelArguments {
        var config = ServiceConfig()
        config.methods = [MethodConfig([.all]) { $0.attempts = .retry(retry) }]
        var arguments = ChannelArguments()
        arguments.connectivityMonitor = monitor
        arguments.serviceConfig = config
        return arguments
    }

    @Test("running calls end with UNAVAILABLE, and the next one gets a connection")
    func loss() async throws {
        let monitor = ConnectivityMonitor(includesLocal: true)
        var arguments = ChannelArguments()
        arguments.connectivityMonitor = monitor
        let server = try LoopbackServer {
            $0.addGreeter()
            $0.addRouteGuide()
        }
        let channel = try Channel(server.target, credentials: .insecure, arguments: arguments)
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

    @Test(
        "a call that begins after the loss gets another connection, before the first one has ended")
    func callAfterLoss() async throws {
        let monitor = ConnectivityMonitor(includesLocal: true)
        var arguments = ChannelArguments()
        arguments.connectivityMonitor = monitor
        let server = try LoopbackServer { server in
            server.unary(HostileTrial.echo) { request, _ in request }
        }
        // Turned by the calls, so that it ends the connection only during the second one.
        let queue = try CompletionQueue(.byHand)
        let channel = try Channel(
            server.target, credentials: .insecure, arguments: arguments, queue: queue)
        try await onThread {
            for _ in 0..<2 {
                let response = try channel.blockingUnary(HostileTrial.echo, [1])
                #expect(response.message == [1])
                monitor.report(isConnected: false)
                monitor.report(isConnected: true)
            }
        }
        #expect(server.connectionCount == 2)
    }

    @Test("calls that wait for the resolver's first result end with UNAVAILABLE")
    func unresolved() async throws {
        let monitor = ConnectivityMonitor(includesLocal: true)
        var arguments = ChannelArguments()
        arguments.connectivityMonitor = monitor
        let channel = try Channel(
            PushedResolver(nil).target(), credentials: .insecure, arguments: arguments)
        let (errors, error) = AsyncStream.makeStream(of: RPCError.self)
        try channel.startUnary(HostileTrial.echo, [1]) { result in
            if case .failure(let failure) = result { error.yield(failure) }
            error.finish()
        }
        monitor.report(isConnected: false)
        var iterator = errors.makeAsyncIterator()
        let failure = await iterator.next()
        #expect(failure?.message == "Connectivity lost.")
        #expect(failure?.phase == .connect && failure?.mayHaveBeenExecuted == false)
    }

    @Test("waiting plain requests end with UNAVAILABLE, except those that wait for ready")
    func waitingRequests() async throws {
        // A proxy that accepts connections, and sends nothing.
        var script = RawScript(opening: { _ in })
        script.acknowledges = false
        let proxy = try RawPeer(script)
        let monitor = ConnectivityMonitor()
        var arguments = ChannelArguments()
        arguments.connectivityMonitor = monitor
        arguments.proxy = .server(try ProxyServer("http://\(proxy.target)"))
        // On a busy machine the attempt would end before the monitor's report.
        arguments.connectTimeout = .seconds(3_600)
        let channel = try Channel(url: "http://a.test", arguments: arguments)
        let isPatientOver = Atomic(false)
        let patient = Task {
            defer { isPatientOver.store(true, ordering: .relaxed) }
            return try await channel.request(.get, "/", options: .with { $0.waitForReady = true })
        }
        let (errors, error) = AsyncStream.makeStream(of: RPCError.self)
        try channel.startRequest(.get, "/") { result in
            if case .failure(let failure) = result { error.yield(failure) }
            error.finish()
        }
        try await eventually { proxy.connectionCount > 0 }
        monitor.report(isConnected: false)
        var iterator = errors.makeAsyncIterator()
        let failure = await iterator.next()
        #expect(failure?.message == "Connectivity lost.")
        #expect(failure?.phase == .connect && failure?.mayHaveBeenExecuted == false)
        let isOver = isPatientOver.load(ordering: .relaxed)
        #expect(!isOver)
        await channel.close()
        await #expect(throws: RPCError.self) { try await patient.value }
    }

    @Test("calls within the machine continue, unless the arguments say otherwise")
    func local() async throws {
        let monitor = ConnectivityMonitor()
        var arguments = ChannelArguments()
        arguments.connectivityMonitor = monitor
        let server = try LoopbackServer { $0.addGreeter() }
        let greeter = Greeter(
            channel: try Channel(server.target, credentials: .insecure, arguments: arguments))
        _ = try await greeter.sayHello(.init(name: "you"))
        monitor.report(isConnected: false)
        _ = try await greeter.sayHello(.init(name: "you"))
        #expect(server.connectionCount == 1)
    }

    @Test("a remote channel follows the monitor of its arguments; a local channel does not")
    func byDefault() throws {
        #expect(ChannelArguments().connectivityMonitor === ConnectivityMonitor.system)
        let monitor = ConnectivityMonitor()
        var arguments = ChannelArguments()
        arguments.connectivityMonitor = monitor
        let remote = try Channel("192.0.2.1:1", credentials: .insecure, arguments: arguments)
        #expect(monitor.channelCount == 1)
        // A channel to this machine does not follow the monitor: the loopback needs no network.
        let local = try Channel("127.0.0.1:1", credentials: .insecure, arguments: arguments)
        #expect(monitor.channelCount == 1)
        withExtendedLifetime((remote, local)) {}
        arguments.connectivityMonitor = nil
        _ = try Channel("192.0.2.1:1", credentials: .insecure, arguments: arguments)
    }

    @Test("a closed channel no longer follows the monitor", arguments: [HTTPVersion.http1, .http2])
    func closed(version: HTTPVersion) async throws {
        let monitor = ConnectivityMonitor()
        var arguments = ChannelArguments()
        arguments.connectivityMonitor = monitor
        let channel = try Channel(
            "192.0.2.1:1", version: version, credentials: .insecure, arguments: arguments)
        #expect(monitor.channelCount == 1)
        await channel.close()
        #expect(monitor.channelCount == 0)
    }

    @Test("a call whose response has begun in the same read is not sent again")
    func lossBetweenArrivals() async throws {
        // Answers both calls at once: the first with a message, the second with the half of one.
        let peer = try RawPeer(
            RawScript { connection, stream in
                guard stream != 1 else { return }
                let headers = RawHPACK.block(RawConnection.responseFields)
                let message = RawPrefixed.bytes([1, 2, 3, 4])
                let parts = [(1 as UInt32, message), (stream, Array(message.prefix(7)))]
                try connection.send(
                    parts.flatMap { stream, body in
                        RawFrame.bytes(
                            RawFrame.headers, flags: RawFrame.endHeaders, stream: stream, headers)
                            + RawFrame.bytes(RawFrame.data, stream: stream, body)
                    })
            })
        let monitor = ConnectivityMonitor(includesLocal: true)
        var retry = RetryPolicy(maxAttempts: 3, retryableCodes: [.unavailable])
        retry.initialBackoff = .milliseconds(1)
        let arguments = Self.arguments(monitor, retry)
        let channel = try Channel(peer.target, credentials: .insecure, arguments: arguments)
        let method = Method<[UInt8], [UInt8]>(
            "/t.T/Stream", .serverStreaming, request: .bytes, reply: .bytes)
        let first = try channel.startServerStreaming(
            method, [0],
            handlers: ResponseHandlers(
                message: { _ in monitor.report(isConnected: false) }, end: { _ in }))
        try await eventually { peer.callCount == 1 }
        let error = await #expect(throws: RPCError.self) {
            let responses = try await channel.serverStreaming(
                method, [0], options: .with { $0.timeout = .seconds(60) })
            for try await _ in responses {}
        }
        #expect(error?.code == .unavailable)
        #expect(error?.attempts.isEmpty == true)
        first.cancel()
    }

    @Test("only attempts that had a stream may have been executed")
    func unsentAttempt() async throws {
        let gate = Gate()
        let server = try LoopbackServer { server in
            server.maxConcurrentStreams = 1
            server.unary(HostileTrial.echo) { request, _ in
                await gate.pass("arrived")
                return request
            }
        }
        let monitor = ConnectivityMonitor(includesLocal: true)
        // The next attempt is never due.
        var retry = RetryPolicy(maxAttempts: 2, retryableCodes: [.unavailable])
        (retry.initialBackoff, retry.maxBackoff) = (.seconds(86_400), .seconds(86_400))
        let arguments = Self.arguments(monitor, retry)
        let channel = try Channel(server.target, credentials: .insecure, arguments: arguments)
        let (errors, error) = AsyncStream.makeStream(of: RPCError.self)
        func start() throws -> RunningCall {
            try channel.startUnary(HostileTrial.echo, [1]) { result in
                if case .failure(let failure) = result { error.yield(failure) }
            }
        }
        let first = try start()
        var arrivals = gate.arrivals.makeAsyncIterator()
        #expect(await arrivals.next() == "arrived")
        // Waits for the stream of the first.
        let second = try start()
        monitor.report(isConnected: false)
        let core = try #require(channel.backend as? ChannelCore)
        try await eventually { core.state.withLock { $0.members.values.allSatisfy(\.isEmpty) } }
        var iterator = errors.makeAsyncIterator()
        for (call, mayHaveBeenExecuted) in [(first, true), (second, false)] {
            call.cancel()
            let failure = await iterator.next()
            #expect(failure?.code == .cancelled && failure?.attempts.count == 1)
            #expect(failure?.mayHaveBeenExecuted == mayHaveBeenExecuted)
        }
        gate.open()
    }

    @Test("the channel reconnects at once when the network is back")
    func recovery() async throws {
        let monitor = ConnectivityMonitor(includesLocal: true)
        var arguments = ChannelArguments()
        arguments.connectivityMonitor = monitor
        arguments.initialReconnectBackoff = .seconds(600)
        arguments.maxReconnectBackoff = .seconds(600)
        let path = "/tmp/swiftlet-\(UInt64.random(in: 0 ... .max)).sock"
        let channel = try Channel("unix:\(path)", credentials: .insecure, arguments: arguments)
        let greeter = Greeter(channel: channel)
        await #expect(throws: RPCError.self) { try await greeter.sayHello(.init(name: "you")) }
        let server = try LoopbackServer(on: .unix(path: path)) { $0.addGreeter() }
        monitor.report(isConnected: false)
        monitor.report(isConnected: true)
        let reply = try await greeter.sayHello(
            .init(name: "you"), options: .with { $0.waitForReady = true })
        #expect(reply.message == "Hello you")
        _ = server
    }

    @Test(
        "a host on this machine keeps its channel; another one replaces it, also after two losses")
    func hostsByPlace() throws {
        let monitor = ConnectivityMonitor()
        let hosts = ["localhost:1", "a.test:1", "http://localhost:1", "http://a.test"].map {
            Host($0)
        }
        for host in hosts { host.configure { $0.connectivityMonitor = monitor } }
        let first = try hosts.map { try $0.channel() }
        for _ in 0..<2 {
            monitor.report(isConnected: false)
            monitor.report(isConnected: true)
        }
        let second = try hosts.map { try $0.channel() }
        #expect(zip(first, second).map { $0 === $1 } == [true, false, true, false])
        #expect(try hosts.map { try $0.channel() }.elementsEqual(second, by: ===))
    }

    @Test("a host makes the next channel from its current settings")
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

    @Test("the changes of the monitor report it, and the system's own monitor starts")
    func watching() async {
        let monitor = ConnectivityMonitor()
        var iterator = monitor.changes.makeAsyncIterator()
        #expect(await iterator.next() == true)
        monitor.report(isConnected: true)
        monitor.report(isConnected: false)
        #expect(await iterator.next() == false)
        #expect(!monitor.isConnected)
        // The result depends on the machine. The call must not crash.
        _ = ConnectivityMonitor.system.isConnected
    }
}
