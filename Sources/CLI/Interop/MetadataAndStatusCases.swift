import Swiftlet
import SwiftletServices

extension InteropCase {
    private static let initialName = "x-grpc-test-echo-initial"
    private static let initialValue = "test_initial_metadata_value"
    private static let trailingName = "x-grpc-test-echo-trailing-bin"
    private static let trailingValue: [UInt8] = [0xab, 0xab, 0xab]

    /// Cases about metadata and statuses.
    static let metadataAndStatus = [
        InteropCase("custom_metadata") { server in
            try await server.withChannel { client in
                let response = try await client.unary(.large) { addEchoes(to: &$0.metadata) }
                try response.message.check("unary", byteCount: 314_159)
                try checkEchoes("unary", response.initialMetadata, response.trailingMetadata)

                let call = try await client.duplex { addEchoes(to: &$0.metadata) }
                try call.requests.finish(with: .sized(out: 271_828, back: [314_159]))
                let initial = try await call.responses.initialMetadata
                var sizes: [Int] = []
                for try await reply in call.responses {
                    sizes.append(reply.payload?.body.count ?? 0)
                }
                try expect("full duplex: the sizes of the answers", sizes, is: [314_159])
                try checkEchoes("full duplex", initial, call.responses.trailingMetadata ?? [:])
            }
        },
        InteropCase("status_code_and_message") { server in
            try await server.withChannel { client in
                let message = "test status message"
                let echo = GRPC.Testing.EchoStatus(code: 2, message: message)
                var request = GRPC.Testing.SimpleRequest()
                request.responseStatus = echo
                let error = try await expectFailure("unary", .unknown) {
                    _ = try await client.unary(request)
                }
                try expect("unary: the message", error.message, is: message)

                let call = try await client.duplex()
                var output = GRPC.Testing.StreamingOutputCallRequest()
                output.responseStatus = echo
                try call.requests.finish(with: output)
                let end = try await expectFailure("full duplex", .unknown) {
                    for try await _ in call.responses {}
                }
                try expect("full duplex: the message", end.message, is: message)
            }
        },
        InteropCase("special_status_message") { server in
            try await server.withChannel { client in
                let message =
                    "\t\ntest with whitespace\r\nand Unicode BMP \u{263a} and non-BMP \u{1f608}\t\n"
                var request = GRPC.Testing.SimpleRequest()
                request.responseStatus = .init(code: 2, message: message)
                let error = try await expectFailure("unary", .unknown) {
                    _ = try await client.unary(request)
                }
                // Compares bytes, because equal strings may have different bytes.
                try expect("the message", Array(error.message.utf8), is: Array(message.utf8))
            }
        },
        InteropCase("unimplemented_method") { server in
            try await server.withChannel { client in
                try await client.checkUnimplemented(TestServiceClient.unimplementedCall)
            }
        },
        InteropCase("unimplemented_service") { server in
            try await server.withChannel { client in
                try await client.checkUnimplemented(TestServiceClient.unimplementedService)
            }
        },
    ]

    private static func addEchoes(to metadata: inout Metadata) {
        metadata.append(initialValue, for: initialName)
        metadata.append(bytes: trailingValue, for: trailingName)
    }

    private static func checkEchoes(
        _ what: String, _ initial: Metadata, _ trailing: Metadata
    ) throws {
        try expect("\(what): \(initialName)", initial[initialName], is: initialValue)
        try expect(
            "\(what): \(trailingName)", trailing.bytes(for: trailingName), is: trailingValue)
    }
}

extension TestServiceClient {
    fileprivate func checkUnimplemented(_ method: Method<Nothing, Nothing>) async throws {
        try await expectFailure(method.path, .unimplemented) {
            _ = try await channel.unary(method, .init(), options: Self.options())
        }
    }
}
