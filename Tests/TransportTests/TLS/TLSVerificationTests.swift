import Foundation
import Testing

@testable import SwiftletTransport

@Suite("TLS verification", .enabled(if: TLSFixtures.isAvailable, "OpenSSL is not installed"))
struct TLSVerificationTests {
    @Test(
        "accepts a certificate that names the host or the address",
        arguments: [
            "localhost", "LOCALHOST", "localhost.", "127.0.0.1", "::1", "[::1]",
            "a.test.swiftlet.example", "::1%lo", "[::1%25lo]",
        ])
    func accepted(host: String) throws {
        var pair = try TLSPair.between(host: host)
        try pair.handshake()
        #expect(pair.client.negotiatedProtocol == "h2")
    }

    /// A server, the requested host, and the expected error.
    struct Refusal: Sendable, CustomTestStringConvertible {
        var server: String
        var host = "localhost"
        var sentence: String
        var testDescription: String { "\(server) as \(host)" }
    }

    static let serverNames =
        "host name mismatch: certificate is for localhost, *.test.swiftlet.example, 127.0.0.1, "
        + "0:0:0:0:0:0:0:1, not for "

    @Test(
        "refuses other certificates with an error that says why",
        arguments: [
            Refusal(server: "expired", sentence: "certificate has expired"),
            Refusal(
                server: "wrong-host",
                sentence: "host name mismatch: certificate is for elsewhere.example, 192.0.2.1, "
                    + "not for localhost"),
            Refusal(server: "server", host: "example.com", sentence: serverNames + "example.com"),
            Refusal(server: "server", host: "127.0.0.2", sentence: serverNames + "127.0.0.2"),
            Refusal(
                server: "server", host: "a.b.test.swiftlet.example",
                sentence: serverNames + "a.b.test.swiftlet.example"),
            Refusal(
                server: "nameless",
                sentence: "host name mismatch: the certificate has no host name (subjectAltName); "
                    + "localhost is needed"),
            Refusal(
                server: "unknown-authority",
                sentence: "unknown certificate authority Another test authority: "
                    + "unable to get local issuer certificate"),
        ])
    func refused(_ refusal: Refusal) throws {
        var pair = try TLSPair.between(and: TLSFixtures.server(refusal.server), host: refusal.host)
        let error = Self.failure(of: &pair)
        #expect(error == TLSError(.certificate, refusal.sentence))
        #expect(error?.description == "TLS handshake: \(refusal.sentence)")
    }

    @Test("can be disabled")
    func disabled() throws {
        var unchecked = try TLSPair.between(
            TLSFixtures.client {
                $0.verification = .none
                $0.trust = .system
            },
            and: TLSFixtures.server("expired"), host: "example.com")
        try unchecked.handshake()
        #expect(unchecked.client.negotiatedProtocol == "h2")
    }

    @Test("with the system's authorities refuses the test authority")
    func systemTrust() throws {
        var pair = try TLSPair.between(TLSFixtures.client { $0.trust = .system })
        let error = Self.failure(of: &pair)
        #expect(error?.message.hasPrefix("unknown certificate authority Swiftlet test") == true)
    }

    @Test("accepts authorities, certificates and keys as text")
    func text() throws {
        func text(_ name: String) throws -> TLSConfiguration.PEM {
            .text(try String(contentsOfFile: TLSFixtures.path(name), encoding: .utf8))
        }
        var client = TLSFixtures.client()
        client.trust = .authorities(try text("ca.pem"))
        var server = TLSFixtures.server()
        server.identity = .init(
            certificates: try text("server.pem"), privateKey: try text("server.key"))
        var pair = try TLSPair.between(client, and: server)
        try pair.handshake()
        #expect(pair.client.negotiatedProtocol == "h2")
    }

    @Test("accepts a client's certificate when the server requires one")
    func clientCertificates() throws {
        let server = TLSFixtures.server { $0.demandsClientCertificate = true }
        var known = try TLSPair.between(
            TLSFixtures.client { $0.identity = TLSFixtures.identity("client") },
            and: server)
        try known.handshake()
        #expect(known.server.peerCertificates.count == 1)

        var anonymous = try TLSPair.between(and: server)
        #expect(
            Self.failure(of: &anonymous) == TLSError(.certificate, "the client sent no certificate")
        )

