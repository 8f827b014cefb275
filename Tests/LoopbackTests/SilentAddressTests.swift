import Swiftlet
import SwiftletLoopback
import SwiftletTransport
import Synchronization
import Testing

@testable import SwiftletCore
@testable import SwiftletJSONRPC

/// Tests channels to several addresses, of which one accepts connections and then is silent. The time limit of
/// the attempts is an hour: a test that waited for it would end with the time limit of the suite.
@Suite("An address that does not answer", .timeLimit(.minutes(5)))
struct SilentAddressTests {
    enum Security: CaseIterable, Sendable { case none, tls, verifiedTLS }

    /// Accepts connections, sends `answer`, and then sends nothing until the client closes them.
    private struct Silent {
        let peer: RawPeer
        private let closed = Counter()

        init(after answer: [UInt8] = []) throws {
            peer = try RawPeer(
                RawScript(opening: { [closed] connection in
                    if !answer.isEmpty { try connection.send(answer) }
                    defer { closed.add() }
                    var buffer = ReceiveBuffer()
                    while true {
                        try connection.receive(&buffer)
                        buffer.consume(buffer.count)
                    }
                }))
        }

        var target: String { peer.target }
        var connectionCount: Int { peer.connectionCount }
        var closedCount: Int { closed.count }
    }

    private static func server(_ security: Security) throws -> LoopbackServer {
        var tls: ServerTLS?
        if security != .none {
            tls = ServerTLS(
                certificateChain: try SecureCallTests.pem("server.pem"),
                privateKey: try SecureCallTests.pem("server.key"))
        }
        return try LoopbackServer(tls: tls) {
            $0.unary(HostileTrial.echo) { request, _ in request }
        }
    }

    private static func credentials(_ security: Security) throws -> ChannelCredentials {
        guard security != .none else { return .insecure }
        var options = TLSOptions()
        options.rootCertificates = .text(try SecureCallTests.pem("ca.pem"))
        options.targetNameOverride = "localhost"
        if security == .verifiedTLS { options.verification = PeerVerification { _, _ in } }
        return try .tls(options)
    }

    private static var patient: ChannelArguments {
        var arguments = ChannelArguments()
        arguments.connectTimeout = .seconds(3_600)
        arguments.happyEyeballsDelay = .milliseconds(100)
        return arguments
    }

    @Test(
        "does not delay a call for longer than the next address takes", arguments: Security.allCases
    )
    func skipped(security: Security) async throws {
        guard security == .none || TLSLibrary.isHere else { return }
        let (silent, server) = (try Silent(), try Self.server(security))
        let channel = try Channel(
            "ipv4:\(silent.target),\(server.target)", credentials: try Self.credentials(security),
            arguments: Self.patient)
        #expect(try await channel.unary(HostileTrial.echo, [7]) == [7])
        #expect(silent.connectionCount == 1)
        try await eventually { silent.closedCount == 1 }
    }

    @Test("is the last one that the next attempt tries, after the one that answered")
    func order() async throws {
        let (silent, server) = (try Silent(), try Self.server(.none))
        let channel = try Channel(
            "ipv4:\(silent.target),\(server.target)", credentials: .insecure,
            arguments: Self.patient)
        #expect(try await channel.unary(HostileTrial.echo, [7]) == [7])
        let core = try #require(channel.backend as? ChannelCore)
        let member = try #require(core.state.withLock { $0.members.values.first })
        let order = member.state.withLock { $0.life.addresses.ordered }
        #expect(order.map { "\($0)" } == [server.target, silent.target])
        // The next connection is made in that order.
        member.handle(.drainAll)
        #expect(try await channel.unary(HostileTrial.echo, [7]) == [7])
    }

    @Test(
        "is skipped when it belongs to a proxy", arguments: ["http://proxy:1", "socks5://proxy:1"])
    func silentProxy(url: String) async throws {
        let silent = try Silent()
        let answer = Array("HTTP/1.1 200 OK\r\n\r\n".utf8)
        let sound = try Silent(
            after: url.hasPrefix("http") ? answer : [5, 0, 5, 0, 0, 1, 1, 2, 3, 4, 0, 80])
        let queue = try CompletionQueue()
        defer { queue.shutdown() }
        let plan = ConnectionPlan(
            try Target("a.test:443"), credentials: .insecure, arguments: Self.patient,
            queues: [queue], sockets: nil, proxy: try ProxyServer(url))
        let addresses = try [silent, sound].map { try #require(SocketAddress($0.target)) }
        let race = ConnectionRace(
            addresses, plan, resolved: .now, timeLimit: .seconds(3_600), loop: queue.loop
        ) { wire, candidate in
            OtherVersion.http1(isOnly: true).makeLink(
                wire, candidate.address, candidate.times, candidate.loop, Self.patient)
        }
        let win = try await race.run()
        #expect("\(win.candidate.address)" == sound.target)
        #expect(silent.connectionCount == 1)
        #expect(race.lesson.silent.map { "\($0)" } == [silent.target])
        win.link.endSoon(with: .givenUp)
    }

    @Test("fails the call at the time limit, and the error names each address and what it owed")
    func allSilent() async throws {
        let peers = try [Silent(), Silent()]
        var arguments = Self.patient
        arguments.connectTimeout = .seconds(15)
        arguments.initialReconnectBackoff = .milliseconds(100)
        let channel = try Channel(
            "ipv4:\(peers[0].target),\(peers[1].target)", credentials: .insecure,
            arguments: arguments)
        let error = await #expect(throws: RPCError.self) {
            try await channel.unary(HostileTrial.echo, [7])
        }
        #expect(error?.code == .unavailable)
        #expect(error?.phase == .http2)
        // On a busy machine the time may not reach for the second address.
        let tried = error?.attempts.map(\.address) ?? []
        #expect(!tried.isEmpty && peers.map(\.target).starts(with: tried))
        for attempt in error?.attempts ?? [] {
            let cause =
                "connect \(attempt.address): no HTTP/2 SETTINGS from the server within 15.0 seconds"
            #expect(attempt.cause == cause)
        }
    }

    @Test("is tried and named, even if the loop stood still until the time limit")
    func lateRace() async throws {
        let silent = try Silent()
        let queue = try CompletionQueue()
        defer { queue.shutdown() }
        let plan = ConnectionPlan(
            try Target(silent.target), credentials: .insecure, arguments: Self.patient,
            queues: [queue], sockets: nil, proxy: nil)
        let race = ConnectionRace(
            [try #require(SocketAddress(silent.target))], plan, begun: .now + .seconds(-60),
            resolved: nil, timeLimit: .seconds(1), loop: queue.loop
        ) { _, _ throws(CandidateFailure) in
            // The address may answer before the race looks at the time again.
            throw CandidateFailure(cause: "too late")
        }
        let failure = await #expect(throws: ConnectionFailure.self) {
            _ = try await race.run().candidate
        }
        #expect(failure?.attempts.map(\.address) == [silent.target])
    }

    @Test(
        "of a proxy that cannot be reached is named as the proxy's, with the server that it is for")
    func refusedProxy() async throws {
        var arguments = ChannelArguments()
        arguments.proxy = .server(try ProxyServer("http://user:secret@127.0.0.1:1"))
        let channel = try Channel("a.test:443", credentials: .insecure, arguments: arguments)
        let error = await #expect(throws: RPCError.self) {
            try await channel.unary(HostileTrial.echo, [7])
        }
        #expect(
            error?.message
                == "connect to the proxy http://127.0.0.1:1 (127.0.0.1:1) for a.test:443: connection refused"
        )
    }
}
