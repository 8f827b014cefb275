import Foundation
import Swiftlet
import SwiftletSecurity
import SwiftletTransport
import Synchronization
import TestSupport
import Testing

@testable import SwiftletLoopback

@Suite(
    "A call by a TLS library of the program", .timeLimit(.minutes(5)),
    .enabled(if: GnuTLS.isHere, "GnuTLS is not installed"),
    .enabled(if: TLSLibrary.isHere, "OpenSSL is not installed"))
struct EngineCallTests {
    private static func channel(
        _ server: LoopbackServer, _ engine: GnuTLS = GnuTLS(),
        _ configure: (inout TLSOptions) -> Void = { _ in }
    ) throws -> Channel {
        var options = try CertificateTests.options()
        configure(&options)
        return try Channel(
            server.target, credentials: .tls(options, engine: engine),
            arguments: CertificateTests.patient)
    }

    private static func server() throws -> LoopbackServer {
        let tls = ServerTLS(
            certificateChain: try SecureCallTests.pem("server.pem"),
            privateKey: try SecureCallTests.pem("server.key"))
        return try LoopbackServer(tls: tls) { server in
            server.maxRequestByteCount = 8 << 20
            server.unary(HostileTrial.echo) { request, _ in request }
            server.bidirectional(HostileTrial.talk) { requests, replies, _ in
                for try await request in requests { try await replies.write(request) }
            }
        }
    }

