import Swiftlet
import SwiftletServices

/// The methods of the benchmark service, and the request that all calls send.
struct ClientMethods: Sendable {
    typealias Request = GRPC.Testing.SimpleRequest
    typealias Reply = GRPC.Testing.SimpleResponse

    let unary = Method<Request, Reply>("/grpc.testing.BenchmarkService/UnaryCall", .unary)
    let stream = Method<Request, Reply>(
        "/grpc.testing.BenchmarkService/StreamingCall", .bidirectional)
    let fromServer = Method<Request, Reply>(
        "/grpc.testing.BenchmarkService/StreamingFromServer", .serverStreaming)
    let fromClient = Method<Request, Reply>(
        "/grpc.testing.BenchmarkService/StreamingFromClient", .clientStreaming)

    let request: Request
    private let responseByteCount: Int

    init(_ arguments: ClientArguments) {
        var request = Request()
        request.responseSize = Int32(clamping: arguments.responseByteCount)
        if arguments.requestByteCount > 0 {
            request.payload = GRPC.Testing.Payload(
                body: [UInt8](repeating: 0x78, count: arguments.requestByteCount))
        }
        self.request = request
        responseByteCount = arguments.responseByteCount
    }

    /// Throws when a response does not have the requested size.
    func check(_ reply: Reply) throws {
        let byteCount = reply.payload?.body.count ?? 0
        guard byteCount == responseByteCount else {
            throw RPCError(
                .dataLoss, "an answer of \(byteCount) bytes instead of \(responseByteCount)")
        }
    }
}
