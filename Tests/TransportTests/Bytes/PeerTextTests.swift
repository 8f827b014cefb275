import Testing

@testable import SwiftletTransport

@Suite("Text that a peer chose")
struct PeerTextTests {
    @Test(
        "is one line without characters that control a terminal",
        arguments: [
            ("plain words", "plain words"),
            ("grüße 👋", "grüße 👋"),
            ("", ""),
            ("two\r\nlines", "two  lines"),
            ("red \u{1b}[31m", "red  [31m"),
            ("tab\tnul\0del\u{7f}", "tab nul del "),
            ("C1 \u{9b}31m", "C1  31m"),
            ("\u{202e}backwards", " backwards"),
            ("\u{2028}line\u{2029}", " line "),
        ])
    func cleaned(text: String, shown: String) {
        #expect(PeerText.clean(text) == shown)
        #expect(PeerText.clean(Array(text.utf8)) == shown)
    }

    @Test("is cut at a limit of bytes, between two characters")
    func cut() {
        #expect(PeerText.clean("12345", upTo: 5) == "12345")
        #expect(PeerText.clean("123456", upTo: 5) == "12345…")
        #expect(PeerText.clean("1234ü", upTo: 5) == "1234…")
        #expect(PeerText.clean(Array("123456".utf8), upTo: 5) == "12345…")
        // One character of many scalars.
        let tower = "a" + String(repeating: "\u{301}", count: 1_000_000)
        #expect(PeerText.clean(tower).utf8.count <= PeerText.maxByteCount + 3)
    }

    @Test("of a GOAWAY is cleaned and cut where it is described")
    func goAway() {
        let bytes = Array("quota\n\u{1b}[2J".utf8)
        let frame = GoAwayFrame(lastStreamID: .connection, code: .noError, debugData: bytes)
        #expect("\(frame)" == "GOAWAY NO_ERROR \"quota  [2J\"")
        #expect(frame.debugData == bytes)
        let long = GoAwayFrame(
            lastStreamID: .connection, code: .noError,
            debugData: [UInt8](repeating: 0x61, count: 1_000))
        #expect("\(long)".utf8.count < 300)
    }

    @Test(
        "of a certificate is cleaned in the error that names it",
        .enabled(if: TLSFixtures.isAvailable, "OpenSSL is not installed"))
    func certificate() throws {
        var stranger = try TLSPair.between(and: TLSFixtures.server("hostile"))
        let unknown = #expect(throws: TLSError.self) { try stranger.handshake() }
        #expect(
            unknown?.message
                == "unknown certificate authority Evil  [31m authority: "
                + "unable to get local issuer certificate")
        var known = try TLSPair.between(
            TLSFixtures.client {
                $0.trust = .authorities(.file(TLSFixtures.path("hostile-ca.pem")))
            },
            and: TLSFixtures.server("hostile"))
        let other = #expect(throws: TLSError.self) { try known.handshake() }
        #expect(
            other?.message.hasPrefix(
                "host name mismatch: certificate is for evil [31m.example, a0.")
                == true)
        #expect(other?.message.hasSuffix("…, not for localhost") == true)
        #expect((other?.message.utf8.count ?? 0) < 400)
    }

    @Test(
        "keeps the newlines and tabs of a text of several lines, and nothing that controls a terminal"
    )
    func lines() {
        let text = "a\tb\n\u{1b}]0;x\u{7}\u{9b}2J\u{202e}ü\r\n"
        #expect(PeerText.cleanLines(text) == "a\tb\n ]0;x  2J ü \n")
        #expect(PeerText.cleanLines("plain\n") == "plain\n")
    }
}
