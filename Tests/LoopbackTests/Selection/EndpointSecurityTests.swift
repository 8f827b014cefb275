import SwiftletObservation
import SwiftletTransport
import Synchronization
import Testing

@testable import Swiftlet
@testable import SwiftletCore
@testable import SwiftletLoopback

@Suite(
    "The security of an endpoint", .timeLimit(.minutes(5)),
    .enabled(if: TLSLibrary.isHere, "OpenSSL is not installed"))
struct EndpointSecurityTests {
    private static let ask = SelectorTests.ask
    private static let talk = SelectorTests.talk

    /// Answers with the scheme and the secret of the request. Counts requests.
    private static func server(
        _ tls: ServerTLS? = nil, _ requests: Counter = Counter()
    ) throws -> LoopbackServer {
        @Sendable func answer(_ context: ServerContext) -> [UInt8] {
            requests.add()
            let secret = context.metadata["authorization"] ?? "none"
            return [UInt8]("\(context.call.request.scheme) \(secret)".utf8)
        }
        return try LoopbackServer(tls: tls) { server in
            server.unary(ask) { _, context in answer(context) }
            server.bidirectional(talk) { requests, replies, context in
                for try await _ in requests { try await replies.write(answer(context)) }
            }
        }
    }

    private static func tls(_ identity: String, clients: String? = nil) throws -> ServerTLS {
        ServerTLS(
            certificateChain: try SecureCallTests.pem("\(identity).pem"),
            privateKey: try SecureCallTests.pem("\(identity).key"),
            clientAuthorities: try clients.map { try SecureCallTests.pem($0) })
    }

    /// Trusts an authority; does not verify names.
    private static func context(
        _ authority: String, client identity: String? = nil
    ) throws -> OpenSSLContext {
        var configuration = TLSConfiguration(role: .client)
        configuration.verification = .chain
        configuration.trust = .authorities(.text(try SecureCallTests.pem(authority)))
        if let identity {
            configuration.identity = .init(
                certificates: .text(try SecureCallTests.pem("\(identity).pem")),
                privateKey: .text(try SecureCallTests.pem("\(identity).key")))
        }
        return try OpenSSLContext(configuration)
    }

    private static func channel(_ mesh: Mesh) throws -> Channel {
        var arguments = ChannelArguments()
        arguments.initialReconnectBackoff = .milliseconds(20)
        return try mesh.channel(arguments, credentials: .decidedByEndpoints(fallback: .insecure))
    }

    private static func text(
        _ channel: Channel, _ cluster: String, _ configure: (inout CallOptions) -> Void = { _ in }
    ) async throws(RPCError) -> String {
        var options = SelectorTests.options(cluster)
        configure(&options)
        return String(
            decoding: try await channel.unary(ask, [], options: options), as: UTF8.self)
    }

    private static func failure(
        _ channel: Channel, _ cluster: String, _ configure: (inout CallOptions) -> Void = { _ in }
    ) async -> RPCError? {
        do throws(RPCError) {
            let text = try await text(channel, cluster, configure)
            Issue.record("the call was answered: \(text)")
            return nil
        } catch {
            return error
        }
    }

