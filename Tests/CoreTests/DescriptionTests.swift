import Testing

@testable import SwiftletCore

@Suite("A description")
struct DescriptionTests {
    private func texts(of value: some Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        return ["\(value)", String(reflecting: value), dumped]
    }

    @Test("contains no secret, at any depth")
    func secrets() {
        let token = BearerToken.Token("s3cret", validFor: .seconds(60))
        let metadata: Metadata = ["authorization": "Bearer s3cret", "cookie": "s3cret", "a": "b"]
        let options = CallOptions.with {
            $0.metadata = metadata
            $0.credentials = BearerToken("s3cret")
        }
        var error = RPCError(.aborted, "")
        error.metadata = metadata
        var tls = TLSOptions()
        tls.privateKey = .text("s3cret")
        let values: [Any] = [
            token, [token], BearerToken("s3cret"), metadata, metadata[0], Array(metadata), options,
            error, tls,
        ]
        for value in values {
            for text in texts(of: value) { #expect(!text.contains("s3cret"), "\(text)") }
        }
        for text in texts(of: metadata) { #expect(text.contains("a: b"), "\(text)") }
    }

    @Test("of a deadline is the remaining time")
    func deadlines() {
        #expect("\(Deadline.never)" == "never")
        #expect("\(Deadline.after(.zero))" == "passed")
        let hour = "\(Deadline.after(.seconds(3_600)))"
        #expect(hour.hasPrefix("in 35"), "\(hour)")
    }

    @Test("of an error shows text of the peer on one line and cut, and keeps the text itself")
    func peerText() throws {
        let sent = "\t\ntest with whitespace\r\nand Unicode BMP ☺ and non-BMP 😈\t\n\u{1b}[31m"
        var error = try #require(RPCError(Status(.unknown, sent)))
        error.causes = ["first\nsecond", String(repeating: "x", count: 10_000)]
        error.attempts = [.init(address: "127.0.0.1:1", cause: "a\u{1b}[31mb")]
        #expect(error.message == sent)
        #expect(error.status.message == sent)
        for text in ["\(error)", "\(error.status)"] {
            #expect(text.unicodeScalars.allSatisfy { $0.value >= 0x20 }, "\(text)")
            #expect(text.contains("and Unicode BMP ☺ and non-BMP 😈"))
        }
        #expect("\(error)".contains("; first second; x"))
        #expect("\(error)".contains("; 127.0.0.1:1: a [31mb"))
        #expect("\(error)".utf8.count < 1_000)
        let long = RPCError(.unknown, String(repeating: "ü", count: 100_000))
        #expect("\(long)".utf8.count < 1_100)
    }

    @Test("of metadata shows its values on one line and cut")
    func metadataText() {
        var metadata = Metadata()
        metadata.append(received: .text("a\u{1b}[31mb"), for: "x")
        metadata.append(received: .text(String(repeating: "y", count: 10_000)), for: "y")
        metadata.append(received: .bytes([UInt8](repeating: 0, count: 10_000)), for: "z-bin")
        #expect("\(metadata)".hasPrefix("[x: a [31mb, y: yyy"))
        #expect("\(metadata)".utf8.count < 1_000)
        #expect(metadata["x"] == "a\u{1b}[31mb")
    }
}
