import Testing

@testable import SwiftletTransport

@Suite("The description of frames")
struct FrameTraceTests {
    /// The lines for bytes that arrive in pieces of this size.
    private static func lines(
        _ bytes: [UInt8], pieces: Int = .max, hasPreface: Bool = false
    ) -> [String] {
        var trace = FrameTrace(hasPreface: hasPreface)
        var lines: [String] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            trace.read(Array(rest.prefix(pieces)).span) { lines.append($0) }
            rest = rest.dropFirst(pieces)
        }
        return lines
    }

    private static func frame(
        _ type: UInt8, _ flags: UInt8 = 0, stream: UInt8 = 0, _ payload: [UInt8] = []
    ) -> [UInt8] {
        [0, UInt8(payload.count >> 8), UInt8(payload.count & 255), type, flags, 0, 0, 0, stream]
            + payload
    }

    private static let cases: [([UInt8], String)] = [
        (frame(0, 1, stream: 3, [1, 2, 3]), "DATA stream 3, 3 bytes, END_STREAM"),
        (frame(0, 8, stream: 3), "DATA stream 3, 0 bytes, PADDED"),
        (frame(1, 5, stream: 1, [0x82]), "HEADERS stream 1, 1 bytes, END_STREAM, END_HEADERS"),
        (frame(9, 4, stream: 1, [0x82]), "CONTINUATION stream 1, 1 bytes, END_HEADERS"),
        (frame(3, stream: 5, [0, 0, 0, 8]), "RST_STREAM stream 5, CANCEL"),
        (frame(3, stream: 5, [0]), "RST_STREAM stream 5, 1 bytes"),
        (frame(4), "SETTINGS, 0 bytes"), (frame(4, 1), "SETTINGS, 0 bytes, ACK"),
        (
            frame(4, 0, [0, 3, 0, 0, 0, 100, 0, 9, 0, 0, 0, 1]),
            "SETTINGS, MAX_CONCURRENT_STREAMS 100, setting 9 1"
        ),
        (frame(6, 1, [0, 0, 0, 0, 0, 0, 1, 2]), "PING, 0x102, ACK"),
        (
            frame(7, 0, [0, 0, 0, 5, 0, 0, 0, 11] + Array("a\nb".utf8)),
            "GOAWAY, last stream 5, ENHANCE_YOUR_CALM, \"a b\""
        ),
        (frame(8, stream: 1, [0, 0, 1, 0]), "WINDOW_UPDATE stream 1, increment 256"),
        (frame(200, 255, stream: 1, [1]), "frame of type 200 stream 1, 1 bytes"),
    ]

    @Test("is one line for each, in any division of the bytes", arguments: [1, 2, 7, 10, .max])
    func division(pieces: Int) {
        let bytes = Self.cases.flatMap(\.0)
        let lines = Self.lines(bytes, pieces: pieces)
        #expect(lines.count == Self.cases.count)
        for (line, expected) in zip(lines, Self.cases.map(\.1)) {
            #expect(line == expected)
        }
    }

    @Test("begins with the client's preface where there is one")
    func preface() {
        let bytes = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + Self.frame(4)
        #expect(
            Self.lines(bytes, pieces: 5, hasPreface: true) == [
                "client preface", "SETTINGS, 0 bytes",
            ])
    }

    @Test("does not wait for a payload that may never come")
    func early() {
        #expect(Self.lines([0xff, 0xff, 0xff, 4, 0, 0, 0, 0, 0]) == ["SETTINGS, 16777215 bytes"])
        #expect(Self.lines([0, 0, 9, 0, 0, 0, 0, 0, 1]) == ["DATA stream 1, 9 bytes"])
        #expect(Self.lines([0, 0, 8, 6, 0, 0, 0, 0, 0, 1]).isEmpty)
    }
}