    @Test("decides over TLS, certificates, the scheme and call credentials in one channel")
    func mixed() async throws {
        let plainRequests = Counter()
        let mesh = try Mesh(
            "endpoint-security",
            [
                "plain": .init(servers: [try Self.server(nil, plainRequests)]),
                "first": .init(
                    servers: [try Self.server(try Self.tls("wrong-host"))],
                    security: EndpointSecurity(try Self.context("ca.pem"))),
                "mutual": .init(
                    servers: [
                        try Self.server(try Self.tls("unknown-authority", clients: "ca.pem"))
                    ],
                    security: EndpointSecurity(
                        try Self.context("other-ca.pem", client: "client"), indicating: "a.b")),
            ])
        let channel = try Self.channel(mesh)
        for (cluster, scheme) in [("plain", "http"), ("first", "https"), ("mutual", "https")] {
            #expect(try await Self.text(channel, cluster) == "\(scheme) none")
        }
        let bare = plainRequests.count
        let fetches = Counter()
        let token = BearerToken {
            fetches.add()
            return BearerToken.Token("42")
        }
        let credentials: [(inout CallOptions) -> Void] = [
            { $0.credentials = token }, { $0.interceptors = [.refreshing(token)] },
        ]
        for configure in credentials {
            for cluster in ["first", "mutual"] {
                #expect(try await Self.text(channel, cluster, configure) == "https Bearer 42")
            }
            let error = await Self.failure(channel, "plain", configure)
            #expect(error?.code == .unauthenticated && error?.mayHaveBeenExecuted == false)
            #expect(error?.message.contains("unencrypted connection") ?? false)
        }
        #expect(plainRequests.count == bare)
        #expect(fetches.count == 1, "a refusal of the client does not invalidate the token")
        let harmless = BearerToken("7", allowsInsecureConnections: true)
        #expect(
            try await Self.text(channel, "plain") { $0.credentials = harmless } == "http Bearer 7")
        await channel.close()
    }

    @Test(
        "gives each form of a call the scheme of its connection",
        arguments: SelectorTests.Form.allCases)
    func schemes(form: SelectorTests.Form) async throws {
        let mesh = try Mesh(
            "endpoint-scheme-\("\(form)".lowercased())",
            [
                "plain": .init(servers: [try Self.server()]),
                "secure": .init(
                    servers: [try Self.server(try Self.tls("wrong-host"))],
                    security: EndpointSecurity(try Self.context("ca.pem"))),
            ])
        let channel = try Self.channel(mesh)
        for (cluster, expected) in [
            ("plain", "http none"), ("secure", "https none"), ("plain", "http none"),
        ] {
            let answer = try await SelectorTests.call(
                form, on: channel, SelectorTests.options(cluster))
            #expect(answer.map { String(decoding: $0, as: UTF8.self) } == expected)
        }
        await channel.close()
    }

    /// A server, the check of its names, and the expected error.
    struct Refusal: Sendable {
        var identity: String?
        var names: EndpointSecurity.NameCheck = { _ in nil }
        var sentence: String
    }

    @Test("refuses a server with the reason, and sends it nothing in plain text")
    func refused() async throws {
        let refusals = [
            Refusal(identity: "unknown-authority", sentence: "unknown certificate authority"),
            Refusal(identity: "expired", sentence: "certificate has expired"),
            Refusal(identity: "client", sentence: "purpose"),
            Refusal(
                identity: "server",
                names: { names in
                    names.contains(.dns(Array("localhost".utf8)))
                        ? "localhost is not in the mesh\u{7}" : nil
                },
                sentence:
                    "the certificate of the server was refused: localhost is not in the mesh "),
            // A server without TLS is not used without TLS.
            Refusal(identity: nil, sentence: "TLS"),
        ]
        let requests = Counter()
        var clusters: [String: Mesh.Cluster] = [:]
        for (index, refusal) in refusals.enumerated() {
            let server = try Self.server(
                try refusal.identity.map { try Self.tls($0) }, requests)
            clusters["\(index)"] = .init(
                servers: [server],
                security: EndpointSecurity(
                    try Self.context("ca.pem"), checkingNames: refusal.names))
        }
        let channel = try Self.channel(try Mesh("endpoint-refusals", clusters))
        for (index, refusal) in refusals.enumerated() {
            let error = await Self.failure(channel, "\(index)")
            #expect(error?.code == .unavailable && error?.mayHaveBeenExecuted == false)
            #expect(
                error?.description.contains(refusal.sentence) ?? false,
                "\(refusal.sentence): \(error as Any)")
            #expect(error?.reconnection != nil, "the connection is tried again")
        }
        #expect(requests.count == 0)
        await channel.close()
    }

    /// Has the certificates that the test puts in.
    private final class Rotating: TLSProvider {
        let context = Mutex<OpenSSLContext?>(nil)

        func makeSession(
            host: String?, offering protocols: [String]?
        ) throws(TLSError) -> any TLSSession {
            guard let context = context.withLock({ $0 }) else {
                throw TLSError(.configuration, "the provider 'mesh' has no certificates yet")
            }
            return try context.makeSession(host: host, offering: protocols)
        }
    }

    @Test("asks for the certificates of each connection: there may be none yet, or new ones")
    func rotation() async throws {
        let provider = Rotating()
        let security = EndpointSecurity(provider)
        let first = try Self.server(try Self.tls("server"))
        let second = try Self.server(try Self.tls("unknown-authority", clients: "ca.pem"))
        let mesh = try Mesh(
            "endpoint-rotation",
            [
                "one": .init(servers: [first], security: security),
                "two": .init(servers: [], security: security),
            ])
        let channel = try Self.channel(mesh)
        let error = await Self.failure(channel, "one")
        #expect(error?.code == .unavailable && error?.reconnection != nil)
        #expect(error?.description.contains("'mesh' has no certificates yet") ?? false)

        provider.context.withLock { [context = try Self.context("ca.pem")] in $0 = context }
        let answer = try await Self.text(channel, "one") { $0.waitForReady = true }
        #expect(answer == "https none")
        let open = try await channel.bidirectional(
            Self.talk, options: SelectorTests.options("one"))
        try await open.requests.write([1])
        var answers = open.responses.makeAsyncIterator()
        #expect(try await answers.next() != nil)
        let connectionCount = first.connectionCount

        // The second server demands a certificate of the client, and has another authority.
        let next = try Self.context("other-ca.pem", client: "client")
        provider.context.withLock { $0 = next }
        mesh.changeServers(of: "two", to: [second])
        let moved = try await Self.text(channel, "two") { $0.waitForReady = true }
        #expect(moved == "https none")
        try await open.requests.write([2])
        #expect(try await answers.next() != nil)
        #expect(try await Self.text(channel, "one") == "https none")
        #expect(first.connectionCount == connectionCount)
        open.requests.finish()
        #expect(try await answers.next() == nil)
        await channel.close()
    }

    private static let policies: [any BalancingPolicy] = [PickFirst(), RoundRobin()]

    @Test("is part of the identity of an endpoint, as an object", arguments: [0, 1])
    func changes(policy: Int) async throws {
        let (plain, secure) = (try Self.server(), try Self.server(try Self.tls("wrong-host")))
        let policy = Self.policies[policy]
        let mesh = try Mesh(
            "endpoint-changes-\(policy.name.filter { $0 != "_" })",
            ["x": .init(servers: [plain], policy: policy)])
        let channel = try Self.channel(mesh)
        #expect(try await Self.text(channel, "x") == "http none")
        let context = try Self.context("ca.pem")
        let security = EndpointSecurity(context)
        mesh.set("x", .init(servers: [secure], policy: policy, security: security))
        while try await Self.text(channel, "x") != "https none" {}
        #expect(secure.connectionCount == 1)
        mesh.set("x", .init(servers: [secure], policy: policy, security: security))
        #expect(try await Self.text(channel, "x") == "https none")
        #expect(secure.connectionCount == 1)
        // Equal settings in another object are another security.
        let other = EndpointSecurity(context)
        mesh.set("x", .init(servers: [secure], policy: policy, security: other))
        while secure.connectionCount < 2 { _ = try await Self.text(channel, "x") }
        mesh.set("x", .init(servers: [plain], policy: policy))
        while try await Self.text(channel, "x") != "http none" {}
        await channel.close()
    }

    @Test("is not used by a channel whose credentials do not ask for it")
    func ignored() async throws {
        let mesh = try Mesh(
            "endpoint-ignored",
            [
                "x": .init(
                    servers: [try Self.server()],
                    security: EndpointSecurity(try Self.context("ca.pem")))
            ])
        let channel = try mesh.channel()
        #expect(try await Self.text(channel, "x") == "http none")
        await channel.close()
    }

    @Test("leaves endpoints without one to a fallback, which may be TLS")
    func fallback() async throws {
        let server = try Self.server(try Self.tls("server"))
        let requests = Counter()
        let mesh = try Mesh(
            "endpoint-fallback",
            [
                "verified": .init(servers: [server]),
                "plain": .init(servers: [try Self.server(nil, requests)]),
                "chain": .init(
                    servers: [try Self.server(try Self.tls("unknown-authority"))],
                    security: EndpointSecurity(try Self.context("other-ca.pem"))),
            ])
        var arguments = ChannelArguments()
        arguments.targetNameOverride = "localhost"
        let fallback = ChannelCredentials.decidedByEndpoints(
            fallback: try .tls(try CertificateTests.options()))
        #expect(fallback.isSecure)
        let channel = try mesh.channel(arguments, credentials: fallback)
        let token = BearerToken("42")
        for cluster in ["verified", "chain"] {
            let answer = try await Self.text(channel, cluster) { $0.credentials = token }
            #expect(answer == "https Bearer 42")
        }
        #expect(await Self.failure(channel, "plain")?.code == .unavailable)
        #expect(requests.count == 0)
        await channel.close()
    }
}
