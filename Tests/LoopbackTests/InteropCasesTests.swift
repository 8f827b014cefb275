import Foundation
import Swiftlet
import SwiftletLoopback
import Synchronization
import Testing

@testable import SwiftletCLI
@testable import SwiftletCore

@Suite("The interop case", .timeLimit(.minutes(5)))
struct InteropCasesTests {
    static let served = InteropCase.all.filter { each in
        if case .testService = each.peer { true } else { false }
    }.map(\.name)

    private static func find(_ name: String) throws -> InteropCase {
        try #require(InteropCase.all.first { $0.name == name })
    }

    private static func settings(_ server: InteropServer) -> InteropServer {
        var server = server
        // So few calls that an unoptimized build needs only a moment for them.
        server.settings.concurrentCalls = 16
        server.settings.soak.iterations = 4
        server.settings.soak.maxLatency = .seconds(60)
        server.settings.soak.overallTimeout = .seconds(60)
        server.settings.soak.threads = 2
        server.settings.pauseBetweenCalls = .zero
        server.settings.slowAnswers = (count: 300, pause: .microseconds(100))
        return server
    }

    @Test("passes against the loopback server", arguments: served)
    func plain(_ name: String) async throws {
        let server = try LoopbackServer { $0.add(TestService()) }
        let peer = Self.settings(
            InteropServer { try Channel(server.target, credentials: .insecure) })
        #expect(try await Self.find(name).run(against: peer) == .passed)
    }

