import Swiftlet
import SwiftletInterceptors
import SwiftletLoopback
import SwiftletStyles
import Synchronization
import Testing

@testable import SwiftletCore

/// The parts of a chain refer to each other in both directions while the call runs.
@Suite("A chain of interceptors", .timeLimit(.minutes(5)))
struct ChainReleaseTests {
    typealias Script = @Sendable (CallOptions, InterceptedCall) -> Void

    /// Runs a script at the start of a call. It stores the call, so that the two refer to each other.
    private final class Scripted: Interceptor {
        private let script: Script
        private var own: InterceptedCall?
        private let onRelease: Released?

        init(_ script: @escaping Script, _ onRelease: Released? = nil) {
            self.script = script
            self.onRelease = onRelease
        }

        func start(_ options: CallOptions, _ call: InterceptedCall) {
            own = call
            script(options, call)
        }
    }

    private final class Forwarding: Interceptor {
        private let onRelease: Released
        init(_ onRelease: Released) { self.onRelease = onRelease }
    }

    private static let givenUp = CallEnd(error: RPCError(.aborted, "given up"))

    /// The actions of an interceptor at the start, then the action of the caller, and the code of
    /// the end.
    private static let ways: [(name: String, Script, cancels: Bool, StatusCode)] = [
        ("answered", { options, call in call.start(options) }, false, .ok),
        ("closed before it starts", { _, call in call.close(givenUp) }, false, .aborted),
        (
            "closed while it runs",
            { options, call in
                call.start(options)
                call.close(givenUp)
            }, false, .aborted
        ),
        (
            "ended because of a broken rule",
            { options, call in
                call.start(options)
                call.start(options)
            }, false, .internal
        ),
        (
            "restarted before it starts",
            { options, call in
                call.restart()
                call.start(options)
            }, false, .ok
        ),
        (
            "restarted while it runs, and closed",
            { options, call in
                call.start(options)
                call.restart()
                call.start(options)
                call.restart()
                call.close(givenUp)
            }, false, .aborted
        ),
        (
            "restarted behind its end",
            { options, call in
                call.close(givenUp)
                call.restart()
                call.start(options)
            }, false, .aborted
        ),
        ("held and cancelled", { _, call in call.holdRequests() }, true, .cancelled),
        (
            "held while it runs, and cancelled",
            { options, call in
                call.start(options)
                call.holdRequests()
            }, true, .cancelled
        ),
        (
            "held, and closed later by a task",
            { _, call in
                call.holdRequests()
                Task { call.close(givenUp) }
            }, false, .aborted
        ),
        // The interceptor forwards the end of the request, which has not started.
        ("never started", { _, _ in }, false, .internal),
    ]

    @Test("is released with all its parts after any end of the call", arguments: ways.indices)
    func released(way: Int) async throws {
        let (_, script, cancels, code) = Self.ways[way]
        let (releases, release) = AsyncStream.makeStream(of: Void.self)
        weak var chain: AnyObject?
        weak var intercepted: InterceptedCall?
        let kept = Mutex<InterceptedCall?>(nil)
        do {
            let onRelease = Released(release)
            let fake = try FakeChannel(interceptors: [
                .all(InterceptorFactory("above") { _ in Forwarding(onRelease) }),
                .all(
                    InterceptorFactory("scripted") { _ in
                        Scripted(
                            { options, call in
                                kept.withLock { $0 = call }
                                script(options, call)
                            }, onRelease)
                    }),
                .all(InterceptorFactory("below") { _ in Forwarding(onRelease) }),
            ])
            // Two responses, because an interceptor that restarts the rest of the call while it
            // runs makes two calls.
            for _ in 0..<2 { try fake.respond(to: HostileTrial.echo).sendMessage([7]) }
            let (ends, end) = AsyncStream.makeStream(of: StatusCode.self)
            let call = try fake.channel.startUnary(HostileTrial.echo, [1]) { result in
                switch result {
                case .success: end.yield(.ok)
                case .failure(let error): end.yield(error.code)
                }
                end.finish()
            }
            chain = call.call
            if cancels { call.cancel() }
            var codes: [StatusCode] = []
            for await code in ends { codes.append(code) }
            #expect(codes == [code])
            intercepted = kept.withLock { $0.take() }
        }
        for await _ in releases {}
        try await eventually { chain == nil && intercepted == nil }
    }

    /// Does not pass a cancellation on.
    private final class Swallowing: Interceptor {
        private let startsRest: Bool
        private let report: @Sendable () -> Void
        private var own: InterceptedCall?

        init(startsRest: Bool, _ report: @escaping @Sendable () -> Void) {
            self.startsRest = startsRest
            self.report = report
        }

        func start(_ options: CallOptions, _ call: InterceptedCall) {
            own = call
            if startsRest { call.start(options) }
        }
        func finish(_ call: InterceptedCall) { if startsRest { call.finish() } }
        func cancel(_ call: InterceptedCall) {}
        func receive(_ message: RawMessage, _ call: InterceptedCall) { report() }
    }

    @Test(
        "is released with its channel when an interceptor ignores a cancellation before the rest has started, or the rest has ended",
        arguments: [false, true])
    func swallowed(startsRest: Bool) async throws {
        weak var chain: AnyObject?
        weak var channel: Channel?
        let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
        do {
            let fake = try FakeChannel(interceptors: [
                .all(
                    InterceptorFactory("swallowing") { _ in
                        Swallowing(startsRest: startsRest) { arrival.yield() }
                    })
            ])
            let response = fake.respond(to: HostileTrial.echo)
            channel = fake.channel
            let (ends, end) = AsyncStream.makeStream(of: Void.self)
            let call = try fake.channel.startUnary(HostileTrial.echo, [1]) { _ in end.finish() }
            chain = call.call
            call.cancel()
            for await _ in ends {}
            if startsRest {
                try response.sendMessage([7])
                for await _ in arrivals { break }
            }
        }
        try await eventually { chain == nil && channel == nil }
    }

    @Test("is released when an interceptor releases its last reference to the ended call")
    func keptCall() async throws {
        let kept = Mutex<InterceptedCall?>(nil)
        weak var chain: AnyObject?
        do {
            let keeping = InterceptorFactory("keeping") { _ in
                Scripted { options, call in
                    kept.withLock { $0 = call }
                    call.start(options)
                }
            }
            let fake = try FakeChannel(interceptors: [.all(keeping)])
            try fake.respond(to: HostileTrial.echo).sendMessage([7])
            let (ends, end) = AsyncStream.makeStream(of: Void.self)
            let call = try fake.channel.startUnary(HostileTrial.echo, [1]) { _ in end.finish() }
            chain = call.call
            for await _ in ends {}
        }
        // The call has ended, so none of these functions has an effect.
        let call = try #require(kept.withLock { $0.take() })
        call.restart()
        call.start(CallOptions())
        call.write(RawMessage([1]))
        call.deliver(RawMessage([2]))
        call.close(CallEnd(error: nil))
        call.cancel()
        #expect(call.description.path == HostileTrial.echo.path)
        #expect(chain != nil)
        withExtendedLifetime(call) {}
        _ = consume call
        try await eventually { chain == nil }
    }
}
