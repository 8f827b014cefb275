import Foundation
import Swiftlet
import SwiftletJSONRPC
import SwiftletLoopback
import SwiftletTransport
import Synchronization
import Testing

@testable import SwiftletCore

@Suite("The connections of HTTP/1.1", .timeLimit(.minutes(5)))
struct HTTP1PoolTests {
    private static let ok = "HTTP/1.1 200 OK\nContent-Length: 2\n\nok"

    private func channel(
        _ target: String, _ change: (inout ChannelArguments) -> Void = { _ in }
    ) throws -> Channel {
        var arguments = ChannelArguments()
        change(&arguments)
        return try Channel(
            target, version: .http1, credentials: .insecure, arguments: arguments)
    }

    @Test("are limited by the host; the other requests wait")
    func limit() async throws {
        let gate = Gate()
        let server = try LoopbackServer { server in
            server.http("/wait") { _ in
                await gate.pass()
                return HTTPReply(contentType: "text/plain", body: [])
            }
        }
        let host = SwiftletJSONRPC.Host("http://\(server.target)")
        host.configure { $0.maxConnectionCount = 3 }
        let channel = try host.channel()
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask { try await channel.request(.get, "/wait").status }
            }
            await gate.waitFor(3)
            #expect(server.connectionCount == 3)
            gate.open()
            for try await status in group { #expect(status == 200) }
        }
        #expect(server.connectionCount == 3)
    }

    @Test(
        "that a server has closed make an idempotent request try again",
        arguments: [HTTPMethod.get, .put, .delete])
    func staleConnection(_ method: HTTPMethod) async throws {
        let peer = try RawHTTP1 { connection, request in
            connection == 1 && request == 2 ? nil : (Self.ok, false)
        }
        let channel = try channel(peer.target)
        #expect(try await channel.request(method, "/", body: [65]).body == Array("ok".utf8))
        #expect(try await channel.request(method, "/", body: [66]).body == Array("ok".utf8))
        #expect(peer.connectionCount == 2)
        #expect(peer.requestTexts.map { $0.suffix(1) } == ["A", "B", "B"])
    }

    @Test("that a server has closed, all of them, make an idempotent request try only once more")
    func allStale() async throws {
        let arrivals = Atomic(0)
        let peer = try RawHTTP1 { connection, request in
            guard connection <= 2, request == 2 else {
                arrivals.wrappingAdd(1, ordering: .relaxed)
                // Waits for both requests, so that each of them has its own connection.
                while arrivals.load(ordering: .relaxed) < 2 { sched_yield() }
                return (Self.ok, false)
            }
            return nil
        }
        let channel = try channel(peer.target) { $0.maxConnectionCount = 2 }
        async let first = channel.request(.get, "/")
        async let second = channel.request(.get, "/")
        #expect(try await [first.status, second.status] == [200, 200])
        #expect(peer.connectionCount == 2)
        #expect(try await channel.request(.get, "/").status == 200)
        #expect(peer.connectionCount == 3)
    }

    @Test("that a server has closed fail any other request, which may have been executed")
    func stalePost() async throws {
        let peer = try RawHTTP1 { connection, request in
            connection == 1 && request == 2 ? nil : (Self.ok, false)
        }
        let channel = try channel(peer.target)
        #expect(try await channel.request(.post, "/").status == 200)
        let error = await #expect(throws: RPCError.self) {
            try await channel.request(.post, "/")
        }
        #expect(error?.code == .unavailable)
        #expect(error?.mayHaveBeenExecuted == true)
        #expect(try await channel.request(.post, "/").status == 200)
    }

    @Test("that close without an answer fail a request after at most one more try")
    func neverAnswers() async throws {
        let peer = try RawHTTP1 { _, _ in nil }
        let channel = try channel(peer.target)
        let error = await #expect(throws: RPCError.self) { try await channel.request(.get, "/") }
        #expect(error?.code == .unavailable)
        #expect(peer.connectionCount <= 2)
    }

    @Test("are closed when the server requests it, and the next request gets another")
    func close() async throws {
        let peer = try RawHTTP1 { _, _ in
            ("HTTP/1.1 200 OK\nConnection: close\nContent-Length: 2\n\nok", false)
        }
        let channel = try channel(peer.target)
        for count in 1...3 {
            #expect(try await channel.request(.post, "/").status == 200)
            #expect(peer.connectionCount == count)
        }
    }

    /// A server that answers requests to /wait when the gate is open.
    private func waitingServer(_ gate: Gate) throws -> LoopbackServer {
        try LoopbackServer { server in
            server.http("/wait") { _ in
                await gate.pass()
                return HTTPReply(contentType: "text/plain", body: [])
            }
        }
    }

    /// A server that answers the requests of each connection when the connection's gate is open. A slow
    /// machine may open more connections than there are gates. Their requests are answered at once.
    private func gatedPeer(_ gates: [BlockingGate]) throws -> RawHTTP1 {
        try RawHTTP1 { connection, _ in
            if connection <= gates.count { gates[connection - 1].wait() }
            return (Self.ok, false)
        }
    }

    @Test(
        "are closed when no request has used them for the idle time-out", arguments: [false, true])
    func idle(isUsed: Bool) async throws {
        let peer = try RawHTTP1 { _, _ in (Self.ok, false) }
        let channel = try channel(peer.target) { $0.idleTimeout = .seconds(1) }
        if isUsed {
            #expect(try await channel.request(.get, "/").status == 200)
        } else {
            channel.connect()
        }
        await peer.connectionEnded()
        #expect(peer.connectionCount == 1 && channel.connectivity == .idle)
    }

    @Test("are closed one by one, as the idle time-out of each passes")
    func idleOneByOne() async throws {
        let gates = [BlockingGate(), BlockingGate()]
        let peer = try gatedPeer(gates)
        let channel = try channel(peer.target) {
            $0.maxConnectionCount = 2
            $0.idleTimeout = .seconds(1)
        }
        async let first = channel.request(.get, "/")
        async let second = channel.request(.get, "/")
        try await eventually { peer.requestTexts.count == 2 }
        for gate in gates { gate.open() }
        #expect(try await [first.status, second.status] == [200, 200])
        // All requests use the connection that was used last, while the other one is idle.
        for _ in 0..<50 { _ = try await channel.request(.get, "/") }
        for _ in 0..<2 { await peer.connectionEnded() }
    }

    @Test("end after their request if the channel leaves them in the meantime")
    func left() async throws {
        let gate = BlockingGate()
        let peer = try gatedPeer([gate])
        let channel = try channel(peer.target)
        async let answer = channel.request(.get, "/")
        try await eventually { !peer.requestTexts.isEmpty }
        channel.leaveConnections()
        // leaveConnections() runs its work on the loop. The loop runs this block after that work.
        await Resumption<Void>.wait { waiter in
            channel.backend.queue.loop.run { waiter.resume() }
        }
        gate.open()
        #expect(try await answer.status == 200)
        await peer.connectionEnded()
    }

    @Test("end one by one, each after its request, when the channel is closed with time for them")
    func closedInTime() async throws {
        let gates = [BlockingGate(), BlockingGate()]
        let peer = try gatedPeer(gates)
        let channel = try channel(peer.target) { $0.maxConnectionCount = 2 }
        async let first = channel.request(.get, "/")
        try await eventually { peer.requestTexts.count == 1 }
        async let second = channel.request(.get, "/")
        try await eventually { peer.requestTexts.count == 2 }
        async let closed: Void = channel.close(grace: .seconds(3_600))
        try await eventually { channel.connectivity == .shutdown }
        for gate in gates {
            gate.open()
            await peer.connectionEnded()
        }
        #expect(try await [first.status, second.status] == [200, 200])
        await closed
    }

    @Test("are closed if the server answers before it has read a request that fills the socket")
    func earlyAnswer() async throws {
        let peer = try RawPeer(
            RawScript(opening: { connection in
                var buffer = ReceiveBuffer()
                try connection.receive(&buffer)
                try connection.send(
                    Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8))
                try connection.stall()
            }))
        let channel = try channel(peer.target)
        let body = [UInt8](repeating: 1, count: 32 << 20)
        #expect(try await channel.request(.post, "/", body: body).status == 200)
        #expect(try await channel.request(.get, "/").status == 200)
        #expect(peer.connectionCount == 2)
    }

    @Test("end with their channel")
    func channelEnd() async throws {
        let peer = try RawHTTP1 { _, _ in (Self.ok, false) }
        var channel: Channel? = try channel(peer.target)
        #expect(try await channel?.request(.get, "/").status == 200)
        channel = nil
        await peer.connectionEnded()
        let closed = try self.channel(peer.target)
        #expect(try await closed.request(.get, "/").status == 200)
        await closed.close()
        let error = await #expect(throws: RPCError.self) { try await closed.request(.get, "/") }
        #expect(error?.code == .unavailable)
        #expect(closed.connectivity == .shutdown)
    }

    @Test(
        "end with an ambiguous answer",
        arguments: [
            "HTTP/1.1 200 OK\nContent-Length: 2\nContent-Length: 3\n\nokk",
            "HTTP/1.1 200 OK\nContent-Length: 2\nTransfer-Encoding: chunked\n\nok",
            "HTTP/2 200\n\n", "HTTP/1.1 101 Switching Protocols\n\n",
        ])
    func brokenAnswer(text: String) async throws {
        let peer = try RawHTTP1 { _, _ in (text, false) }
        let error = await #expect(throws: RPCError.self) {
            try await channel(peer.target).request(.post, "/")
        }
        #expect(error?.code == .internal)
        #expect(error?.message.hasPrefix("the server broke a rule of HTTP/1.1") == true)
        await peer.connectionEnded()
    }

    @Test("that end inside a body fail the request, whatever its method")
    func truncation() async throws {
        let peer = try RawHTTP1 { _, _ in
            ("HTTP/1.1 200 OK\nContent-Length: 100\n\nok", true)
        }
        let error = await #expect(throws: RPCError.self) {
            try await channel(peer.target).request(.get, "/")
        }
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains("98 bytes of the body missing") == true)
        #expect(peer.connectionCount == 1)
    }

    @Test("transmit chunks, interim answers, and a body that ends with the connection")
    func framings() async throws {
        let chunked = """
            HTTP/1.1 103 Early Hints

            HTTP/1.1 200 OK
            Transfer-Encoding: chunked

            2
            ok
            0


            """
        let peer = try RawHTTP1 { connection, request in
            connection == 1 && request == 1
                ? (chunked, false) : ("HTTP/1.0 200 OK\n\nall of it", true)
        }
        let channel = try channel(peer.target)
        #expect(try await channel.request(.get, "/").body == Array("ok".utf8))
        #expect(try await channel.request(.get, "/").body == Array("all of it".utf8))
    }

    @Test("do not nest the failures of requests that waited and cannot be sent")
    func manyRefused() async throws {
        let gate = Gate()
        let server = try waitingServer(gate)
        let channel = try channel(server.target) { $0.maxConnectionCount = 1 }
        let first = Task { try await channel.request(.get, "/wait").status }
        await gate.waitFor(1)
        let (results, continuation) = AsyncStream.makeStream(of: Result<HTTPAnswer, RPCError>.self)
        for _ in 0..<20_000 {
            try channel.startRequest("GE T", "/") { continuation.yield($0) }
        }
        gate.open()
        #expect(try await first.value == 200)
        var refusedCount = 0
        for await result in results.prefix(20_000) {
            if case .failure(let error) = result, error.code == .invalidArgument {
                refusedCount += 1
            }
        }
        #expect(refusedCount == 20_000)
        #expect(server.connectionCount == 1)
    }

    @Test("are made through the proxy of the channel")
    func proxy() async throws {
        let proxy = try RawHTTP1 { _, request in
            (request == 1 ? "HTTP/1.1 200 Connection established\n\n" : Self.ok, false)
        }
        let server = try ProxyServer("http://\(proxy.target)")
        let channel = try channel("example.invalid:80") {
            $0.proxy = .server(server)
        }
        for _ in 0..<2 {
            #expect(try await channel.request(.get, "/a").body == Array("ok".utf8))
        }
        #expect(proxy.connectionCount == 1)
        #expect(
            proxy.requestTexts == [
                "CONNECT example.invalid:80 HTTP/1.1|", "GET /a HTTP/1.1|", "GET /a HTTP/1.1|",
            ])
    }

    @Test(
        "are asked of the proxy for each address of the target",
        arguments: ["127.0.0.1", "localhost"])
    func proxiedAddresses(host: String) async throws {
        let proxy = try RawHTTP1 { connection, request in
            if connection == 1 { return ("HTTP/1.1 502 Bad Gateway\n\n", true) }
            return (request == 1 ? "HTTP/1.1 200 Connection established\n\n" : Self.ok, false)
        }
        let port = try #require(proxy.target.split(separator: ":").last)
        let server = try ProxyServer("http://\(host):\(port)")
        let channel = try channel("ipv4:192.0.2.1:80,192.0.2.2:81") {
            $0.proxy = .server(server)
            $0.initialReconnectBackoff = .milliseconds(100)
        }
        let answer = try await channel.request(
            .get, "/a", options: .with { $0.waitForReady = true })
        #expect(answer.body == Array("ok".utf8))
        let requests = proxy.requestTexts
        #expect(requests.last == "GET /a HTTP/1.1|")
        // The name has an address on which nothing listens, too.
        guard host != "localhost" else { return }
        #expect(
            requests.dropLast() == [
                "CONNECT 192.0.2.1:80 HTTP/1.1|", "CONNECT 192.0.2.2:81 HTTP/1.1|",
            ])
    }

    @Test(
        "send requests with the host of the URL",
        arguments: [
            ("http://a.test", "a.test"), ("http://a.test:80/x", "a.test:80"),
            ("http://a.test:81", "a.test:81"),
        ])
    func host(_ url: String, _ host: String) async throws {
        let proxy = try RawHTTP1 { _, request in
            (request == 1 ? "HTTP/1.1 200 Connection established\n\n" : Self.ok, false)
        }
        var arguments = ChannelArguments()
        arguments.proxy = .server(try ProxyServer("http://\(proxy.target)"))
        let channel = try Channel(url: url, arguments: arguments)
        #expect(try await channel.request(.get, "/a").status == 200)
        #expect(proxy.requestHosts.last == host)
    }

    @Test("fail with the answer of a proxy that refuses")
    func proxyRefusal() async throws {
        let proxy = try RawHTTP1 { _, _ in ("HTTP/1.1 403 Forbidden\n\n", true) }
        let server = try ProxyServer("http://\(proxy.target)")
        let channel = try channel("example.invalid:80") {
            $0.proxy = .server(server)
        }
        let error = await #expect(throws: RPCError.self) { try await channel.request(.get, "/") }
        #expect(error?.code == .unavailable)
        #expect(error?.phase == .connect)
        #expect(error?.description.contains("403") == true)
    }

    @Test("are attempted again after the backoff, when a request waits for ready")
    func retried() async throws {
        let proxy = try RawHTTP1 { connection, request in
            if connection == 1 { return ("HTTP/1.1 403 Forbidden\n\n", true) }
            return (request == 1 ? "HTTP/1.1 200 Connection established\n\n" : Self.ok, false)
        }
        let server = try ProxyServer("http://\(proxy.target)")
        let channel = try channel("example.invalid:80") {
            $0.proxy = .server(server)
            $0.initialReconnectBackoff = .milliseconds(100)
        }
        let answer = try await channel.request(
            .get, "/", options: .with { $0.waitForReady = true })
        #expect(answer.status == 200)
        #expect(proxy.connectionCount == 2)
    }

    @Test("are no cause of a passed deadline once they are open")
    func deadlineInLine() async throws {
        let gate = Gate()
        let server = try waitingServer(gate)
        let channel = try channel(server.target) { $0.maxConnectionCount = 1 }
        async let first = channel.request(.get, "/wait").status
        await gate.waitFor(1)
        let error = await #expect(throws: RPCError.self) {
            try await channel.request(
                .get, "/wait", options: .with { $0.timeout = .milliseconds(50) })
        }
        #expect(error?.code == .deadlineExceeded)
        #expect(error?.phase == .connect && error?.causes == [])
        gate.open()
        #expect(try await first == 200)
    }

    @Test("are not attempted again before the backoff, if no server listens")
    func refused() async throws {
        // No server listens on port 1. Another test may use the port of a server that has ended.
        let channel = try channel("127.0.0.1:1") { $0.initialReconnectBackoff = .seconds(100) }
        for _ in 0..<2 {
            let error = await #expect(throws: RPCError.self) {
                try await channel.request(.get, "/")
            }
            #expect(error?.code == .unavailable)
            #expect(error?.phase == .connect)
            #expect(error?.reconnection?.attemptNumber == 1)
        }
        #expect(channel.connectivity == .transientFailure)
    }
}
