import Swiftlet
import SwiftletCore
import SwiftletInterceptors
import SwiftletLoopback
import Synchronization
import Testing

/// Credentials whose metadata comes when the test says so, and that note what they were asked for.
private final class Asked: CallCredentials {
    let paths = Mutex<[String]>([])
    let isCancelled = Mutex(false)
    private let gate: Gate

    init(_ gate: Gate) { self.gate = gate }

    var allowsInsecureConnections: Bool { true }

    func metadata(for call: CallDescription) async throws(RPCError) -> Metadata {
        paths.withLock { $0.append(call.path) }
        await withTaskCancellationHandler {
            await gate.pass()
        } onCancel: {
            isCancelled.withLock { $0 = true }
            gate.open()
        }
        return ["authorization": "proof"]
    }
}

@Suite("A call that waits for its credentials", .timeLimit(.minutes(5)))
struct CallCredentialsTests {
    private static let whoAmI = Method<[UInt8], [UInt8]>(
        "/t.T/WhoAmI", .unary, request: .bytes, reply: .bytes)
    private static let other = Method<[UInt8], [UInt8]>(
        "/t.T/Other", .unary, request: .bytes, reply: .bytes)

    private static let count = Method<[UInt8], [UInt8]>(
        "/t.T/Count", .serverStreaming, request: .bytes, reply: .bytes)

    private static func server() throws -> LoopbackServer {
        try LoopbackServer { server in
            for method in [whoAmI, other] {
                server.unary(method) { _, context in
                    Array((context.metadata["authorization"] ?? "nobody").utf8)
                }
            }
        }
    }

    private static func options(
        _ credentials: any CallCredentials, timeout: Duration? = nil
    ) -> CallOptions {
        .with {
            $0.credentials = credentials
            $0.timeout = timeout
        }
    }

    @Test("cancels their task when it is cancelled, and was not executed")
    func cancelled() async throws {
        let gate = Gate()
        let credentials = Asked(gate)
        let server = try Self.server()
        let channel = try server.makeChannel()
        let call = Task {
            try await channel.unary(Self.whoAmI, [], options: Self.options(credentials))
        }
        await gate.waitFor(1)
        call.cancel()
        let error = await #expect(throws: RPCError.self) { try await call.value }
        #expect(error?.code == .cancelled)
        #expect(error?.mayHaveBeenExecuted == false)
        try await eventually { credentials.isCancelled.withLock { $0 } }
    }

