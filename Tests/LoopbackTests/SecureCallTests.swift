import Foundation
import Swiftlet
import SwiftletLoopback
import Testing

@Suite(
    "A call over TLS", .timeLimit(.minutes(5)),
    .enabled(if: TLSLibrary.isHere, "OpenSSL is not installed"))
struct SecureCallTests {
    static let certificates = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Certificates")

    static func pem(_ name: String) throws -> String {
        try String(contentsOf: certificates.appending(path: name), encoding: .utf8)
    }

    static func server(_ identity: String, clients: String? = nil) throws -> LoopbackServer {
        let tls = ServerTLS(
            certificateChain: try pem("\(identity).pem"), privateKey: try pem("\(identity).key"),
            clientAuthorities: try clients.map { try pem($0) })
        return try LoopbackServer(tls: tls) { server in
            server.unary(HostileTrial.echo) { request, _ in request }
        }
    }

    static func call(
        _ server: LoopbackServer, _ body: [UInt8] = [1, 2, 3],
        _ configure: (inout TLSOptions) -> Void = { _ in }
    ) async throws -> [UInt8] {
        var options = TLSOptions()
        options.rootCertificates = .text(try pem("ca.pem"))
        configure(&options)
        let channel = try Channel(server.target, credentials: .tls(options))
        return try await channel.unary(HostileTrial.echo, body)
    }

    @Test("transmits messages", arguments: [0, 1, 100_000, 2_000_000])
    func echo(byteCount: Int) async throws {
        let body = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        #expect(try await Self.call(try Self.server("server"), body) == body)
    }

    @Test("sends all of a large request without a WINDOW_UPDATE from the server")
    func largeRequest() async throws {
        let tls = ServerTLS(
            certificateChain: try Self.pem("server.pem"), privateKey: try Self.pem("server.key"))
        let measure = Method<[UInt8], [UInt8]>(
            "/t.T/Measure", .unary, request: .bytes, reply: .bytes)
        let server = try LoopbackServer(tls: tls) { server in
            // A window so large that the server sends no WINDOW_UPDATE.
            server.windowByteCount = 256 << 20
            server.maxRequestByteCount = 64 << 20
            server.unary(measure) { request, _ in [UInt8(request.count >> 20)] }
        }
        var options = TLSOptions()
        options.rootCertificates = .text(try Self.pem("ca.pem"))
        var arguments = ChannelArguments()
        arguments.measuresBandwidth = false
        let channel = try Channel(
            server.target, credentials: .tls(options), arguments: arguments)
        for megabytes in [8, 24, 40] {
            let request = [UInt8](repeating: 3, count: megabytes << 20)
            let reply = try await channel.unary(measure, request)
            #expect(reply == [UInt8(megabytes)])
        }
    }

