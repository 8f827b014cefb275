import Testing

@testable import SwiftletTransport

@Suite("A reason of OpenSSL")
struct OpenSSLReasonTests {
    /// The code of an error of libssl.
    private static func reason(_ number: CUnsignedLong, _ text: String = "text") -> OpenSSLReason {
        OpenSSLReason(code: .init(packed: 20 << 23 | number, isVersion3: true), text: text)
    }

    @Test(
        "is unpacked as its version of OpenSSL packs it",
        arguments: [
            // "wrong version number" and "no start line", as `openssl errstr` of both versions knows them.
            (0x0a00_010b as CUnsignedLong, true, 20 as CUnsignedLong, 267 as CUnsignedLong),
            (0x1408_f10b, false, 20, 267), (0x0480_006c, true, 9, 108),
            (0x0909_006c, false, 9, 108),
        ])
    func unpacking(
        packed: CUnsignedLong, isVersion3: Bool, library: CUnsignedLong, number: CUnsignedLong
    ) {
        let code = OpenSSLReason.Code(packed: packed, isVersion3: isVersion3)
        #expect(code.library == library && code.number == number)
        #expect((code == .noStartLine) == (number == 108))
    }

    @Test("is identified by its number and not by its text")
    func failures() {
        let notTLS = TLSError(handshake: Self.reason(267, "in other words"))
        #expect(
            notTLS == TLSError(.handshake, "the peer does not speak TLS (in other words)"))
        let misleading = TLSError(handshake: Self.reason(1, "wrong version number"))
        #expect(misleading == TLSError(.handshake, "wrong version number"))
        #expect(TLSError(handshake: Self.reason(199)).kind == .certificate)
        #expect(TLSError(handshake: Self.reason(235)).kind == .applicationProtocol)
        #expect(TLSError(handshake: .missing).kind == .truncated)
        let other = OpenSSLReason(
            code: .init(packed: 9 << 23 | 267, isVersion3: true), text: "of another library")
        #expect(TLSError(handshake: other) == TLSError(.handshake, "of another library"))
    }

    @Test(
        "names the peer's alert",
        arguments: [
            (48 as CUnsignedLong, "the peer refused: unknown ca"),
            (116, "the peer refused: certificate required"),
            (99, "the peer refused: alert 99"),
        ])
    func alerts(number: CUnsignedLong, message: String) {
        #expect(TLSError(handshake: Self.reason(1000 + number)) == TLSError(.handshake, message))
    }

    @Test("is an unsupported protocol for the alert no_application_protocol")
    func noApplicationProtocol() {
        #expect(TLSError(handshake: Self.reason(1120)).kind == .applicationProtocol)
    }
}
