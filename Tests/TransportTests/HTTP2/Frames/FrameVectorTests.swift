import Foundation
import Testing

@testable import SwiftletTransport

/// The public collection of frames, in a folder beside the checkout.
@Suite("The public frames")
struct FrameVectorTests {
    private struct Vector: Decodable {
        struct Frame: Decodable {
            var length: Int
            var flags: UInt8
            var stream_identifier: UInt32
            var type: UInt8
        }
        var error: [UInt32]?
        var wire: String
        var frame: Frame?
    }

    private static let files: [URL] = {
        let folder = URL(filePath: #filePath).appending(
            path: "../../../../../../shared/vectors/frames"
        )
        .standardized
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        return (files?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "json" }
    }()

    @Test(
        "are read correctly, or refused with one of the allowed codes",
        .enabled(if: !files.isEmpty, "skipped: there is no folder shared/vectors/frames"))
    func vectors() throws {
        for file in Self.files {
            let vector = try JSONDecoder().decode(Vector.self, from: Data(contentsOf: file))
            let bytes = Self.bytes(hex: vector.wire)
            var thrown: HTTP2Error?
            do throws(HTTP2Error) { try Self.read(bytes, vector.frame) } catch { thrown = error }
            if let codes = vector.error {
                let code = try #require(thrown?.code.rawValue, "\(file.lastPathComponent)")
                #expect(codes.contains(code), "\(file.lastPathComponent)")
            } else {
                #expect(thrown == nil, "\(file.lastPathComponent)")
            }
        }
    }

    private static func read(_ bytes: [UInt8], _ expected: Vector.Frame?) throws(HTTP2Error) {
        var offset = 0
        guard let (header, range) = try FrameReader().next(in: bytes.span, at: &offset) else {
            throw .connection(.internalError, "no whole frame")
        }
        if let expected {
            #expect(header.payloadByteCount == expected.length)
            #expect(header.flags.rawValue == expected.flags)
            #expect(header.streamID.rawValue == expected.stream_identifier)
            #expect(header.type.rawValue == expected.type)
        }
        let payload = bytes.span.extracting(range)
        switch header.type {
        case .data: _ = try DataFrame(header, payload: payload)
        case .headers: _ = try HeadersFrame(header, payload: payload)
        case .priority: try PriorityFrame.check(header, payload: payload)
        case .rstStream: _ = try RSTStreamFrame(header, payload: payload)
        case .settings: _ = try SettingsFrame(header, payload: payload)
        case .pushPromise: _ = try PushPromiseFrame(header, payload: payload)
        case .ping: _ = try PingFrame(header, payload: payload)
        case .goAway: _ = try GoAwayFrame(header, payload: payload)
        case .windowUpdate: _ = try WindowUpdateFrame(header, payload: payload)
        default: break
        }
    }

    private static func bytes(hex: String) -> [UInt8] {
        let digits = hex.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count - 1, by: 2).map {
            UInt8(digits[$0] << 4 | digits[$0 + 1])
        }
    }
}
