import Swiftlet
import SwiftletTransport

extension InteropCase {
    /// Cases with servers that test the client's HTTP/2 (`doc/http2-interop-test-descriptions.md`).
    /// Each case needs its own kind of server. Against another server, a wrong client would pass,
    /// so each case also checks the frames that the server sent.
    static let negative = [
        own("goaway") { client, settings in
            try await client.checkLargeUnary()
            // The GOAWAY arrives before the first response or directly after it.
            try await Task.sleep(for: settings.pauseBetweenCalls)
            try need(client.channel.counts.traffic.goAways > 0, "the server sends no GOAWAY")
            try await client.checkLargeUnary()
            guard client.channel.counts.connectionCount > 1 else {
                throw CaseFailure(reason: "the second call used the connection with the GOAWAY")
            }
        },
        reset("rst_after_header"),
        reset("rst_during_data"),
        reset("rst_after_data"),
        own("ping") { client, _ in
            // Servers may send PINGs when DATA arrives, to measure the bandwidth. This case sends
            // little DATA, so at most one such PING is expected.
            _ = try await client.unary(.sized(out: 0, back: 314_159))
            try need(
                client.channel.counts.traffic.pings > 1,
                "the server sends no PINGs around the frames of an answer")
            try await client.checkLargeUnary()
        },
        own("max_streams") { client, settings in
            try await client.checkLargeUnary()
            let limit = client.channel.counts.streamLimit
            try await client.checkAtOnce(settings.concurrentCallsOfMaxStreams)
            try checkStreams(
                client.channel.counts.mostStreamCount, limit: limit,
                callCount: settings.concurrentCallsOfMaxStreams)
        },
        own("data_frame_padding") { client, _ in
            try await client.checkLargeUnary()
            let byteCount = client.channel.counts.traffic.paddingBytes
            try need(
                byteCount >= 314_159 / 5 * 256,
                "the server does not pad every 5 bytes with 255 bytes: it sent \(byteCount) bytes of padding"
            )
        },
        own("no_df_padding_sanity_test") { client, _ in
            try await client.checkLargeUnary()
            let counts = client.channel.counts
            try need(counts.traffic.paddingBytes == 0, "the server sends padding")
            try need(
                counts.traffic.dataFrames >= 314_159 / 5,
                "the server does not send 5 bytes in each frame: it sent \(counts.traffic.dataFrames) frames"
            )
        },
    ]

    /// A case with a server that has only the method `UnaryCall`.
    private static func own(
        _ name: String,
        _ body: @escaping @Sendable (TestServiceClient, InteropServer.Settings) async throws -> Void
    ) -> InteropCase {
        InteropCase(name, peer: .ownServer) { server in
            try await server.withChannel { client in
                try await served(TestServiceClient.unaryCall.path) {
                    try await body(client, server.settings)
                }
            }
        }
    }

    /// A stream that is reset at any point must not be reported as a success.
    private static func reset(_ name: String) -> InteropCase {
        own(name) { client, _ in
            do {
                _ = try await client.unary(.large)
            } catch let error as RPCError where error.code != .unimplemented {
                guard error.message.hasPrefix("the server reset the stream") else {
                    throw CaseFailure(reason: "the stream was not reset: \(error)")
                }
                return
            }
            try need(client.channel.counts.traffic.resets > 0, "the server resets no stream")
            throw CaseFailure(reason: "the call succeeded on a stream that was reset")
        }
    }

    /// - Parameter streamCount: The largest count of streams that were open at the same time.
    static func checkStreams(_ streamCount: Int, limit: Int?, callCount: Int) throws {
        guard let limit, limit < callCount else {
            throw NotServed(
                reason: "the server does not limit streams to fewer than \(callCount)")
        }
        guard streamCount <= limit else {
            throw CaseFailure(reason: "\(streamCount) streams were open; the limit is \(limit)")
        }
    }

    private static func need(_ isSo: Bool, _ otherwise: String) throws {
        guard isSo else { throw NotServed(reason: otherwise) }
    }
}
