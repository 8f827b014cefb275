import Swiftlet
import SwiftletLoopback
import Testing

@testable import SwiftletCLI

/// The servers of gRPC's `http2-interop-test-descriptions.md` that write their frames by hand.
@Suite("The HTTP/2 interop case", .serialized, .timeLimit(.minutes(5)))
struct InteropFrameCasesTests {
    /// The response that every large unary call of the cases requests.
    private static let answer: [UInt8] = {
        var reply = GRPC.Testing.SimpleResponse()
        reply.payload = .zeros(314_159)
        return RawPrefixed.bytes(reply.encoded())
    }()
    private static let ping = RawFrame.bytes(RawFrame.ping, Array("interop!".utf8))

    private static func frames(
        of bytes: ArraySlice<UInt8>, on stream: UInt32, size: Int, padding: Int? = nil
    ) -> [UInt8] {
        split(bytes, on: stream, size: size, padding: padding).reduce(into: []) { $0 += $1 }
    }

    private static func split(
        _ bytes: ArraySlice<UInt8>, on stream: UInt32, size: Int, padding: Int? = nil
    ) -> [[UInt8]] {
        stride(from: bytes.startIndex, to: bytes.endIndex, by: size).map { start in
            let content = bytes[start..<min(start + size, bytes.endIndex)]
            let payload =
                padding.map { [UInt8($0)] + content + Array(repeating: 0, count: $0) }
                ?? Array(content)
            return RawFrame.bytes(
                RawFrame.data, flags: padding == nil ? 0 : RawFrame.padded, stream: stream, payload)
        }
    }

    /// A server that sends headers, and then the frames that `body` returns, and ends the call with `end`.
    private static func script(
        _ body: @escaping @Sendable (UInt32) -> [UInt8],
        end: @escaping RawScript.Answer = { try $0.trailers($1) }
    ) -> RawScript {
        RawScript { connection, stream in
            try connection.headers(stream)
            try connection.send(body(stream))
            try end(connection, stream)
        }
    }

    private static let reset: RawScript.Answer = { connection, stream in
        try connection.send(RawFrame.reset(stream, 0))
    }

    /// Large enough for scripts that send DATA without regard to the client's window.
    private static let hugeWindow = 64 << 20

    private static func run(
        _ name: String, _ script: RawScript, windowByteCount: Int = hugeWindow
    ) async throws -> RawPeer {
        let peer = try RawPeer(script)
        let result = try await outcome(name, peer, windowByteCount: windowByteCount)
        #expect(result == .passed)
        return peer
    }

    private static func outcome(
        _ name: String, _ peer: RawPeer, windowByteCount: Int = hugeWindow
    ) async throws -> InteropCase.Outcome {
        var arguments = ChannelArguments()
        arguments.streamWindowByteCount = windowByteCount
        let server = InteropServer { [arguments] in
            try Channel(peer.target, credentials: .insecure, arguments: arguments)
        }
        let interopCase = try #require(InteropCase.all.first { $0.name == name })
        return await interopCase.run(against: server)
    }

    @Test("rst_after_header passes: a stream that is reset after its headers has failed")
    func resetAfterHeaders() async throws {
        var script = Self.script { _ in [] }
        script.answer = { _, _ in }
        script.answerToHeaders = { connection, stream in
            try connection.headers(stream)
            try connection.send(RawFrame.reset(stream, 0))
        }
        _ = try await Self.run("rst_after_header", script)
    }

    @Test("rst_during_data passes: half a message is not delivered")
    func resetDuringData() async throws {
        let script = Self.script(
            { Self.frames(of: Self.answer.prefix(Self.answer.count / 2), on: $0, size: 16_384) },
            end: Self.reset)
        _ = try await Self.run("rst_during_data", script)
    }

    @Test("rst_after_data passes: a message without a status is not an answer")
    func resetAfterData() async throws {
        let script = Self.script(
            { Self.frames(of: Self.answer[...], on: $0, size: 16_384) }, end: Self.reset)
        _ = try await Self.run("rst_after_data", script)
    }

    @Test("ping passes: every PING around the frames of a call is answered")
    func pings() async throws {
        let script = RawScript { connection, stream in
            try connection.send(Self.ping)
            try connection.headers(stream)
            try connection.send(Self.ping)
            try connection.send(Self.frames(of: Self.answer[...], on: stream, size: 16_384))
            try connection.send(Self.ping)
            try connection.trailers(stream)
        }
        let peer = try await Self.run("ping", script)
        // Three PINGs for each of two calls. The last one may be acknowledged after the calls end.
        try await eventually { peer.answeredPingCount >= 6 }
        #expect(peer.answeredPingCount == 6)
    }

    /// 16 MB through windows of 64 KiB. If a client does not also return the window of the padding, the
    /// response does not end.
    @Test("data_frame_padding passes: frames with five bytes and 255 bytes of padding")
    func padding() async throws {
        var script = RawScript { try $0.headers($1) }
        script.body = { Self.split(Self.answer[...], on: $0, size: 5, padding: 255) }
        _ = try await Self.run("data_frame_padding", script, windowByteCount: 65_535)
    }

    @Test("no_df_padding_sanity_test passes: frames with only five bytes")
    func noPadding() async throws {
        let script = Self.script { Self.frames(of: Self.answer[...], on: $0, size: 5) }
        _ = try await Self.run("no_df_padding_sanity_test", script)
    }

    @Test(
        "is reported as not served when the server does not send the frames of the case",
        arguments: [
            ("data_frame_padding", nil), ("no_df_padding_sanity_test", 255),
            ("no_df_padding_sanity_test", 0), ("rst_after_data", nil),
        ] as [(String, Int?)])
    func otherPart(_ name: String, padding: Int?) async throws {
        let peer = try RawPeer(
            Self.script { Self.frames(of: Self.answer[...], on: $0, size: 999, padding: padding) })
        try await expectNotServed(name, peer)
    }

    @Test("no_df_padding_sanity_test is not served by a server with larger frames")
    func largerFrames() async throws {
        let peer = try RawPeer(Self.script { Self.frames(of: Self.answer[...], on: $0, size: 6) })
        try await expectNotServed("no_df_padding_sanity_test", peer)
    }

    @Test("ping is not served by a server that sends only one PING")
    func onePing() async throws {
        var script = Self.script { Self.frames(of: Self.answer[...], on: $0, size: 16_384) }
        script.opening = { try $0.send(RawFrame.settings([]) + Self.ping) }
        try await expectNotServed("ping", try RawPeer(script))
    }

    private func expectNotServed(_ name: String, _ peer: RawPeer) async throws {
        let outcome = try await Self.outcome(name, peer)
        #expect(outcome.isNotServed, "\(outcome)")
    }
}