    @Test(
        "passes over TLS", .enabled(if: TLSLibrary.isHere, "OpenSSL is not installed"),
        arguments: ["large_unary", "ping_pong", "custom_metadata"])
    func secure(_ name: String) async throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Certificates")
        func pem(_ name: String) throws -> String {
            try String(contentsOf: folder.appending(path: name), encoding: .utf8)
        }
        let identity = ServerTLS(
            certificateChain: try pem("server.pem"), privateKey: try pem("server.key"))
        let server = try LoopbackServer(tls: identity) { $0.add(TestService()) }
        var tls = TLSOptions()
        tls.rootCertificates = .text(try pem("ca.pem"))
        let credentials = try ChannelCredentials.tls(tls)
        let peer = Self.settings(
            InteropServer { try Channel(server.target, credentials: credentials) })
        #expect(try await Self.find(name).run(against: peer) == .passed)
    }

    @Test(
        "of HTTP/2 is not served by a server without the frames of the case",
        arguments: InteropCase.negative.map(\.name))
    func noPart(_ name: String) async throws {
        let server = try LoopbackServer { $0.add(TestService()) }
        let peer = Self.settings(
            InteropServer { try Channel(server.target, credentials: .insecure) })
        try await expectNotServed(name, peer)
    }

    private func expectNotServed(_ name: String, _ peer: InteropServer) async throws {
        let outcome = try await Self.find(name).run(against: peer)
        #expect(outcome.isNotServed, "\(outcome)")
    }

    @Test("max_streams fails when more streams were open than the server allows")
    func tooManyStreams() throws {
        try InteropCase.checkStreams(1, limit: 1, callCount: 15)
        #expect(throws: CaseFailure.self) {
            try InteropCase.checkStreams(2, limit: 1, callCount: 15)
        }
        for limit in [nil, 15, 100] {
            #expect(throws: NotServed.self) {
                try InteropCase.checkStreams(15, limit: limit, callCount: 15)
            }
        }
    }

    @Test("max_streams passes against a server that allows one at a time")
    func maxStreams() async throws {
        let server = try LoopbackServer { server in
            server.maxConcurrentStreams = 1
            server.add(TestService())
        }
        let peer = Self.settings(
            InteropServer { try Channel(server.target, credentials: .insecure) })
        #expect(try await Self.find("max_streams").run(against: peer) == .passed)
    }

    @Test("goaway passes against a server that sends GOAWAY after the first answer")
    func goAway() async throws {
        let servers = Mutex<LoopbackServer?>(nil)
        let server = try LoopbackServer { server in
            server.unary(TestServiceClient.unaryCall) { request, _ in
                // The first call drains the connections that are open. Later connections stay open.
                let leaving = servers.withLock { $0.take() }
                leaving?.leaveGracefully()
                return request.plainAnswer
            }
        }
        servers.withLock { $0 = server }
        let peer = Self.settings(
            InteropServer { try Channel(server.target, credentials: .insecure) })
        #expect(try await Self.find("goaway").run(against: peer) == .passed)
        #expect(server.connectionCount == 2)
    }

    @Test(
        "is not served by a server without the service",
        arguments: served + InteropCase.negative.map(\.name))
    func noService(_ name: String) async throws {
        let server = try LoopbackServer { _ in }
        try await expectNotServed(
            name,
            Self.settings(InteropServer { try Channel(server.target, credentials: .insecure) }))
    }

    @Test("fails when no server listens", arguments: served + InteropCase.negative.map(\.name))
    func nobody(_ name: String) async throws {
        // Not the port of a closed server, because another test may already use it.
        let peer = Self.settings(
            InteropServer { try Channel("unix:/no/such/socket", credentials: .insecure) })
        try await expectFailure(name, peer)
    }

    @Test(
        "fails if TLS fails", .enabled(if: TLSLibrary.isHere, "OpenSSL is not installed"),
        arguments: ["large_unary", "rst_after_header"])
    func failedHandshake(_ name: String) async throws {
        let server = try LoopbackServer { $0.add(TestService()) }
        let credentials = try ChannelCredentials.tls()
        try await expectFailure(
            name,
            Self.settings(InteropServer { try Channel(server.target, credentials: credentials) }))
    }

    @Test("connection_backoff is not served by a server that does not record connections")
    func noRecord() async throws {
        let server = try LoopbackServer { $0.add(TestService()) }
        var peer = InteropServer { try Channel(server.target, credentials: .insecure) }
        peer.makeLostChannel = { _ in try Channel(server.target, credentials: .insecure) }
        try await expectNotServed("connection_backoff", peer)
    }

    @Test(
        "of compressed answers fails for wrong compression, and is not served without compression",
        arguments: ["server_compressed_unary", "server_compressed_streaming"], [false, true])
    func compressedAnswers(_ name: String, wrongly: Bool) async throws {
        let server = try LoopbackServer { server in
            server.add(TestService())
            server.unary(TestServiceClient.unaryCall) { request, context in
                // Compresses only if compression is not allowed.
                if wrongly, request.responseCompressed?.value == false {
                    context.compress(with: .gzip)
                }
                return request.plainAnswer
            }
            server.serverStreaming(TestServiceClient.outputCall) { request, replies, context in
                if wrongly { context.compress(with: .gzip) }
                for parameters in request.responseParameters {
                    try await replies.write(
                        .init(payload: .zeros(Int(parameters.size))),
                        allowsCompression: parameters.compressed?.value == false)
                }
            }
        }
        let peer = Self.settings(
            InteropServer { try Channel(server.target, credentials: .insecure) })
        if wrongly {
            try await expectFailure(name, peer)
        } else {
            try await expectNotServed(name, peer)
        }
    }

    private func expectFailure(_ name: String, _ peer: InteropServer) async throws {
        let outcome = try await Self.find(name).run(against: peer)
        #expect(outcome.isFailed, "\(outcome)")
    }

    @Test("cancel_after_begin begins one call at the server, and ends it there")
    func cancelAfterBegin() async throws {
        let begun = Mutex(0)
        let ended = Mutex(0)
        let server = try LoopbackServer { server in
            server.add(TestService())
            server.clientStreaming(TestServiceClient.inputCall) { requests, _ in
                begun.withLock { $0 += 1 }
                defer { ended.withLock { $0 += 1 } }
                for try await _ in requests {}
                return .init()
            }
        }
        let peer = Self.settings(
            InteropServer { try Channel(server.target, credentials: .insecure) })
        #expect(try await Self.find("cancel_after_begin").run(against: peer) == .passed)
        // RST_STREAM may reach the server after the call has ended at the client.
        try await eventually { ended.withLock { $0 } > 0 }
        #expect(begun.withLock { $0 } == 1)
    }

    @Test("timeout_on_sleeping_server is not served without the method of the late call")
    func nothingToBeLate() async throws {
        let server = try LoopbackServer { server in
            server.unary(TestServiceClient.emptyCall) { _, _ in .init() }
        }
        let peer = Self.settings(
            InteropServer { try Channel(server.target, credentials: .insecure) })
        try await expectNotServed("timeout_on_sleeping_server", peer)
    }

    @Test(
        "makes the requested number of calls with any number of threads",
        arguments: [(3, 2), (3, 8), (7, 3), (1, 1)])
    func soakCount(iterations: Int, threads: Int) async throws {
        let count = Mutex(0)
        let server = try LoopbackServer { server in
            server.add(TestService())
            server.unary(TestServiceClient.unaryCall) { request, _ in
                count.withLock { $0 += 1 }
                var reply = GRPC.Testing.SimpleResponse()
                reply.payload = .zeros(Int(request.responseSize))
                return reply
            }
        }
        var peer = Self.settings(
            InteropServer { try Channel(server.target, credentials: .insecure) })
        peer.settings.soak.iterations = iterations
        peer.settings.soak.threads = threads
        for name in ["rpc_soak", "channel_soak"] {
            count.withLock { $0 = 0 }
            #expect(try await Self.find(name).run(against: peer) == .passed)
            #expect(count.withLock { $0 } == iterations)
        }
    }

    @Test(
        "does not pass without a call",
        arguments: ["concurrent_large_unary", "rpc_soak", "channel_soak"])
    func noCalls(_ name: String) async throws {
        let server = try LoopbackServer { $0.add(TestService()) }
        var peer = Self.settings(
            InteropServer { try Channel(server.target, credentials: .insecure) })
        peer.settings.concurrentCalls = 0
        peer.settings.soak.iterations = 0
        #expect(try await Self.find(name).run(against: peer) != .passed)
    }

    @Test(
        "connection_backoff passes when a client reconnects, and fails when it does not",
        arguments: [(.milliseconds(1), 3, true), (.seconds(3_600), 1, false)]
            as [(backoff: Duration, arrivalCount: Int, passes: Bool)])
    func backoff(_ initial: Duration, arrivalCount: Int, passes: Bool) async throws {
        // The tolerance is large, because the machine may be busy. Other tests check the delays.
        let reconnects = try ReconnectService(
            initialBackoff: .milliseconds(1), slack: .seconds(60))
        let server = try LoopbackServer { $0.add(reconnects) }
        var peer = InteropServer { try Channel(server.target, credentials: .insecure) }
        peer.makeLostChannel = { maxBackoff in
            var arguments = ChannelArguments()
            arguments.initialReconnectBackoff = initial
            arguments.maxReconnectBackoff = max(initial, maxBackoff)
            return try Channel(reconnects.target, credentials: .insecure, arguments: arguments)
        }
        peer.settings.reconnect.maxBackoff = .milliseconds(2)
        peer.settings.reconnect.wait = {
            try await eventually { reconnects.arrivalCount >= arrivalCount }
        }
        let outcome = try await Self.find("connection_backoff").run(against: peer)
        #expect(outcome == (passes ? .passed : .failed("the delays were [] ms")))
    }

    @Test("connection_backoff is not served without a port that closes its connections")
    func nobodyToLose() async throws {
        let server = try LoopbackServer { $0.add(TestService()) }
        try await expectNotServed(
            "connection_backoff",
            InteropServer { try Channel(server.target, credentials: .insecure) })
    }

    @Test("orca_oob does not wait after the reports have ended", arguments: [0, 1, 2])
    func reportsEnd(count: Int) async throws {
        let server = try LoopbackServer { server in
            server.add(TestService())
            server.serverStreaming(InteropCase.loadReportStream) { _, reports, _ in
                for _ in 0..<count { try await reports.write(OrcaLoadReport()) }
            }
        }
        let peer = Self.settings(
            InteropServer { try Channel(server.target, credentials: .insecure) })
        switch try await Self.find("orca_oob").run(against: peer) {
        case .passed: Issue.record("passed")
        case .failed: #expect(count > 0)
        case .notServed: #expect(count == 0)
        }
    }

    @Test("that needs GET requests or an account of Google Cloud is reported as not served")
    func outOfReach() async throws {
        let server = try LoopbackServer { $0.add(TestService()) }
        let peer = Self.settings(
            InteropServer { try Channel(server.target, credentials: .insecure) })
        for name in ["cacheable_unary", "oauth2_auth_token"] {
            let outcome = try await Self.find(name).run(against: peer)
            guard case .notServed = outcome else {
                Issue.record("\(name): \(outcome)")
                continue
            }
        }
    }
}

extension GRPC.Testing.SimpleRequest {
    /// The response of a `TestService` to a request without further options.
    fileprivate var plainAnswer: GRPC.Testing.SimpleResponse {
        .with { $0.payload = .zeros(Int(responseSize)) }
    }
}

extension InteropCase.Outcome {
    var isNotServed: Bool {
        if case .notServed = self { true } else { false }
    }

    var isFailed: Bool {
        if case .failed = self { true } else { false }
    }
}