        var stranger = try TLSPair.between(
            TLSFixtures.client { $0.identity = TLSFixtures.identity("unknown-client") },
            and: server)
        #expect(
            Self.failure(of: &stranger)?.message.hasPrefix(
                "unknown certificate authority Another test authority") == true)
    }

    private static let missing =
        "; the server asked for a client certificate, and none is configured"

    @Test(
        "reports to a client that the server refused its certificate",
        arguments: [
            (.tls12, nil, "the peer refused: handshake failure\(missing)"),
            (.tls13, nil, "the peer refused: certificate required\(missing)"),
            (.tls12, "unknown-client", "the peer refused: unknown ca"),
            (.tls13, "unknown-client", "the peer refused: unknown ca"),
        ] as [(TLSConfiguration.Version, String?, String)])
    func clientSide(version: TLSConfiguration.Version, identity: String?, words: String) throws {
        var pair = try TLSPair.between(
            TLSFixtures.client {
                $0.maximumVersion = version
                $0.identity = identity.map(TLSFixtures.identity)
            },
            and: TLSFixtures.server { $0.demandsClientCertificate = true })
        #expect(Self.failure(of: &pair)?.kind == .certificate)
        // With TLS 1.3 the client's handshake is complete when the server refuses; the client's read fails.
        #expect(pair.clientFailure()?.message == words)
    }

    @Test("fails when ALPN selects no common protocol")
    func applicationProtocols() throws {
        var silent = try TLSPair.between(and: TLSFixtures.server { $0.applicationProtocols = [] })
        // The server accepts the connection; the client does not.
        let error = Self.failure(of: &silent)
        #expect(error?.kind == .applicationProtocol)
        #expect(error?.message == "the peer chose no protocol; h2 is needed (ALPN)")

        var other = try TLSPair.between(
            and: TLSFixtures.server { $0.applicationProtocols = ["http/1.1"] })
        #expect(
            Self.failure(of: &other)
                == TLSError(
                    .applicationProtocol, "the peer supports none of the offered protocols (ALPN)"))
        #expect(other.clientFailure()?.kind == .applicationProtocol)

        var lax = try TLSPair.between(
            TLSFixtures.client { $0.requiresApplicationProtocol = false },
            and: TLSFixtures.server { $0.applicationProtocols = [] })
        try lax.handshake()
        #expect(lax.client.negotiatedProtocol == nil)
    }

    @Test("fails with an invalid configuration")
    func configurations() throws {
        func message(_ configuration: TLSConfiguration) -> String? {
            #expect(throws: TLSError.self) { _ = try OpenSSLContext(configuration) }?.message
        }
        #expect(
            message(TLSFixtures.client { $0.trust = .authorities(.file("/nowhere.pem")) })
                == "the list of authorities file /nowhere.pem cannot be opened: "
                + "No such file or directory")
        #expect(
            message(TLSFixtures.client { $0.trust = .authorities(.text("nothing")) })
                == "the list of authorities text has no certificate: no start line")
        #expect(
            message(TLSFixtures.server { $0.identity = nil }) == "a server needs a certificate")
        #expect(
            message(
                TLSFixtures.server {
                    $0.identity?.privateKey = .file(TLSFixtures.path("client.key"))
                })?.hasPrefix("the private key") == true)
        let nameless = try OpenSSLContext(TLSFixtures.client())
        #expect(throws: TLSError.self) { try nameless.makeSession(host: nil) }
        #expect(throws: TLSError.self) { try nameless.makeSession(host: "") }
        for host in ["a\0b", "a%b", "[localhost]", "[127.0.0.1]", "."] {
            let error = #expect(throws: TLSError.self) { try nameless.makeSession(host: host) }
            #expect(error?.message == "not a host name or address: '\(host)'")
        }
    }

    @Test("fails with security settings that OpenSSL refuses")
    func refusedSettings() throws {
        func message(_ change: (inout TLSConfiguration) -> Void) -> String? {
            #expect(throws: TLSError.self) { _ = try OpenSSLContext(TLSFixtures.client(change)) }?
                .message
        }
        #expect(
            message {
                $0.minimumVersion = .tls13
                $0.maximumVersion = .tls12
            } == "the minimum version of TLS is above the maximum")
        for name in ["", String(repeating: "h", count: 256)] {
            #expect(
                message { $0.applicationProtocols = ["h2", name] }
                    == "the name of an application protocol (ALPN) has 1 to 255 bytes, not "
                    + "\(name.utf8.count)")
        }
        let context = try OpenSSLContext(TLSFixtures.client())
        let error = #expect(throws: TLSError.self) { try context.setCipherList("NO-SUCH-CIPHER") }
        #expect(error?.message == "OpenSSL refuses the list of ciphers: no cipher match")
    }

    @Test(
        "keeps no buffers in idle sessions, and returns after each record",
        arguments: [
            TLSFixtures.client(), TLSFixtures.server(),
        ])
    func modes(configuration: TLSConfiguration) throws {
        let context = try OpenSSLContext(configuration)
        let made = unsafe context.makeSSL()
        guard let ssl = unsafe made else {
            Issue.record("OpenSSL made no session")
            return
        }
        defer { unsafe context.library.sslFree(ssl) }
        // SSL_CTRL_MODE with 0 changes nothing and returns the mode.
        let mode = unsafe context.library.sslCtrl(ssl, OpenSSL.SSL_CTRL_MODE, 0, nil)
        #expect(mode & OpenSSL.SSL_MODE_RELEASE_BUFFERS != 0)
        #expect(mode & OpenSSL.SSL_MODE_NO_AUTO_CHAIN != 0)
        #expect(mode & OpenSSL.SSL_MODE_AUTO_RETRY == 0)
    }

    @Test("asks for the certificate of a name, but never of an address (RFC 6066 §3)")
    func serverNameIndication() throws {
        for (host, verification, isSent) in [
            ("a.test.swiftlet.example", .full, true), ("127.0.0.1", .full, false),
            ("a.test.swiftlet.example", .chain, true), ("127.0.0.1", .chain, false),
        ] as [(String, TLSConfiguration.Verification, Bool)] {
            let client = TLSFixtures.client { $0.verification = verification }
            let session = try OpenSSLContext(client).makeSession(host: host, offering: nil)
            var received = ReceiveBuffer()
            var sent = GatherList()
            _ = try session.handshake(&received, sending: &sent)
            var hello: [UInt8] = []
            sent.moveFirst(.max, to: &hello)
            #expect(hello.count > 100)
            #expect(String(decoding: hello, as: UTF8.self).contains(host) == isSent, "\(host)")
        }
    }

    @Test("does not keep the text of a private key")
    func keyText() throws {
        let context = try OpenSSLContext(TLSFixtures.server())
        #expect(context.configuration.identity == nil)
    }

    @Test("checks whether the certificate of an open session is for another host")
    func otherIdentities() throws {
        var pair = try TLSPair.between()
        try pair.handshake()
        for host in ["localhost", "a.test.swiftlet.example", "127.0.0.1", "[::1]"] {
            #expect(pair.client.isPeer(try #require(ServerIdentity(host: host))), "\(host)")
        }
        for host in ["example.com", "test.swiftlet.example", "127.0.0.2", "::2"] {
            #expect(!pair.client.isPeer(try #require(ServerIdentity(host: host))), "\(host)")
        }
    }

    @Test("may leave the names of a trusted certificate to the owner, also of a resumed session")
    func chainAlone() throws {
        let client = try OpenSSLContext(
            TLSFixtures.client {
                $0.verification = .chain
                $0.trust = .authorities(.file(TLSFixtures.path("mesh-ca.pem")))
            })
        let server = try OpenSSLContext(TLSFixtures.server("mesh"))
        for (turn, host) in ["sni.example", "sni.example", nil].enumerated() {
            var pair = try TLSPair.between(client, and: server, host: host)
            try pair.handshake()
            _ = try pair.settle()
            #expect(pair.client.isResumed == (turn == 1))
            #expect(
                pair.client.peerNames == [
                    .uri(Array("spiffe://mesh.example/payments".utf8)),
                    .dns(Array("payments.example".utf8)),
                    .email(Array("ops@mesh.example".utf8)), .address([192, 0, 2, 7]),
                    .address([UInt8](repeating: 0, count: 15) + [7]),
                ])
            #expect(pair.client.isPeer(try #require(ServerIdentity(host: "other.example"))))
        }
    }

    @Test("refuses an untrusted certificate for any name, if the names are left to the owner")
    func untrustedChain() throws {
        let client = try OpenSSLContext(TLSFixtures.client { $0.verification = .chain })
        for (server, sentence) in [
            ("wrong-host", nil), ("nameless", nil), ("expired", "certificate has expired"),
            ("unknown-authority", "unknown certificate authority"), ("client", "purpose"),
        ] as [(String, String?)] {
            var pair = try TLSPair.between(
                client, and: OpenSSLContext(TLSFixtures.server(server)), host: nil)
            let error = Self.failure(of: &pair)
            guard let sentence else {
                #expect(error == nil, "\(server)")
                #expect(pair.client.peerNames.isEmpty == (server == "nameless"))
                #expect(pair.client.verifiedCertificates.count == 2, "the leaf and the authority")
                continue
            }
            #expect(error?.message.contains(sentence) ?? false, "\(server): \(error as Any)")
        }
    }

    @Test("does not use a name with an empty label, which OpenSSL would read as any sub-domain")
    func emptyLabels() {
        for host in [".example.com", "a..example.com", "example.com..", ".", ""] {
            #expect(ServerIdentity(host: host) == nil, "\(host)")
        }
        #expect(ServerIdentity(host: "example.com.") == .name("example.com"))
    }

    @Test("writes a key log when one is configured")
    func keyLog() throws {
        let path = NSTemporaryDirectory() + "swiftlet-keys-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        var pair = try TLSPair.between(TLSFixtures.client { $0.keyLogFile = path })
        try pair.handshake()
        let log = try String(contentsOfFile: path, encoding: .utf8)
        #expect(log.contains("CLIENT_TRAFFIC_SECRET_0 "))
        #expect(log.split(separator: "\n").allSatisfy { $0.split(separator: " ").count == 3 })
    }

    private static func failure(of pair: inout TLSPair) -> TLSError? {
        do {
            try pair.handshake()
            _ = try pair.settle()
            return nil
        } catch {
            return error as? TLSError
        }
    }
}
