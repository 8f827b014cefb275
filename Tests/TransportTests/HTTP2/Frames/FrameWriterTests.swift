import Testing

@testable import SwiftletTransport

@Suite("A written frame")
struct FrameWriterTests {
    /// Reads one frame, which must be all of `bytes`.
    private static func read(_ bytes: [UInt8]) throws -> (FrameHeader, payload: [UInt8]) {
        var offset = 0
        let frame = try #require(try FrameReader().next(in: bytes.span, at: &offset))
        #expect(offset == bytes.count)
        return (frame.header, Array(bytes[frame.payload]))
    }

    /// Writes a frame, and returns the frame that is read from the written bytes.
    private static func copy<Frame: WritableFrame>(
        _ frame: Frame, _ read: (FrameHeader, Span<UInt8>) throws(HTTP2Error) -> Frame
    ) throws -> Frame {
        var bytes: [UInt8] = []
        frame.encode(into: &bytes)
        let (header, payload) = try Self.read(bytes)
        return try read(header, payload.span)
    }

    @Test("is read as it was written")
    func copies() throws {
        let settings = SettingsFrame([
            .init(identifier: 4, value: .max), .init(identifier: 99, value: 1),
        ])
        #expect(
            try Self.copy(settings) { header, payload throws(HTTP2Error) in
                try SettingsFrame(header, payload: payload)
            } == settings)
        let ping = PingFrame(isAck: true, opaque: 0x0102_0304_0506_0708)
        #expect(
            try Self.copy(ping) { header, payload throws(HTTP2Error) in
                try PingFrame(header, payload: payload)
            } == ping)
        let goAway = GoAwayFrame(lastStreamID: .last, code: .enhanceYourCalm, debugData: [1, 2])
        #expect(
            try Self.copy(goAway) { header, payload throws(HTTP2Error) in
                try GoAwayFrame(header, payload: payload)
            } == goAway)
        let reset = RSTStreamFrame(streamID: .firstRequest, code: .cancel)
        #expect(
            try Self.copy(reset) { header, payload throws(HTTP2Error) in
                try RSTStreamFrame(header, payload: payload)
            } == reset)
        let update = WindowUpdateFrame(streamID: .firstRequest, increment: 0x7fff_ffff)
        #expect(
            try Self.copy(update) { header, payload throws(HTTP2Error) in
                try WindowUpdateFrame(header, payload: payload)
            } == update)
        var bytes: [UInt8] = []
        ContinuationFrame(streamID: .firstRequest, endHeaders: true).encode([7].span, into: &bytes)
        let (header, payload) = try Self.read(bytes)
        #expect(header.type == .continuation && payload == [7])
        #expect(ContinuationFrame(header).endHeaders)
    }

    @Test(
        "of a header block is split at the peer's limit",
        arguments: [(0, [0]), (10, [10]), (11, [10, 1]), (20, [10, 10]), (25, [10, 10, 5])])
    func headerBlocks(byteCount: Int, pieces: [Int]) throws {
        var writer = FrameWriter()
        writer.maxPayloadByteCount = 10
        let block = (0..<byteCount).map { UInt8($0) }
        var output: [UInt8] = [1, 2, 3]
        let opening = writer.beginHeaders(on: .firstRequest, endStream: true, in: &output)
        output += block
        writer.endHeaders(opening, at: 3, in: &output)

        #expect(output.prefix(3) == [1, 2, 3])
        var offset = 3
        var found: [FrameHeader] = []
        var joined: [UInt8] = []
        while let (header, payload) = try FrameReader().next(in: output.span, at: &offset) {
            found.append(header)
            joined += output[payload]
        }
        #expect(found.map(\.payloadByteCount) == pieces && joined == block)
        #expect(found.first?.type == .headers && found.first?.flags.contains(.endStream) == true)
        #expect(found.dropFirst().allSatisfy { $0.type == .continuation })
        #expect(
            found.map { $0.flags.contains(.endHeaders) }
                == pieces.indices.map { $0 == pieces.count - 1 })
    }
}
