import Swiftlet
import SwiftletTransport
import Testing

@testable import SwiftletLoopback

@Suite(
    "A client answers a hostile server of TLS", .timeLimit(.minutes(1)),
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
        // gRPC demands that "h2" was agreed on.
        Row(name: "tls_no_alpn", identity: "server", choosesProtocol: false, accepted: [14]),
    ]

    @Test("with a status that fits", arguments: rows)
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
        let (code, error) = await Self.call(server.target, deadline: .seconds(20))
        #expect(row.accepted.contains(code), "\(error.map { "\($0)" } ?? "OK")")
        if let error { #expect(error.phase == .tls, "\(error)") }
    }

    @Test("that never speaks, by its deadline")
    func hang() async throws {
        let peer = try RawPeer(.tlsHang)
        let (code, error) = await Self.call(peer.target, deadline: .milliseconds(300))
        #expect([4, 14].contains(code), "\(error.map { "\($0)" } ?? "OK")")
    }

    /// The code that the call ends with; 0 is OK.
    private static func call(
        _ target: String, deadline: Duration
    ) async -> (code: Int, error: RPCError?) {
        do {
            var options = TLSOptions()
            options.rootCertificates = .text(try SecureCallTests.pem("ca.pem"))
            let channel = try Channel(target, credentials: .tls(options))
            _ = try await channel.unary(
                HostileTrial.echo, [1], .with { $0.timeout = deadline })
            return (0, nil)
        } catch {
            let error = error as? RPCError
            return (error?.code.rawValue ?? -1, error)
        }
    }
}