    @Test("says so when its deadline passes")
    func deadline() async throws {
        let credentials = Asked(Gate())
        let server = try Self.server()
        let channel = try server.makeChannel()
        let error = await #expect(throws: RPCError.self) {
            try await channel.unary(
                Self.whoAmI, [],
                options: Self.options(credentials, timeout: .milliseconds(20)))
        }
        #expect(error?.code == .deadlineExceeded)
        #expect(
            error?.message == "the deadline passed before the call credentials gave their metadata")
        try await eventually { credentials.isCancelled.withLock { $0 } }
    }

    @Test("ends with its channel")
    func closed() async throws {
        let gate = Gate()
        let credentials = Asked(gate)
        let server = try Self.server()
        let channel = try server.makeChannel()
        let call = Task {
            try await channel.unary(Self.whoAmI, [], options: Self.options(credentials))
        }
        await gate.waitFor(1)
        await channel.close()
        let error = await #expect(throws: RPCError.self) { try await call.value }
        #expect(error?.mayHaveBeenExecuted == false)
        try await eventually { credentials.isCancelled.withLock { $0 } }
    }

    @Test("sends its messages in their order when they have answered")
    func stream() async throws {
        let gate = Gate()
        let server = try LoopbackServer { server in
            server.bidirectional(HostileTrial.talk) { requests, replies, context in
                try await replies.write(Array((context.metadata["authorization"] ?? "").utf8))
                for try await request in requests { try await replies.write(request) }
            }
        }
        let call = try await server.makeChannel().bidirectional(
            HostileTrial.talk, options: Self.options(Asked(gate)))
        await gate.waitFor(1)
        let writer = Task {
            for number: UInt8 in 0..<20 { try await call.requests.write([number]) }
            call.requests.finish()
        }
        gate.open()
        var answers: [[UInt8]] = []
        for try await answer in call.responses { answers.append(answer) }
        try await writer.value
        #expect(answers == [Array("proof".utf8)] + (0..<20).map { [$0] })
    }

    /// Fails, after the first time.
    private final class OnlyOnce: CallCredentials {
        private let isUsed = Mutex(false)
        var allowsInsecureConnections: Bool { true }

        func metadata(for call: CallDescription) async throws(RPCError) -> Metadata {
            let isFirst = isUsed.withLock { isUsed in
                defer { isUsed = true }
                return !isUsed
            }
            guard isFirst else { throw RPCError(.unauthenticated, "no second token") }
            return Metadata()
        }
    }

    /// Delivers two messages and calls again when the call has failed. Then it reports an error of its own.
    private final class Resuming: Interceptor {
        private var isSecond = false

        func close(_ end: CallEnd, _ call: InterceptedCall) {
            if isSecond {
                var end = end
                end.error = RPCError(.unavailable, "\(end.error?.message ?? "")")
                return call.close(end)
            }
            isSecond = true
            for number: UInt8 in 8...9 { call.deliver(RawMessage([number])) }
            call.restart()
            call.start(.with { $0.credentials = credentials })
            call.finish()
        }

        private let credentials: any CallCredentials

        init(_ credentials: any CallCredentials) { self.credentials = credentials }
    }

    @Test("leaves messages of an earlier attempt to be read when the credentials fail")
    func unread() async throws {
        let credentials = OnlyOnce()
        let server = try LoopbackServer { server in
            server.serverStreaming(Self.count) { _, replies, _ in
                for number: UInt8 in 0..<3 { try await replies.write([number]) }
                throw RPCError(.unavailable, "a break")
            }
        }
        let resuming = InterceptorFactory("resuming") { _ in Resuming(credentials) }
        let channel = try server.makeChannel(
            defaultOptions: .with { $0.credentials = credentials }, interceptors: [.all(resuming)])
        var answers: [[UInt8]] = []
        var failure: RPCError?
        do throws(RPCError) {
            for try await answer in try await channel.serverStreaming(Self.count, []) {
                // So that the interceptor's messages and the end arrive before they are read.
                try? await Task.sleep(for: .milliseconds(30))
                answers.append(answer)
            }
        } catch {
            failure = error
        }
        #expect(answers == [[0], [1], [2], [8], [9]])
        #expect(failure?.message == "no second token")
    }

    /// Replaces the error of the call.
    private final class Renaming: Interceptor {
        func close(_ end: CallEnd, _ call: InterceptedCall) {
            var end = end
            end.error = RPCError(.unavailable, "renamed")
            call.close(end)
        }
    }

    @Test("was not executed if an interceptor replaces the error of its credentials")
    func renamed() async throws {
        let credentials = OnlyOnce()
        let renaming = InterceptorFactory("renaming") { _ in Renaming() }
        let server = try Self.server()
        let channel = try server.makeChannel(
            defaultOptions: .with { $0.credentials = credentials })
        _ = try await channel.unary(Self.whoAmI, [])
        let error = await #expect(throws: RPCError.self) {
            try await channel.unary(
                Self.whoAmI, [], options: .with { $0.interceptors = [renaming] })
        }
        #expect(error?.message == "renamed")
        #expect(error?.mayHaveBeenExecuted == false)
    }

    @Test("wakes no idle channel when they answer after its end")
    func late() async throws {
        let gate = Gate()
        let resolver = PushedResolver(nil)
        let channel = try Channel(resolver.target("a"), credentials: .insecure)
        let credentials = Deaf(gate)
        let call = Task {
            try await channel.unary(Self.whoAmI, [], options: Self.options(credentials))
        }
        await gate.waitFor(1)
        call.cancel()
        await #expect(throws: RPCError.self) { try await call.value }
        gate.open()
        try await eventually { credentials.hasAnswered.withLock { $0 } }
        // So that the call has the answer, too.
        try await Task.sleep(for: .milliseconds(20))
        #expect(!resolver.isStarted)
        #expect(channel.connectivity == .idle)
    }

    /// Answers when its gate opens, also if the call was cancelled.
    private final class Deaf: CallCredentials {
        let hasAnswered = Mutex(false)
        private let gate: Gate

        init(_ gate: Gate) { self.gate = gate }

        var allowsInsecureConnections: Bool { true }

        func metadata(for call: CallDescription) async throws(RPCError) -> Metadata {
            await gate.pass()
            hasAnswered.withLock { $0 = true }
            return ["authorization": "late"]
        }
    }

    @Test("asks those that an interceptor has set, by the path that it has chosen")
    func ofInterceptor() async throws {
        let gate = Gate()
        gate.open()
        let credentials = Asked(gate)
        let server = try Self.server()
        let changing = InterceptorFactory("changing") { _ in Changing(credentials) }
        let channel = try Channel(
            server.target, credentials: .insecure, interceptors: [.all(changing)])
        let answer = try await channel.unary(Self.whoAmI, [])
        #expect(String(decoding: answer, as: UTF8.self) == "proof")
        #expect(credentials.paths.withLock { $0 } == ["/t.T/Other"])
    }

    /// Calls another method, with credentials.
    private final class Changing: Interceptor {
        private let credentials: any CallCredentials

        init(_ credentials: any CallCredentials) { self.credentials = credentials }

        func start(_ options: CallOptions, _ call: InterceptedCall) {
            var options = options
            options.credentials = credentials
            call.start(options, path: "/t.T/Other")
        }
    }
}
