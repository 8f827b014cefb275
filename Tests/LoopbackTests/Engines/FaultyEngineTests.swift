import Swiftlet
import SwiftletLoopback
import SwiftletSecurity
import Synchronization
import Testing

/// An engine that encrypts nothing and claims what each handshake of TLS has as its result, so that its peer is a
/// server without TLS. A test replaces one of its steps by a wrong one.
private struct ClearText: TLSEngine, ChannelSecurity {
    struct Failure: Error, CustomStringConvertible { let description: String }

    var handshake: @Sendable (inout [UInt8]) throws -> Bool = { _ in true }
    var open: @Sendable ([UInt8], inout [UInt8]) throws -> Void = { $1 += $0 }
    var seal: @Sendable ([UInt8], inout [UInt8]) throws -> Void = { $1 += $0 }
    var applicationProtocol: String? = "h2"
    var certificates: [[UInt8]] = []
    var isEnded = false
    let calls = Counter()

    func makeContext(_ options: TLSOptions) throws -> any ChannelSecurity { self }
    func makeSession(_ context: SecurityContext) throws -> any SecuritySession { Session(self) }

    final class Counter: Sendable {
        let afterFailure = Atomic(0)
    }

    final class Session: SecuritySession {
        private let engine: ClearText
        private let hasFailed = Atomic(false)

        init(_ engine: ClearText) { self.engine = engine }

        /// Counts the calls that follow an error.
        private func noting<Result>(_ body: () throws -> Result) throws -> Result {
            if hasFailed.load(ordering: .relaxed) {
                engine.calls.afterFailure.add(1, ordering: .relaxed)
            }
            do {
                return try body()
            } catch {
                hasFailed.store(true, ordering: .relaxed)
                throw error
            }
        }

        func handshake(_ received: inout [UInt8], sending output: inout [UInt8]) throws -> Bool {
            try noting { try engine.handshake(&output) }
        }

        func open(
            _ received: [UInt8], into plaintext: inout [UInt8], sending output: inout [UInt8]
        ) throws {
            try noting { try engine.open(received, &plaintext) }
        }

        func seal(_ plaintext: [UInt8], sending output: inout [UInt8]) throws {
            try noting { try engine.seal(plaintext, &output) }
        }

        func close(sending output: inout [UInt8]) {}
        var applicationProtocol: String? { engine.applicationProtocol }
        var peerCertificates: [[UInt8]] { engine.certificates }
        var isEnded: Bool { engine.isEnded }
    }
}

@Suite("A TLS library of the program that does not do its work", .timeLimit(.minutes(5)))
struct FaultyEngineTests {
    private static func call(
        _ engine: ClearText, connectTimeout: Duration = .seconds(3_600),
        _ configure: (inout TLSOptions) -> Void = { _ in }
    ) async throws -> [UInt8] {
        let server = try LoopbackServer { server in
            server.unary(HostileTrial.echo) { request, _ in request }
        }
        var arguments = ChannelArguments()
        arguments.connectTimeout = connectTimeout
        var options = TLSOptions()
        configure(&options)
        let channel = try Channel(
            server.target, credentials: .tls(options, engine: engine), arguments: arguments)
        return try await channel.unary(HostileTrial.echo, [1, 2, 3])
    }

    private static func expect(
        _ reason: String, phase: RPCError.Phase? = .tls, of engine: ClearText,
        _ configure: (inout TLSOptions) -> Void = { _ in },
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let error = await #expect(throws: RPCError.self, sourceLocation: sourceLocation) {
            try await call(engine, configure)
        }
        #expect(error?.code == .unavailable, sourceLocation: sourceLocation)
        if let phase { #expect(error?.phase == phase, sourceLocation: sourceLocation) }
        #expect(
            error?.message.contains(reason) == true, "\(error as Any)",
            sourceLocation: sourceLocation)
        #expect(
            engine.calls.afterFailure.load(ordering: .relaxed) == 0,
            "a failed session was used again",
            sourceLocation: sourceLocation)
    }

    @Test("is no hindrance as long as it does")
    func sound() async throws {
        #expect(try await Self.call(ClearText()) == [1, 2, 3])
    }

    @Test("fails the call with the text of its error, on one line")
    func errors() async {
        let failure = ClearText.Failure(description: "broken\u{1b}[1m\nfor good")
        await Self.expect("broken [1m for good", of: ClearText(handshake: { _ in throw failure }))
        await Self.expect(
            "broken [1m for good", phase: nil, of: ClearText(open: { _, _ in throw failure }))
        await Self.expect(
            "broken [1m for good", phase: nil, of: ClearText(seal: { _, _ in throw failure }))
    }

    @Test("does not keep a call waiting if its handshake never ends")
    func endless() async {
        let engine = ClearText(handshake: { _ in false })
        let error = await #expect(throws: RPCError.self) {
            try await Self.call(engine, connectTimeout: .milliseconds(200))
        }
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains("the TLS handshake did not complete") == true)
    }

    @Test("does not fill the memory or the network with an endless handshake")
    func large() async {
        await Self.expect(
            "the handshake is not complete after 256 KiB",
            of: ClearText(handshake: { output in
                output += [UInt8](repeating: 0, count: 300 << 10)
                return false
            }))
    }

    @Test("does not lose requests in silence")
    func silence() async {
        await Self.expect(
            "the session made 0 bytes of ", phase: nil, of: ClearText(seal: { _, _ in }))
        await Self.expect(
            " to send", phase: nil, of: ClearText(seal: { $1 += $0.dropLast() }))
    }

    @Test("may claim more content than it got: the peer of HTTP/2 is then at fault")
    func tooMuch() async {
        let engine = ClearText(open: { $1 += $0 + [UInt8](repeating: 0xff, count: 4 << 20) })
        let error = await #expect(throws: RPCError.self) { try await Self.call(engine) }
        #expect(error?.phase == .http2 || error?.code == .internal, "\(error as Any)")
    }

    @Test("is asked for HTTP/2, and for the certificates that the program verifies")
    func results() async {
        await Self.expect(
            "chose no protocol; h2 is needed", of: ClearText(applicationProtocol: nil))
        await Self.expect("chose http/1.1; h2", of: ClearText(applicationProtocol: "http/1.1"))
        await Self.expect("no certificates", of: ClearText()) {
            $0.verification = PeerVerification { _, _ in }
        }
    }

    @Test("that says the peer has ended the connection ends it")
    func ended() async {
        let error = await #expect(throws: RPCError.self) {
            try await Self.call(ClearText(isEnded: true))
        }
        #expect(error?.code == .unavailable, "\(error as Any)")
    }
}
