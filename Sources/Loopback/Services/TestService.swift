import SwiftletCore
import SwiftletMessages

/// `grpc.testing.TestService`, the service of gRPC's interop tests.
///
/// It follows the interop test descriptions: sizes and intervals, the echo of a status and of metadata,
/// compression of single messages, and checks of compressed requests. As the descriptions require,
/// `UnimplementedCall` and `grpc.testing.UnimplementedService` are not implemented.
public struct TestService: LoopbackService {
    typealias Unary = Method<GRPC.Testing.SimpleRequest, GRPC.Testing.SimpleResponse>
    typealias Input = Method<
        GRPC.Testing.StreamingInputCallRequest, GRPC.Testing.StreamingInputCallResponse
    >
    typealias Output = Method<
        GRPC.Testing.StreamingOutputCallRequest, GRPC.Testing.StreamingOutputCallResponse
    >

    private let reports = LoadReportService()

    public init() {}

    public func register(in methods: inout ServerMethods) {
        reports.register(in: &methods)
        typealias Nothing = GRPC.Testing.Empty
        let empty = Method<Nothing, Nothing>(bundled: Self.path("EmptyCall"), .unary)
        methods.unary(empty) { _, context in
            context.echoMetadata()
            return Nothing()
        }
        for name in ["UnaryCall", "CacheableUnaryCall"] {
            methods.unary(Unary(bundled: Self.path(name), .unary)) { request, context in
                try Self.reply(to: request, context)
            }
        }
        registerStreams(in: &methods)
    }

    private func registerStreams(in methods: inout ServerMethods) {
        methods.clientStreaming(Input(bundled: Self.path("StreamingInputCall"), .clientStreaming)) {
            requests, context in
            context.echoMetadata()
            var byteCount = 0
            for try await request in requests {
                try context.check(request.expectCompressed)
                byteCount += request.payload?.body.count ?? 0
            }
            return .init(aggregatedPayloadSize: Int32(clamping: byteCount))
        }
        methods.serverStreaming(Output(bundled: Self.path("StreamingOutputCall"), .serverStreaming))
        { request, replies, context in
            context.compressIfAskedTo(request)
            context.echoMetadata()
            try await Self.answer(request, replies, context)
        }
        let reports = reports
        methods.bidirectional(Output(bundled: Self.path("FullDuplexCall"), .bidirectional)) {
            requests, replies, context in
            var isFirst = true
            for try await request in requests {
                // Headers name the algorithm, so the first request determines it.
                if isFirst { context.compressIfAskedTo(request) }
                if isFirst { context.echoMetadata() }
                isFirst = false
                if let report = request.orcaOobReport { reports.set(OrcaLoadReport(report)) }
                try await Self.answer(request, replies, context)
            }
            if isFirst { context.echoMetadata() }
        }
        methods.bidirectional(Output(bundled: Self.path("HalfDuplexCall"), .bidirectional)) {
            requests, replies, context in
            context.echoMetadata()
            var kept = KeptMessages<GRPC.Testing.StreamingOutputCallRequest>()
            for try await var request in requests {
                request.payload = nil
                try kept.append(request)
            }
            for request in kept.all { try await Self.answer(request, replies, context) }
        }
    }

    private static func path(_ name: String) -> String { "/grpc.testing.TestService/\(name)" }
}

// MARK: - Answers

extension TestService {
    /// The largest payload of a message.
    static let maxPayloadByteCount = 64 << 20

    private static func reply(
        to request: GRPC.Testing.SimpleRequest, _ context: ServerContext
    ) throws(RPCError) -> GRPC.Testing.SimpleResponse {
        try context.check(request.expectCompressed)
        if request.responseCompressed?.value == true { context.compress(with: .gzip) }
        context.echoMetadata(reporting: request.orcaPerQueryReport)
        try request.responseStatus.check()
        var reply = GRPC.Testing.SimpleResponse()
        reply.payload = try payload(request.responseSize)
        if request.fillServerID { reply.serverID = "swiftlet" }
        return reply
    }

    private static func answer(
        _ request: GRPC.Testing.StreamingOutputCallRequest,
        _ replies: ReplyWriter<GRPC.Testing.StreamingOutputCallResponse>,
        _ context: ServerContext
    ) async throws {
        for parameters in request.responseParameters {
            if parameters.intervalUs > 0 {
                try await context.sleep(for: .microseconds(parameters.intervalUs))
            }
            try await replies.write(
                .init(payload: payload(parameters.size)),
                allowsCompression: parameters.compressed?.value == true)
        }
        try request.responseStatus.check()
    }

    private static func payload(_ byteCount: Int32) throws(RPCError) -> GRPC.Testing.Payload {
        guard (0...maxPayloadByteCount).contains(Int(byteCount)) else {
            throw RPCError(
                .invalidArgument,
                "not a payload size: \(byteCount) (expected 0–\(maxPayloadByteCount) bytes)")
        }
        return .init(body: [UInt8](repeating: 0, count: Int(byteCount)))
    }
}

extension GRPC.Testing.EchoStatus? {
    /// Throws the requested status, unless it is OK.
    fileprivate func check() throws(RPCError) {
        guard let self, self.code != 0 else { return }
        throw RPCError(StatusCode(rawValue: Int(self.code)), self.message)
    }
}

extension ServerContext {
    /// Echoes the metadata of the two names that the descriptions define, and adds the load report.
    fileprivate func echoMetadata(reporting report: GRPC.Testing.TestOrcaReport? = nil) {
        var trailers = Metadata()
        let trailing = "x-grpc-test-echo-trailing-bin"
        if let bytes = metadata.bytes(for: trailing) {
            trailers.append(bytes: bytes, for: trailing)
        }
        if let report {
            trailers.append(bytes: OrcaLoadReport(report).encoded(), for: LoadReportService.trailer)
        }
        setTrailingMetadata(trailers)
        let initial = "x-grpc-test-echo-initial"
        if let text = metadata[initial] {
            // Added without a check: an invalid value must not end the call.
            var metadata = Metadata()
            metadata.append(received: .text(text), for: initial)
            sendInitialMetadata(metadata)
        }
    }

    /// Throws INVALID_ARGUMENT unless the compression of the message agrees with the request.
    fileprivate func check(_ expected: GRPC.Testing.BoolValue?) throws(RPCError) {
        guard let expected, expected.value != lastMessageWasCompressed else { return }
        throw RPCError(
            .invalidArgument,
            expected.value
                ? "the request is not compressed, but has to be"
                : "the request is compressed, but must not be")
    }

    fileprivate func compressIfAskedTo(_ request: GRPC.Testing.StreamingOutputCallRequest) {
        if request.responseParameters.contains(where: { $0.compressed?.value == true }) {
            compress(with: .gzip)
        }
    }
}
