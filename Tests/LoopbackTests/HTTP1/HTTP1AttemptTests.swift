import Swiftlet
import SwiftletJSONRPC
import SwiftletLoopback
import SwiftletTransport
import Synchronization
import Testing

/// Tests the opening of connections whose version of HTTP is chosen in the TLS handshake.
@Suite(
    "An attempt to connect for HTTP/1.1 or HTTP/2", .timeLimit(.minutes(5)),
    .enabled(if: TLSLibrary.isHere, "OpenSSL is not installed"))
struct HTTP1AttemptTests {
    /// Accepts connections, and sends nothing until the client closes them.
    private static func silentPeer(whenClosed: @escaping @Sendable () -> Void = {}) throws
        -> RawPeer
    {
        try RawPeer(
            RawScript(opening: { connection in
                defer { whenClosed() }
                var buffer = ReceiveBuffer()
                while true {
                    try connection.receive(&buffer)
                    buffer.consume(buffer.count)
                }
            }))
    }

    private static func channel(
        _ targets: [String], connectTimeout: Duration = .seconds(60)
    ) throws -> Channel {
        var options = TLSOptions()
        options.rootCertificates = .text(try SecureCallTests.pem("ca.pem"))
        options.targetNameOverride = "localhost"
        var arguments = ChannelArguments()
        arguments.connectTimeout = connectTimeout
        arguments.initialReconnectBackoff = .milliseconds(20)
        arguments.maxReconnectBackoff = .milliseconds(20)
        return try Channel(
            "ipv4:" + targets.joined(separator: ","), version: .negotiated,
            credentials: .tls(options), arguments: arguments)
    }

    @Test("skips an address whose handshake exceeds its share of the time")
    func share() async throws {
        let silent = try Self.silentPeer()
        let server = try echoServer(
            tls: ServerTLS(
                certificateChain: try SecureCallTests.pem("server.pem"),
                privateKey: try SecureCallTests.pem("server.key")), .http1)
        let channel = try Self.channel([silent.target, server.target], connectTimeout: .seconds(1))
        // On a busy machine the time that is left for the second address may be too short. Another
        // attempt follows.
        let answer = try await channel.request(
            .put, "/echo", body: [1], options: .with { $0.waitForReady = true })
        #expect(answer.body == [1])
    }

    @Test("fails when the time has passed, and names the step")
    func timeout() async throws {
        let silent = try Self.silentPeer()
        // Long enough to reach the handshake on a busy machine.
        let channel = try Self.channel([silent.target], connectTimeout: .seconds(3))
        let error = await #expect(throws: RPCError.self) {
            try await channel.request(
                .get, "/", options: .with { $0.timeout = .seconds(100) })
        }
        #expect(error?.code == .unavailable)
        #expect(error?.phase == .tls)
        let text = "connect \(silent.target): the TLS handshake did not complete within 3.0 seconds"
        #expect(error?.description.contains(text) == true, "\(String(describing: error))")
    }

    @Test("is a cause of the deadline of a request that waits for a connection")
    func deadline() async throws {
        let channel = try Self.channel(["127.0.0.1:1"])
        // After this request, the channel has recorded the failed attempt to connect to that
        // address.
        await #expect(throws: RPCError.self) { try await channel.request(.get, "/") }
        let error = await #expect(throws: RPCError.self) {
            try await channel.request(
                .get, "/",
                options: .with {
                    $0.waitForReady = true
                    $0.timeout = .milliseconds(100)
                })
        }
        #expect(error?.code == .deadlineExceeded)
        #expect(error?.attempts.map(\.address) == ["127.0.0.1:1"])
        #expect(error?.causes.contains { $0.contains("connection refused") } == true)
    }

    @Test("closes its connection when the channel ends before the handshake")
    func end() async throws {
        let isClosed = Atomic(false)
        let silent = try Self.silentPeer { isClosed.store(true, ordering: .relaxed) }
        let channel = try Self.channel([silent.target])
        let request = Task { try await channel.request(.get, "/") }
        try await eventually { silent.connectionCount == 1 }
        await channel.close()
        let error = await #expect(throws: RPCError.self) { try await request.value }
        #expect(error?.code == .unavailable)
        try await eventually { isClosed.load(ordering: .relaxed) }
    }
}
