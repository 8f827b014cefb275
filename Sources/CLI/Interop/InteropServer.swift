import Swiftlet

/// The server that cases are tried on, and how they are to be run.
struct InteropServer: Sendable {
    /// Figures of the cases that have any.
    struct Settings: Sendable {
        /// Calls at once of `concurrent_large_unary`.
        var concurrentCalls = 1_000
        /// Calls at once of `max_streams`.
        var callsOverTheLimit = 15
        /// Between the two calls of `goaway`: time for the server's GOAWAY to arrive.
        var pauseBetweenCalls = Duration.seconds(1)
        /// Answers of `slow_consumer`, and the pause behind each.
        var slowAnswers = (count: 2_000, pause: Duration.milliseconds(20))
        var soak = SoakSettings()
        var reconnect = ReconnectSettings()
    }

    var settings = Settings()
    /// Makes a channel of its own for a case.
    let makeChannel: @Sendable () throws -> Channel
    /// The same for ``makeLostChannel``'s case, where its server has another port for that.
    var makeControlChannel: (@Sendable () throws -> Channel)?
    /// Makes a channel to the port on which `connection_backoff` finds nobody, with the longest
    /// delay between two attempts.
    var makeLostChannel: (@Sendable (_ maxBackoff: Duration) throws -> Channel)?

    init(makeChannel: @escaping @Sendable () throws -> Channel) { self.makeChannel = makeChannel }

    /// A call that hangs is a failure, not a wait without end.
    static let patience = Duration.seconds(60)
}

extension InteropServer {
    /// Runs `body` with a channel of its own, which is closed in the end.
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

    /// What all calls have in common, and `configure` on top.
    static func options(_ configure: (inout CallOptions) -> Void = { _ in }) -> CallOptions {
        .with { options in
            options.timeout = InteropServer.patience
            configure(&options)
        }
    }
}

extension TestServiceClient {
    /// Makes sure that there is a TestService at all: without one, some cases would pass, and the
    /// others fail for nothing that the client did.
    func checkServed() async throws {
        _ = try await served("TestService") {
            try await channel.unary(Self.emptyCall, .init(), Self.options())
        }
    }

    func unary(
        _ request: SimpleRequest, _ configure: (inout CallOptions) -> Void = { _ in }
    ) async throws(RPCError) -> Response<SimpleResponse> {
        try await channel.unaryResponse(Self.unaryCall, request, Self.options(configure))
    }

    func duplex(
        _ configure: (inout CallOptions) -> Void = { _ in }
    ) async throws(RPCError) -> Conversation<OutputRequest, OutputResponse> {
        try await channel.bidirectional(Self.duplexCall, Self.options(configure))
    }
}

// MARK: - Requests of certain sizes

extension GRPC.Testing.Payload {
    /// So many zeros.
    static func zeros(_ byteCount: Int) -> Self {
        .init(body: [UInt8](repeating: 0, count: byteCount))
    }
}

extension GRPC.Testing.SimpleRequest {
    /// So many octets out, and so many back.
    static func sized(out: Int, back: Int) -> Self {
        var request = Self()
        request.responseSize = Int32(clamping: back)
        request.payload = .zeros(out)
        return request
    }

    /// The request of `large_unary`, and of all that build on it.
    static var large: Self { sized(out: 271_828, back: 314_159) }
}

extension GRPC.Testing.SimpleResponse {
    /// Asserts that the payload is so many zeros.
    func check(_ what: String, byteCount: Int) throws {
        try expect("\(what): the body's size", payload?.body.count ?? 0, is: byteCount)
        guard payload?.body.allSatisfy({ $0 == 0 }) ?? true else {
            throw CaseFailure(reason: "\(what): the body is not zeros")
        }
    }
}

extension GRPC.Testing.StreamingOutputCallRequest {
    /// So many octets out, and answers of these sizes back.
    static func sized(out: Int? = nil, back: [Int]) -> Self {
        var request = Self()
        request.responseParameters = back.map { .init(size: Int32(clamping: $0)) }
        request.payload = out.map { .zeros($0) }
        return request
    }
}
