import SwiftletTransport
import Synchronization
import Testing

@testable import SwiftletCore

@Suite("The cause of a call's deadline while its channel connects", .timeLimit(.minutes(5)))
struct DeadlineCauseTests {
    /// Calls `ask` while it makes a session, and stores the result: the error that the call would get if its
    /// deadline passed at that time.
    private final class SlowProvider: TLSProvider {
        let ask = Mutex<(@Sendable () -> RPCError)?>(nil)
        let error = Mutex<RPCError?>(nil)

        func makeSession(
            host: String?, offering protocols: [String]?
        ) throws(TLSError) -> any TLSSession {
            let asked = ask.withLock { $0.take() }?()
            if let asked { error.withLock { $0 = asked } }
            throw TLSError(.configuration, "no session")
        }
    }

    private static func call(on core: ChannelCore) -> CallCore {
        CallCore(
            CallHead(
                MethodSignature(path: "/a.B/C", shape: .unary, contentSubtype: nil),
                CallOptions(), MessageLimits()),
            deadline: .never, backend: core, observer: SingleResponse())
    }

    @Test("is the TLS handshake as soon as the socket is connected")
    func sessionBeingMade() throws {
        let provider = SlowProvider()
        let queue = try CompletionQueue(.byHand)
        let core = ChannelCore(
            try Target("nowhere"),
            credentials: ChannelCredentials(provider: provider, targetNameOverride: nil),
            arguments: ChannelArguments(), queues: [queue],
            sockets: { () throws(SystemError) in
                do { return try Socket.withPair { near, _ in near } } catch {
                    throw SystemError("socketpair", "\(error)", code: 0)
                }
            })
        let call = Self.call(on: core)
        provider.ask.withLock { $0 = { core.deadlineError(of: call) } }
        call.start()
        var scratch = EventLoop.Scratch()
        while provider.error.withLock({ $0 == nil }) {
            try core.loop.turn(until: nil, &scratch)
        }
        let error = try #require(provider.error.withLock { $0 })
        #expect(error.phase == .tls)
        #expect(error.causes.first?.contains("the TLS handshake did not complete") == true)
        core.shutDown()
    }

    /// Reports nothing until the test reports a result.
    private final class Silent: Resolver {
        let results = Mutex<ResolverResults?>(nil)

        func start(_ results: ResolverResults) { self.results.withLock { $0 = results } }
        func requestResolution() {}
        func stop() {}
    }

    @Test("is the look-up of the target only from the first call until the resolver reports")
    func lookUp() throws {
        let resolver = Silent()
        try Resolvers.register("deadline-test") { _ in resolver }
        let core = ChannelCore(
            try Target("deadline-test:///x"), credentials: .insecure,
            arguments: ChannelArguments(), queues: [try CompletionQueue(.byHand)])
        let call = Self.call(on: core)
        let before = core.deadlineError(of: call)
        #expect(before.phase == .connect && before.causes == [])
        call.start()
        var scratch = EventLoop.Scratch()
        try core.loop.turn(until: .now, &scratch)
        let waiting = core.deadlineError(of: call)
        #expect(waiting.phase == .resolve)
        #expect(waiting.causes == ["look up deadline-test:///x: no answer"])
        resolver.results.withLock { $0 }?.report(ResolverResult([]))
        try core.loop.turn(until: .now, &scratch)
        let after = core.deadlineError(of: call)
        #expect(after.phase == .connect && after.causes == ["the resolver found no addresses"])
        core.shutDown()
    }
}
