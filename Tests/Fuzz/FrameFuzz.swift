// fuzz-modules: Transport

// A libFuzzer target for the parsers of frames; `Tests/Fuzz/run` builds it.

@testable import SwiftletTransport

/// Cuts one input into frames and reads each of them.
///
/// libFuzzer keeps `bytes` alive for this call, and `count` bounds them.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFrames(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    FrameFuzz.run(unsafe Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}

enum FrameFuzz {
    static func run(_ input: [UInt8]) {
        let reader = FrameReader()
        var assembler = HeaderBlockAssembler(maxByteCount: 1 << 12, maxEmptyCount: 8)
        var offset = 0
        do throws(HTTP2Error) {
            while let (header, range) = try reader.next(in: input.span, at: &offset) {
                precondition(range.count == header.payloadByteCount && range.upperBound == offset)
                do throws(HTTP2Error) {
                    try assembler.admit(header)
                    try read(header, input.span.extracting(range), &assembler)
                } catch {
                    precondition(!error.message.isEmpty)
                }
            }
        } catch {
            precondition(error.code == .frameSizeError)
        }
        precondition(offset <= input.count)
    }

    private static func read(
        _ header: FrameHeader, _ payload: Span<UInt8>, _ assembler: inout HeaderBlockAssembler
    ) throws(HTTP2Error) {
        var written: [UInt8] = []
        switch header.type {
        case .data:
            let frame = try DataFrame(header, payload: payload)
            precondition(frame.content.upperBound <= payload.count)
        case .headers:
            let frame = try HeadersFrame(header, payload: payload)
            let opening = HeaderBlockAssembler.Opening(
                streamID: frame.streamID, endStream: frame.endStream)
            if !frame.endHeaders {
                try assembler.begin(opening, payload.extracting(frame.fragment))
            }
        case .continuation:
            _ = try assembler.continue(ContinuationFrame(header), payload)
        case .priority:
            try PriorityFrame.check(header, payload: payload)
        case .rstStream:
            try RSTStreamFrame(header, payload: payload).encode(into: &written)
        case .settings:
            let frame = try SettingsFrame(header, payload: payload)
            frame.encode(into: &written)
            var settings = Settings()
            try settings.apply(frame.entries)
        case .pushPromise:
            _ = try PushPromiseFrame(header, payload: payload)
        case .ping:
            try PingFrame(header, payload: payload).encode(into: &written)
        case .goAway:
            try GoAwayFrame(header, payload: payload).encode(into: &written)
        case .windowUpdate:
            try WindowUpdateFrame(header, payload: payload).encode(into: &written)
        default:
            break
        }
        precondition(written.count <= FrameHeader.byteCount + payload.count)
    }
}