    private static func refusal(_ channel: Channel) async throws -> RPCError {
        let error = await #expect(throws: RPCError.self) {
            try await channel.unary(HostileTrial.echo, [1])
        }
        return try #require(error)
    }

    @Test("transmits messages", arguments: [0, 1, 100_000, 1 << 20])
    func echo(byteCount: Int) async throws {
        let body = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let server = try Self.server()
        #expect(try await Self.channel(server).unary(HostileTrial.echo, body) == body)
    }

    @Test("transmits streams in both directions at once")
    func streams() async throws {
        let server = try Self.server()
        let talk = try await Self.channel(server).bidirectional(HostileTrial.talk)
        let messages = (0..<200).map { [UInt8](repeating: UInt8($0), count: $0 * 97) }
        async let sent: Void = {
            for message in messages { try await talk.requests.write(message) }
            talk.requests.finish()
        }()
        var received: [[UInt8]] = []
        for try await message in talk.responses { received.append(message) }
        try await sent
        #expect(received == messages)
    }

    @Test("fails with the reason why the engine refused the certificate")
    func certificates() async throws {
        for (identity, reason) in [
            ("expired", "expired"), ("wrong-host", "does not match"),
            ("unknown-authority", "issuer is unknown"),
        ] {
            let server = try SecureCallTests.server(identity)
            let error = try await Self.refusal(try Self.channel(server))
            #expect(error.code == .unavailable && error.phase == .tls)
            #expect(error.message.contains(reason), "\(error.message)")
            let trusting = try Self.channel(server) { $0.acceptsAnyCertificate = true }
            #expect(try await trusting.unary(HostileTrial.echo, [1]) == [1])
        }
    }

    @Test("fails if the handshake chose no HTTP/2")
    func withoutProtocol() async throws {
        var tls = ServerTLS(
            certificateChain: try SecureCallTests.pem("server.pem"),
            privateKey: try SecureCallTests.pem("server.key"))
        tls.configuration.applicationProtocols = []
        tls.configuration.requiresApplicationProtocol = false
        let server = try LoopbackServer(tls: tls) { _ in }
        let error = try await Self.refusal(try Self.channel(server))
        #expect(error.phase == .tls)
        #expect(
            error.message.contains("the peer chose no protocol; h2 is needed (ALPN)"),
            "\(error.message)")
    }

    @Test("fails with the server's alert, and sends one of its own")
    func alerts() async throws {
        let server = try SecureCallTests.server("server", clients: "ca.pem")
        let nameless = try await Self.refusal(try Self.channel(server))
        #expect(nameless.message.contains("the peer refused: "), "\(nameless.message)")
        let known = try Self.channel(server) {
            $0.certificateChain = .file(SecureCallTests.certificates.path() + "/client.pem")
            $0.privateKey = .file(SecureCallTests.certificates.path() + "/client.key")
        }
        #expect(try await known.unary(HostileTrial.echo, [1]) == [1])
    }

    @Test("resumes a session, but not one whose certificates the program verifies")
    func resumption() async throws {
        let server = try Self.server()
        for isVerified in [false, true] {
            var options = try CertificateTests.options()
            if isVerified { options.verification = PeerVerification { _, _ in } }
            let engine = GnuTLS()
            let credentials = try ChannelCredentials.tls(options, engine: engine)
            for _ in 0..<2 {
                let channel = try Channel(
                    server.target, credentials: credentials, arguments: CertificateTests.patient)
                #expect(try await channel.unary(HostileTrial.echo, [1]) == [1])
                await channel.close()
            }
            #expect(engine.state.withLock { $0.resumed } == [false, !isVerified])
        }
    }

    @Test("gives the program's verification the server's certificates in DER")
    func verification() async throws {
        let server = try Self.server()
        let seen = Mutex<[[UInt8]]>([])
        let channel = try Self.channel(server) {
            $0.verification = PeerVerification { chain, _ in seen.withLock { $0 = chain } }
        }
        #expect(try await channel.unary(HostileTrial.echo, [1]) == [1])
        let body = try SecureCallTests.pem("server.pem").split(separator: "-----")[1]
        let own = try #require(
            Data(base64Encoded: String(body), options: .ignoreUnknownCharacters))
        #expect(seen.withLock { $0 }.first == Array(own))
    }

    @Test("may be addressed to a host that the certificate is for, and to no other")
    func authority() async throws {
        let server = try Self.server()
        let channel = try Self.channel(server)
        let reply = try await channel.unary(
            HostileTrial.echo, [1], options: .with { $0.authority = "x.test.swiftlet.example" })
        #expect(reply == [1])
        let error = await #expect(throws: RPCError.self) {
            try await channel.unary(
                HostileTrial.echo, [1], options: .with { $0.authority = "example.com" })
        }
        #expect(error?.code == .unauthenticated)
        let trusting = try Self.channel(server) { $0.acceptsAnyCertificate = true }
        let other = try await trusting.unary(
            HostileTrial.echo, [2], options: .with { $0.authority = "example.com" })
        #expect(other == [2])
    }

    @Test("receives close_notify from a server that stops")
    func close() async throws {
        let server = try Self.server()
        let engine = GnuTLS()
        let channel = try Self.channel(server, engine)
        #expect(try await channel.unary(HostileTrial.echo, [1]) == [1])
        server.shutdown()
        try await eventually { engine.state.withLock { $0.endedCount } > 0 }
    }

    @Test("cannot be made with options that the engine or the library does not follow with it")
    func options() throws {
        let wrong: [((inout TLSOptions) throws -> Void, String)] = [
            ({ $0.keyLogFile = "/nowhere" }, "this engine writes no key log"),
            ({ $0.rootCertificates = .text("") }, "no authority can be read"),
            (
                { $0.pinnedKeys = [try PublicKeyPin(String(repeating: "0", count: 64))] },
                "pinnedKeys"
            ),
        ]
        for (change, reason) in wrong {
            var options = try CertificateTests.options()
            try change(&options)
            let error = #expect(throws: RPCError.self) {
                try ChannelCredentials.tls(options, engine: GnuTLS())
            }
            #expect(error?.code == .invalidArgument)
            #expect(error?.message.contains(reason) == true, "\(error as Any)")
        }
        let credentials = try ChannelCredentials.tls(
            try CertificateTests.options(), engine: GnuTLS())
        var pinned = try CertificateTests.options()
        pinned.pinnedKeys = [try PublicKeyPin(String(repeating: "0", count: 64))]
        let error = #expect(throws: RPCError.self) { try credentials.reload(pinned) }
        #expect(error?.code == .invalidArgument && error?.message.contains("pinnedKeys") == true)
    }

    /// Python with grpcio, which `make interop` installs.
    private static let python = URL(filePath: #filePath).appending(
        path: "../../../../.build/interop/venv/bin/python"
    )
    .standardized.path()

    @Test(
        "is answered by grpcio's server",
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: python), "grpcio is not installed"))
    func grpcio() async throws {
        let folder = SecureCallTests.certificates.path()
        let program = """
            import grpc, sys
            from concurrent.futures import ThreadPoolExecutor
            class Echo(grpc.GenericRpcHandler):
                def service(self, call):
                    return grpc.stream_stream_rpc_method_handler(lambda requests, _: requests)
            server = grpc.server(ThreadPoolExecutor(4), [Echo()])
            files = [open(sys.argv[1] + "/server" + end, "rb").read() for end in (".key", ".pem")]
            credentials = grpc.ssl_server_credentials([tuple(files)])
            print(server.add_secure_port("127.0.0.1:0", credentials), flush=True)
            server.start()
            sys.stdin.read()
            """
        let process = try ChildProcess(Self.python, ["-c", program, folder])
        let line = process.output.availableData.split(separator: UInt8(ascii: "\n")).first ?? Data()
        let port = try #require(Int(String(decoding: line, as: UTF8.self)))
        let channel = try Channel(
            "localhost:\(port)",
            credentials: .tls(try CertificateTests.options(), engine: GnuTLS()),
            arguments: CertificateTests.patient)
        let body = [UInt8](repeating: 7, count: 1 << 20)
        #expect(try await channel.unary(HostileTrial.echo, body) == body)
        let talk = try await channel.bidirectional(HostileTrial.talk)
        var answers = talk.responses.makeAsyncIterator()
        for index in 0..<50 {
            try await talk.requests.write([UInt8(index)])
            #expect(try await answers.next() == [UInt8(index)])
        }
        talk.requests.finish()
        #expect(try await answers.next() == nil)
    }
}
