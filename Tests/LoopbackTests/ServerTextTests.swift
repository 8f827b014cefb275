import SwiftletCore
import Testing

@testable import SwiftletLoopback

@Suite("The texts of a server")
struct ServerTextTests {
    @Test(
        "read a time-out of at most eight digits and a unit",
        arguments: [
            ("1n", .nanoseconds(1)), ("5u", .microseconds(5)), ("7m", .milliseconds(7)),
            ("3S", .seconds(3)), ("2M", .seconds(120)), ("1H", .seconds(3_600)),
            ("99999999H", .seconds(359_999_996_400)), ("99999999n", .nanoseconds(99_999_999)),
            ("999999999n", nil), ("5", nil), ("n", nil), ("", nil), ("-1S", nil), ("+1S", nil),
            ("1s", nil), ("1 S", nil), (String(repeating: "1", count: 1 << 20), nil),
        ] as [(String, Duration?)])
    func timeout(text: String, duration: Duration?) {
        #expect(Duration(grpcTimeout: text) == duration)
    }

    @Test("encode any text as grpc-message")
    func percent() {
        let text = "\t\ntest with whitespace\r\nand Unicode BMP \u{263a} and non-BMP \u{1f608}\t\n"
        let encoded = PercentCoding.encode(grpcMessage: text)
        #expect(encoded.utf8.allSatisfy { (0x20...0x7e).contains($0) })
        #expect(PercentCoding.decode(encoded) == text)
    }

    @Test(
        "escape in grpc-message all but printable ASCII, and the percent sign",
        arguments: [
            ("50%", "50%25"), ("%41", "%2541"), ("a b", "a b"), (" ~", " ~"),
            ("\u{1f}\u{7f}", "%1F%7F"), ("\u{e9}", "%C3%A9"), ("", ""),
        ])
    func escapes(text: String, encoded: String) {
        #expect(PercentCoding.encode(grpcMessage: text) == encoded)
        #expect(PercentCoding.decode(encoded) == text)
    }
}
