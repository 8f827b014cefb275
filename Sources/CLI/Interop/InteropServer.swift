import Swiftlet
import SwiftletServices

/// The server that the cases call, and their settings.
struct InteropServer: Sendable {
    /// The call counts and pauses of the test cases.
    struct Settings: Sendable {
        /// The count of concurrent calls of `concurrent_large_unary`.
        var concurrentCalls = 1_000
        /// The count of concurrent calls of `max_streams`.
        var concurrentCallsOfMaxStreams = 15
        /// The pause between the two calls of `goaway`, in which the server's GOAWAY arrives.
        var pauseBetweenCalls = Duration.seconds(1)
        /// The count of responses of `slow_consumer`, and the pause after each.
        var slowAnswers = (count: 2_000, pause: Duration.milliseconds(20))
        var soak = SoakSettings()
        var reconnect = ReconnectSettings()
    }

    var settings = Settings()
    /// Makes a new channel for a case.
    let makeChannel: @Sendable () throws -> Channel
    /// Makes a channel to the control port of `connection_backoff`; nil if it has no separate port.
    var makeControlChannel: (@Sendable () throws -> Channel)?
    /// Makes a channel to the port on which the server closes each connection, for
    /// `connection_backoff`. `maxBackoff` is the channel's longest delay between two attempts. Nil
    /// if the port was not given.
    var makeLostChannel: (@Sendable (_ maxBackoff: Duration) throws -> Channel)?

    init(makeChannel: @escaping @Sendable () throws -> Channel) { self.makeChannel = makeChannel }

    /// The timeout of each call, so that a call that hangs fails.
    static let callTimeout = Duration.seconds(120)
}

extension InteropServer {
    /// Runs `body` with a new channel, and closes the channel afterwards.
    func withChannel<Result>(
        _ make: (() throws -> Channel)? = nil, _ body: (TestServiceClient) async throws -> Result
    ) async throws -> Result {
        let channel = try make?() ?? makeChannel()
        return try await channel.closing { try await body(TestServiceClient(channel: channel)) }
    }
}

/// The client of `Protos/grpc/testing/test.proto`.
struct TestServiceClient: Sendable {
    typealias SimpleRequest = GRPC.Testing.SimpleRequest
    typealias SimpleResponse = GRPC.Testing.SimpleResponse
    typealias InputRequest = GRPC.Testing.StreamingInputCallRequest
    typealias InputResponse = GRPC.Testing.StreamingInputCallResponse
    typealias OutputRequest = GRPC.Testing.StreamingOutputCallRequest
    typealias OutputResponse = GRPC.Testing.StreamingOutputCallResponse
    typealias Nothing = GRPC.Testing.Empty

    let channel: Channel

    static let emptyCall = Method<Nothing, Nothing>("/grpc.testing.TestService/EmptyCall", .unary)
    static let unaryCall = Method<SimpleRequest, SimpleResponse>(
        "/grpc.testing.TestService/UnaryCall", .unary)
    static let inputCall = Method<InputRequest, InputResponse>(
        "/grpc.testing.TestService/StreamingInputCall", .clientStreaming)
    static let outputCall = Method<OutputRequest, OutputResponse>(
        "/grpc.testing.TestService/StreamingOutputCall", .serverStreaming)
    static let duplexCall = Method<OutputRequest, OutputResponse>(
        "/grpc.testing.TestService/FullDuplexCall", .bidirectional)
    static let unimplementedCall = Method<Nothing, Nothing>(
        "/grpc.testing.TestService/UnimplementedCall", .unary)
    static let unimplementedService = Method<Nothing, Nothing>(
        "/grpc.testing.UnimplementedService/UnimplementedCall", .unary)

    /// The options of all calls, changed by `configure`.
    static func options(_ configure: (inout CallOptions) -> Void = { _ in }) -> CallOptions {
        .with { options in
            options.timeout = InteropServer.callTimeout
            configure(&options)
        }
    }
}

extension TestServiceClient {
    /// Checks that the server has a TestService. Without one, some cases would pass, and others would fail
    /// although the client is correct.
    func checkServed() async throws {
        _ = try await served("TestService") {
            try await channel.unary(Self.emptyCall, .init(), options: Self.options())
        }
    }

    func unary(
        _ request: SimpleRequest, _ configure: (inout CallOptions) -> Void = { _ in }
    ) async throws(RPCError) -> Response<SimpleResponse> {
        try await channel.unaryResponse(Self.unaryCall, request, options: Self.options(configure))
    }

    func duplex(
        _ configure: (inout CallOptions) -> Void = { _ in }
    ) async throws(RPCError) -> Conversation<OutputRequest, OutputResponse> {
        try await channel.bidirectional(Self.duplexCall, options: Self.options(configure))
    }
}

// MARK: - Requests of certain sizes

extension GRPC.Testing.Payload {
    /// A payload of this many zero bytes.
    static func zeros(_ byteCount: Int) -> Self {
        .init(body: [UInt8](repeating: 0, count: byteCount))
    }
}

extension GRPC.Testing.SimpleRequest {
    /// A request with a payload of `out` bytes, for a response with `back` bytes.
    static func sized(out: Int, back: Int) -> Self {
        var request = Self()
        request.responseSize = Int32(clamping: back)
        request.payload = .zeros(out)
        return request
    }

    /// The request of `large_unary`, and of the cases that are based on it.
    static var large: Self { sized(out: 271_828, back: 314_159) }
}

extension GRPC.Testing.SimpleResponse {
    /// Asserts that the payload consists of this many zero bytes.
    func check(_ what: String, byteCount: Int) throws {
        try expect("\(what): the body's size", payload?.body.count ?? 0, is: byteCount)
        guard payload?.body.allSatisfy({ $0 == 0 }) ?? true else {
            throw CaseFailure(reason: "\(what): the body is not zeros")
        }
    }
}

extension GRPC.Testing.StreamingOutputCallRequest {
    /// A request with a payload of `out` bytes, or without a payload if nil. It requests one response of each
    /// size in `back`.
    static func sized(out: Int? = nil, back: [Int]) -> Self {
        var request = Self()
        request.responseParameters = back.map { .init(size: Int32(clamping: $0)) }
        request.payload = out.map { .zeros($0) }
        return request
    }
}
