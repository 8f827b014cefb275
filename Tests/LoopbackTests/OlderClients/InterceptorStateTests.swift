import Swiftlet
import SwiftletInterceptors
import SwiftletLoopback
import Testing

/// Sends the events of a script at the start of a call.
private final class Scripted: Interceptor {
    typealias Script = @Sendable (CallOptions, InterceptedCall) -> Void
    private let script: Script

    init(_ script: @escaping Script) { self.script = script }

    func start(_ options: CallOptions, _ call: InterceptedCall) { script(options, call) }
    func write(_ message: RawMessage, _ call: InterceptedCall) {}
    func finish(_ call: InterceptedCall) {}
    func receiveNext(_ call: InterceptedCall) {}
}

@Suite("The state between two neighbours of a chain of interceptors", .timeLimit(.minutes(5)))
struct InterceptorStateTests {
    private static let bytes: [UInt8] = [7]

    /// Counts the requests that arrive.
    private static let server = Result {
        try LoopbackServer { server in
            server.bidirectional(HostileTrial.talk) { requests, replies, _ in
                var count: UInt8 = 0
                for try await request in requests { count += request[0] }
                try await replies.write([count])
            }
        }
    }

    /// The outcome of a call whose interceptor runs the script: a reply, or the message of the error.
    private static func outcome(_ script: @escaping Scripted.Script) async throws -> String {
        let factory = InterceptorFactory("scripted") { _ in Scripted(script) }
        let channel = try server.get().makeChannel()
        let conversation = try await channel.bidirectional(
            HostileTrial.talk, options: .with { $0.interceptors = [factory] })
        var replies: [[UInt8]] = []
        do {
            for try await reply in conversation.responses { replies.append(reply) }
        } catch {
            return error.message
        }
        return "\(replies)"
    }

    private static func refusal(_ reason: String) -> String { "interceptor 'scripted': \(reason)" }

    @Test("initialised: writes are kept until the start; finish and responses are refused")
    func initialised() async throws {
        let kept = try await Self.outcome { options, call in
            call.write(RawMessage(Self.bytes))
            call.receiveNext()
            call.write(RawMessage(Self.bytes))
            call.start(options)
            call.finish()
            call.receiveNext()
        }
        #expect(kept == "[[14]]")
        let finish = try await Self.outcome { _, call in call.finish() }
        #expect(finish == Self.refusal("'finish' is not allowed in a call that is not started"))
        let cancelled = try await Self.outcome { options, call in
            call.cancel()
            // No effect, because the rest of the call has finished.
            call.start(options)
            call.write(RawMessage(Self.bytes))
            call.finish()
            call.close(CallEnd(error: RPCError(.aborted, "given up")))
        }
        #expect(cancelled == "given up")
    }

    @Test("started: write, receive-next, finish and cancel pass; a second start is refused")
    func started() async throws {
        let whole = try await Self.outcome { options, call in
            call.start(options)
            call.write(RawMessage(Self.bytes))
            call.receiveNext()
            call.write(RawMessage(Self.bytes))
            call.finish()
            call.receiveNext()
        }
        #expect(whole == "[[14]]")
        let twice = try await Self.outcome { options, call in
            call.start(options)
            call.start(options)
        }
        #expect(twice == Self.refusal("'start' is not allowed in a call that is started"))
        let cancelled = try await Self.outcome { options, call in
            call.start(options)
            call.cancel()
            call.close(CallEnd(error: RPCError(.aborted, "given up")))
        }
        #expect(cancelled == "given up")
    }

    @Test("half-closed: receive-next and cancel pass; start, write and finish are refused")
    func halfClosed() async throws {
        let requests: [(String, Scripted.Script)] = [
            ("start", { options, call in call.start(options) }),
            ("write", { _, call in call.write(RawMessage(Self.bytes)) }),
            ("finish", { _, call in call.finish() }),
        ]
        for (name, request) in requests {
            let refused = try await Self.outcome { options, call in
                call.start(options)
                call.finish()
                request(options, call)
            }
            let reason = "'\(name)' is not allowed in a call that is half-closed"
            #expect(refused == Self.refusal(reason))
        }
        let cancelled = try await Self.outcome { options, call in
            call.start(options)
            call.finish()
            call.receiveNext()
            call.cancel()
            call.close(CallEnd(error: RPCError(.aborted, "given up")))
        }
        #expect(cancelled == "given up")
    }

    @Test("finished: no event has an effect")
    func finished() async throws {
        let ended = try await Self.outcome { options, call in
            call.deliver(initialMetadata: [:])
            call.deliver(RawMessage([1]))
            call.close(CallEnd(error: RPCError(.aborted, "over")))
            call.close(CallEnd(error: RPCError(.internal, "twice")))
            call.deliver(RawMessage([2]))
            call.deliver(initialMetadata: [:])
            call.start(options)
            call.write(RawMessage(Self.bytes))
            call.finish()
            call.cancel()
        }
        #expect(ended == "over")
    }

    @Test("Responses keep the order: initial metadata, messages, close")
    func order() async throws {
        let orders: [(Scripted.Script, String)] = [
            (
                { _, call in call.deliver(RawMessage([1])) },
                "'message' was delivered before 'initial metadata'"
            ),
            (
                { _, call in
                    call.deliver(initialMetadata: [:])
                    call.deliver(initialMetadata: [:])
                }, "'initial metadata' was delivered twice, or after a message"
            ),
        ]
        for (script, reason) in orders {
            #expect(try await Self.outcome(script) == Self.refusal(reason))
        }
        let answered = try await Self.outcome { _, call in
            call.deliver(initialMetadata: [:])
            call.deliver(RawMessage([1]))
            call.deliver(RawMessage([2]))
            call.close(CallEnd(error: nil))
        }
        #expect(answered == "[[1], [2]]")
    }

    @Test("A factory makes one interceptor for each call, when the call is made; it shares state")
    func factories() async throws {
        let made = Notes()
        let factory = InterceptorFactory("counting") { call in
            made.add(call.path)
            // Forwards every event.
            final class Base: Interceptor {}
            return Base()
        }
        let channel = try Channel(
            try Self.server.get().target, credentials: .insecure, interceptors: [.all(factory)])
        for count in 1...3 {
            let call = try await channel.bidirectional(HostileTrial.talk)
            #expect(made.all.count == count)
            call.requests.finish()
            for try await reply in call.responses { #expect(reply == [0]) }
        }
        #expect(made.all.count == 3)
    }
}