    @Test("uses the OpenSSL that the process has chosen before")
    func library() throws {
        let name = try TLSLibrary.name()
        #expect(name.hasPrefix("OpenSSL "))
        let errors = [
            #expect(throws: RPCError.self) { try TLSLibrary.load(from: "/nowhere") },
            #expect(throws: RPCError.self) { try unsafe TLSLibrary.link { _ in nil } },
        ]
        for error in errors {
            #expect(error?.code == .failedPrecondition)
            #expect(
                error?.message.contains("\(name), is in use already") == true, "\(error as Any)")
        }
        #expect(try TLSLibrary.name() == name)
    }

    @Test("writes its secrets to the file that the options name")
    func keyLog() async throws {
        let path = NSTemporaryDirectory() + "swiftlet-keys-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let server = try Self.server("server")
        #expect(try await Self.call(server) { $0.keyLogFile = path } == [1, 2, 3])
        let log = try String(contentsOfFile: path, encoding: .utf8)
        #expect(log.contains("CLIENT_TRAFFIC_SECRET_0 "))
    }

    @Test(
        "fails with an error that describes the cause",
        arguments: ["expired", "wrong-host", "unknown-authority"])
    func refused(identity: String) async throws {
        let server = try Self.server(identity)
        let error = await #expect(throws: RPCError.self) { try await Self.call(server) }
        #expect(error?.code == .unavailable)
        #expect(error?.phase == .tls)
        #expect(error?.message.contains("certificate") == true, "\(error?.message ?? "")")
    }

    @Test("may be addressed to a host that the certificate is for, and to no other")
    func authority() async throws {
        let server = try Self.server("server")
        var options = TLSOptions()
        options.rootCertificates = .text(try Self.pem("ca.pem"))
        let channel = try Channel(server.target, credentials: .tls(options))
        for authority in ["localhost:1", "x.test.swiftlet.example", "[::1]:443"] {
            let reply = try await channel.unary(
                HostileTrial.echo, [1], options: .with { $0.authority = authority })
            #expect(reply == [1])
        }
        for authority in ["example.com", "example.com:443", "127.0.0.2", "a b"] {
            let error = await #expect(throws: RPCError.self) {
                try await channel.unary(
                    HostileTrial.echo, [1], options: .with { $0.authority = authority })
            }
            #expect(error?.mayHaveBeenExecuted == false)
            guard authority != "a b" else { continue }
            #expect(error?.code == .unauthenticated)
            #expect(
                error?.message.hasSuffix(
                    " is not valid for the authority '\(authority)' of the call") == true)
        }
    }

    @Test("checks the certificate for the host of the channel's authority, unless a name is set")
    func defaultAuthority() async throws {
        let server = try Self.server("server")
        var options = TLSOptions()
        options.rootCertificates = .text(try Self.pem("ca.pem"))
        func reply(_ authority: String, name: String? = nil) async throws -> [UInt8] {
            var arguments = ChannelArguments()
            arguments.defaultAuthority = authority
            arguments.targetNameOverride = name
            let channel = try Channel(
                server.target, credentials: .tls(options), arguments: arguments)
            return try await channel.unary(HostileTrial.echo, [1])
        }
        #expect(try await reply("x.test.swiftlet.example") == [1])
        #expect(try await reply("x.test.swiftlet.example:8443") == [1])
        for authority in ["example.com", "127.0.0.2:443"] {
            let error = await #expect(throws: RPCError.self) { try await reply(authority) }
            #expect(error?.code == .unavailable)
            #expect(error?.phase == .tls)
            #expect(error?.message.contains("certificate") == true, "\(error?.message ?? "")")
        }
        #expect(try await reply("example.com", name: "localhost") == [1])
    }

    @Test("needs a private key that matches the server's certificate, or the server does not start")
    func wrongKey() throws {
        let tls = ServerTLS(
            certificateChain: try Self.pem("server.pem"), privateKey: try Self.pem("expired.key"))
        let error = #expect(throws: RPCError.self) { try LoopbackServer(tls: tls) { _ in } }
        #expect(error?.code == .invalidArgument)
        #expect(error?.mayHaveBeenExecuted == false)
        let message = error?.message ?? ""
        #expect(message.hasPrefix("TLS: the private key text is refused: "), "\(message)")
        #expect(!message.contains("uccess"), "\(message)")
    }

    @Test("shows the client's certificate to a server that demands one")
    func mutual() async throws {
        let server = try Self.server("server", clients: "ca.pem")
        let answer = try await Self.call(server) { options in
            options.certificateChain = .file(Self.certificates.appending(path: "client.pem").path)
            options.privateKey = .file(Self.certificates.appending(path: "client.key").path)
        }
        #expect(answer == [1, 2, 3])
        let error = await #expect(throws: RPCError.self) { try await Self.call(server) }
        #expect(error?.code == .unavailable)
        #expect(
            "\(error as Any)".contains(
                "the server asked for a client certificate, and none is configured"),
            "\(error as Any)")
    }
}

@Suite("A server that shuts down gracefully", .timeLimit(.minutes(5)))
struct LeavingTests {
    @Test("lets running calls end, and new calls use another connection")
    func graceful() async throws {
        let hold = Method<HelloRequest, HelloReply>("/t.T/Hold", .unary)
        let (arrived, arrival) = AsyncStream.makeStream(of: Void.self)
        let (released, release) = AsyncStream.makeStream(of: Void.self)
        let server = try LoopbackServer { server in
            server.unary(hold) { request, _ in
                if request.name == "hold" {
                    arrival.yield()
                    for await _ in released { break }
                }
                return HelloReply(message: request.name)
            }
        }
        let channel = try Channel(server.target, credentials: .insecure)
        async let held = channel.unary(hold, .init(name: "hold"))
        for await _ in arrived { break }
        server.leaveGracefully()
        for await state in channel.connectivityChanges where state == .idle { break }
        #expect(try await channel.unary(hold, .init(name: "new")).message == "new")
        release.yield()
        #expect(try await held.message == "hold")
        #expect(server.connectionCount == 2)
        await channel.close()
        #expect(channel.connectivity == .shutdown)
    }

    @Test("and starts again receives the calls that wait for ready")
    func waitForReady() async throws {
        let path = "/tmp/swiftlet-\(UInt64.random(in: 0 ... .max)).sock"
        var arguments = ChannelArguments()
        arguments.initialReconnectBackoff = .milliseconds(20)
        let greeter = Greeter(
            channel: try Channel("unix:\(path)", credentials: .insecure, arguments: arguments))
        async let reply = greeter.sayHello(
            .init(name: "late"),
            options: .with {
                $0.waitForReady = true
                $0.timeout = .seconds(30)
            })
        for await state in greeter.channel.connectivityChanges where state == .transientFailure {
            break
        }
        let server = try LoopbackServer(on: .unix(path: path)) { $0.addGreeter() }
        #expect(try await reply.message == "Hello late")
        #expect(server.connectionCount == 1)
    }
}
