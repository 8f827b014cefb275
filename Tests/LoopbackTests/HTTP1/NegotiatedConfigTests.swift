import SwiftletJSONRPC
import SwiftletLoopback
import Synchronization
import Testing

@testable import Swiftlet
@testable import SwiftletBalancing
@testable import SwiftletTransport

@Suite(
    "A service config in DNS, if the server selects the version of HTTP,", .timeLimit(.minutes(5)),
    .enabled(if: TLSLibrary.isHere, "OpenSSL is not installed"))
struct NegotiatedConfigTests {
    private static let echo = Method<[UInt8], [UInt8]>(
        "/t.T/Echo", .unary, request: .bytes, reply: .bytes)

    private static let config =
        #"grpc_config=[{"serviceConfig":{"methodConfig":[{"name":[{}],"retryPolicy":{"#
        + #""maxAttempts":3,"initialBackoff":"0.001s","maxBackoff":"0.001s","#
        + #""backoffMultiplier":1,"retryableStatusCodes":["UNAVAILABLE"]}}]}}]"#

    private static func nameServer() throws -> FakeNameServer {
        try FakeNameServer { query, _ in [DNSMessages.answer(to: query, texts: [config])] }
    }

    private static func channel(port: Substring, _ nameServer: FakeNameServer) throws -> Channel {
        var options = TLSOptions()
        options.rootCertificates = .text(try SecureCallTests.pem("ca.pem"))
        var arguments = ChannelArguments()
        ServiceConfigText.register()
        arguments.findsServiceConfigInDNS = true
        arguments.configNameServers = [nameServer.address]
        return try Channel(
            "localhost:\(port)", version: .negotiated, credentials: .tls(options),
            arguments: arguments)
    }

    private static func tls() throws -> ServerTLS {
        ServerTLS(
            certificateChain: try SecureCallTests.pem("server.pem"),
            privateKey: try SecureCallTests.pem("server.key"))
    }

    @Test("does not delay the requests to a server of HTTP/1.1")
    func http1() async throws {
        let nameServer = try Self.nameServer()
        defer { nameServer.stop() }
        let server = try echoServer(tls: Self.tls(), .http1)
        let channel = try Self.channel(port: server.target.split(separator: ":")[1], nameServer)
        for _ in 0..<2 { #expect(try await channel.request(.get, "/echo").status == 200) }
    }

    @Test("does not delay the failure of a request to a server that is down")
    func noServer() async throws {
        let nameServer = try Self.nameServer()
        defer { nameServer.stop() }
        let channel = try Self.channel(port: "1", nameServer)
        let error = await #expect(throws: RPCError.self) { try await channel.request(.get, "/") }
        #expect(error?.code == .unavailable && error?.phase == .connect)
    }

    @Test("applies to the first call if the server selects HTTP/2")
    func http2() async throws {
        let nameServer = try Self.nameServer()
        defer { nameServer.stop() }
        let count = Counter()
        let server = try LoopbackServer(tls: Self.tls()) { server in
            server.unary(Self.echo) { _, _ in
                count.add()
                throw RPCError(.unavailable, "busy")
            }
        }
        let channel = try Self.channel(port: server.target.split(separator: ":")[1], nameServer)
        await #expect(throws: RPCError.self) { try await channel.unary(Self.echo, [1]) }
        #expect(count.count == 3)
    }
}
