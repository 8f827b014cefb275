import Swiftlet
import SwiftletServices

extension InteropCase {
    /// Cases with compressed messages.
    static let compression = [
        InteropCase("client_compressed_unary") { server in
            try await server.withChannel { client in
                var request = GRPC.Testing.SimpleRequest.large
                request.expectCompressed = .init(value: true)
                try await probe { _ = try await client.unary(request) }
                try await client.unary(request) { $0.compression = .gzip }
                    .message.check("compressed", byteCount: 314_159)
                request.expectCompressed = .init(value: false)
                try await client.unary(request)
                    .message.check("uncompressed", byteCount: 314_159)
            }
        },
        InteropCase("server_compressed_unary") { server in
            try await server.withChannel { client in
                var flags: [Bool] = []
                for isCompressed in [true, false] {
                    var request = GRPC.Testing.SimpleRequest.large
                    request.responseCompressed = .init(value: isCompressed)
                    let response = try await client.unary(request)
                    try response.message.check("server_compressed_unary", byteCount: 314_159)
                    flags.append(response.wasCompressed)
                }
                try checkFlags(flags, are: [true, false])
            }
        },
        InteropCase("client_compressed_streaming") { server in
            try await server.withChannel { client in
                try await probe {
                    _ = try await client.aggregate([(27_182, true)], isCompressed: false)
                }
                let reply = try await client.aggregate(
                    [(27_182, true), (45_904, false)], isCompressed: true)
                try expect("aggregated_payload_size", reply.aggregatedPayloadSize, is: 73_086)
            }
        },
        InteropCase("server_compressed_streaming") { server in
            try await server.withChannel { client in
                var request = GRPC.Testing.StreamingOutputCallRequest()
                request.responseParameters = [
                    .init(size: 31_415, compressed: .init(value: true)),
                    .init(size: 92_653, compressed: .init(value: false)),
                ]
                let replies = try await client.channel.serverStreaming(
                    TestServiceClient.outputCall, request, options: TestServiceClient.options())
                var sizes: [Int] = []
                for try await reply in replies { sizes.append(reply.payload?.body.count ?? 0) }
                try expect("the sizes of the answers", sizes, is: [31_415, 92_653])
                let flags = replies.compressedMessages ?? 0
                try checkFlags([flags & 1 == 1, flags & 2 == 2], are: [true, false])
            }
        },
    ]

    /// Checks that the server verifies the compressed flag. If a request announces compression but is not
    /// compressed, the server must answer INVALID_ARGUMENT.
    private static func probe(_ call: () async throws -> Void) async throws {
        do {
            try await call()
        } catch let error as RPCError {
            return try expect("the status of the probe", error.code, is: .invalidArgument)
        }
        throw NotServed(reason: "the server does not check the compressed flag of requests")
    }

    /// Checks the uncompressed messages first. A wrong flag on these messages is a failure, even if the
    /// server does not support compression.
    private static func checkFlags(_ flags: [Bool], are expected: [Bool]) throws {
        for (flag, mayBeSet) in zip(flags, expected) where !mayBeSet {
            try expect("the compressed flag of an answer", flag, is: false)
        }
        guard flags == expected else {
            throw NotServed(reason: "the server does not compress when it is asked to")
        }
    }
}

extension TestServiceClient {
    /// Sends payloads of these sizes. Each request announces whether it is compressed. If `isCompressed`, the
    /// requests that announce compression are compressed. Otherwise no request is compressed.
    fileprivate func aggregate(
        _ payloads: [(byteCount: Int, expectCompressed: Bool)], isCompressed: Bool
    ) async throws -> InputResponse {
        let options = Self.options { if isCompressed { $0.compression = .gzip } }
        return try await channel.clientStreaming(Self.inputCall, options: options) { requests in
            for (byteCount, expectCompressed) in payloads {
                let request = InputRequest(
                    payload: .zeros(byteCount), expectCompressed: .init(value: expectCompressed))
                try await requests.write(request, allowsCompression: expectCompressed)
            }
        }
    }
}
