import Swiftlet
import SwiftletServices

/// A call of each shape to `grpc.testing.TestService`, which servers in all languages have.
enum FaultyCall: Int, CaseIterable {
    case unary, fromClient, fromServer, both

    private typealias Output = GRPC.Testing.StreamingOutputCallRequest
    private typealias Input = GRPC.Testing.StreamingInputCallRequest

    private static let unaryCall = Method<
        GRPC.Testing.SimpleRequest, GRPC.Testing.SimpleResponse
    >("/grpc.testing.TestService/UnaryCall", .unary)
    private static let inputCall = Method<Input, GRPC.Testing.StreamingInputCallResponse>(
        "/grpc.testing.TestService/StreamingInputCall", .clientStreaming)
    private static let outputCall = Method<Output, GRPC.Testing.StreamingOutputCallResponse>(
        "/grpc.testing.TestService/StreamingOutputCall", .serverStreaming)
    private static let duplexCall = Method<Output, GRPC.Testing.StreamingOutputCallResponse>(
        "/grpc.testing.TestService/FullDuplexCall", .bidirectional)
    private static let sizes: [Int32] = [10, 20, 30]

    init(_ number: Int) { self = Self.allCases[number % Self.allCases.count] }

    /// Makes the call. Throws its error, or a ``Failure`` when the response is wrong.
    func make(on channel: Channel) async throws {
        let sizes =
            switch self {
            case .unary: try await unary(channel)
            case .fromClient: try await fromClient(channel)
            case .fromServer: try await fromServer(channel)
            case .both: try await both(channel)
            }
        let expected =
            switch self {
            case .unary: Array(Self.sizes.suffix(1))
            case .fromClient: [Self.sizes.reduce(0, +)]
            case .fromServer, .both: Self.sizes
            }
        guard sizes == expected else { throw Failure("wrong sizes \(sizes)") }
    }

    private func unary(_ channel: Channel) async throws -> [Int32] {
        let size = Self.sizes.last ?? 0
        let response = try await channel.unary(Self.unaryCall, .with { $0.responseSize = size })
        return [Int32(response.payload?.body.count ?? 0)]
    }

    private func fromClient(_ channel: Channel) async throws -> [Int32] {
        let response = try await channel.clientStreaming(Self.inputCall) { writer in
            for size in Self.sizes {
                let body = [UInt8](repeating: 7, count: Int(size))
                try await writer.write(.with { $0.payload = GRPC.Testing.Payload(body: body) })
            }
        }
        return [response.aggregatedPayloadSize]
    }

    private func fromServer(_ channel: Channel) async throws -> [Int32] {
        let request = Output.with {
            $0.responseParameters = Self.sizes.map { size in .with { $0.size = size } }
        }
        var sizes: [Int32] = []
        for try await response in try await channel.serverStreaming(Self.outputCall, request) {
            sizes.append(Int32(response.payload?.body.count ?? 0))
        }
        return sizes
    }

    private func both(_ channel: Channel) async throws -> [Int32] {
        try await channel.bidirectional(Self.duplexCall) { writer in
            for size in Self.sizes {
                try await writer.write(
                    .with { $0.responseParameters = [.with { $0.size = size }] })
            }
        } responses: { responses in
            var sizes: [Int32] = []
            for try await response in responses {
                sizes.append(Int32(response.payload?.body.count ?? 0))
            }
            return sizes
        }
    }
}
