import Swiftlet
import SwiftletTransport
import Testing

@testable import SwiftletLoopback

@Suite(
    "A client answers a hostile server of TLS", .timeLimit(.minutes(5)),
    .enabled(if: TLSLibrary.isHere, "OpenSSL is not installed"))
struct HostileTLSTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let identity: String
        var choosesProtocol = true
        let accepted: Set<Int>

        var testDescription: String { name }
    }

    private static let rows = [
        Row(name: "tls_ok", identity: "server", accepted: [0]),
        Row(name: "tls_expired", identity: "expired", accepted: [14]),
        Row(name: "tls_wrong_host", identity: "wrong-host", accepted: [14]),
        // gRPC requires that ALPN selects "h2".
        Row(name: "tls_no_alpn", identity: "server", choosesProtocol: false, accepted: [14]),
    ]

    @Test("with a suitable status", arguments: rows)
    func row(row: Row) async throws {
        var tls = ServerTLS(
            certificateChain: try SecureCallTests.pem("\(row.identity).pem"),
            privateKey: try SecureCallTests.pem("\(row.identity).key"))
        if !row.choosesProtocol {
            tls.configuration.applicationProtocols = []
            tls.configuration.requiresApplicationProtocol = false
        }
        let server = try LoopbackServer(tls: tls) { server in
            server.unary(HostileTrial.echo) { request, _ in request }
        }
        let (code, error) = await Self.call(server.target, deadline: .seconds(120))
        #expect(row.accepted.contains(code), "\(error.map { "\($0)" } ?? "OK")")
        if let error { #expect(error.phase == .tls, "\(error)") }
    }

    @Test("that sends nothing, by ending the call at its deadline")
    func hang() async throws {
        let peer = try RawPeer(.tlsHang)
        let (code, error) = await Self.call(peer.target, deadline: .milliseconds(300))
        #expect([4, 14].contains(code), "\(error.map { "\($0)" } ?? "OK")")
    }

    /// A server that sends records without application data, and the accepted outcomes of a call.
    struct RecordRow: Sendable, CustomTestStringConvertible {
        let name: String
        let accepted: Set<Int>
        let script: RawScript

        var testDescription: String { name }
    }

    private static let recordRows = [
        RecordRow(
            name: "32 key updates before the answer", accepted: [0],
            script: RawScript { connection, stream in
                try connection.updateKeys(times: 32)
                try connection.reply(stream)
            }),
        RecordRow(
            name: "33 key updates before the answer", accepted: [13, 14],
            script: RawScript { connection, stream in
                try connection.updateKeys(times: 33)
                try connection.reply(stream)
            }),
        RecordRow(
            name: "key updates without end", accepted: [13, 14],
            script: RawScript { connection, _ in
                while true { try connection.updateKeys(times: 1_000) }
            }),
    ]

    @Test("that sends records without application data", arguments: recordRows)
    func records(row: RecordRow) async throws {
        let peer = try RawPeer(row.script, tls: Self.serverTLS())
        let (code, error) = await Self.call(peer.target, deadline: .seconds(120))
        #expect(row.accepted.contains(code), "\(error.map { "\($0)" } ?? "OK")")
    }

    @Test("and calls of other channels continue during a flood of key updates and some content")
    func others() async throws {
        let flood = RawScript { connection, stream in
            try connection.headers(stream)
            // The prefix of a message of 1 MiB, whose bytes are then sent one by one.
            try connection.data(stream, [0, 0, 0x10, 0, 0])
            while true {
                try connection.updateKeys(times: 31)
                try connection.data(stream, [7])
            }
        }
        let hostile = try Self.channel(RawPeer(flood, tls: Self.serverTLS()).target)
        let sound = try RawPeer(.correct)
        let channel = try Channel(sound.target, credentials: .insecure)
        let waiting = Task { try await hostile.unary(HostileTrial.echo, [1]) }
        for _ in 0..<20 {
            let reply = try await channel.unary(
                HostileTrial.echo, [9], options: .with { $0.timeout = .seconds(120) })
            #expect(reply == RawPeer.replyBody)
        }
        waiting.cancel()
        _ = await waiting.result
    }

    private static func serverTLS() throws -> ServerTLS {
        ServerTLS(
            certificateChain: try SecureCallTests.pem("server.pem"),
            privateKey: try SecureCallTests.pem("server.key"))
    }

    private static func channel(_ target: String) throws -> Channel {
        var options = TLSOptions()
        options.rootCertificates = .text(try SecureCallTests.pem("ca.pem"))
        return try Channel(target, credentials: .tls(options))
    }

    /// The code that the call ends with; 0 is OK.
    private static func call(
        _ target: String, deadline: Duration
    ) async -> (code: Int, error: RPCError?) {
        do {
            let channel = try channel(target)
            _ = try await channel.unary(
                HostileTrial.echo, [1], options: .with { $0.timeout = deadline })
            return (0, nil)
        } catch {
            let error = error as? RPCError
            return (error?.code.rawValue ?? -1, error)
        }
    }
}
