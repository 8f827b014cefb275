import SwiftletTransport
import Testing

@testable import SwiftletXDS

@Suite("The names of a server's certificate")
struct CertificateNamesTests {
    private static func dns(_ name: String) -> SubjectAlternativeName { .dns(Array(name.utf8)) }

    private static func names(
        _ matchers: [TextMatcher], sentName: ByteText? = nil, checksSentName: Bool = false
    ) -> CertificateNames {
        CertificateNames(
            UpstreamTLS(
                identity: nil, roots: .system, names: matchers, sni: "", sendsHostName: true,
                checksSentName: checksSentName),
            sentName: sentName)
    }

    private static func exact(_ text: String) -> TextMatcher {
        TextMatcher(pattern: .exact(Array(text.utf8)), ignoresCase: false)
    }

    @Test(
        "match a whole DNS name without case, and with a wildcard for one label",
        arguments: [
            ("a.b.c", "a.b.c", true), ("A.b.C", "a.b.c", true), ("*.b.c", "a.b.c", true),
            ("*.b.c", "x.a.b.c", false), ("*.b.c", "b.c", false), ("*.c", "b.c", false),
            ("*", "c", false), ("a*.b.c", "a1.b.c", false), ("a.b.c", "*.b.c", false),
            ("*.b.c", ".b.c", false),
        ])
    func wildcards(name: String, host: String, isAccepted: Bool) {
        let refusal = Self.names([Self.exact(host)]).refusal(of: [Self.dns(name)])
        #expect((refusal == nil) == isAccepted)
    }

    @Test("match by any of the matchers, and any kind of name as its text")
    func kinds() {
        let uri = SubjectAlternativeName.uri(Array("spiffe://mesh/payments".utf8))
        let names = Self.names([
            Self.exact("spiffe://mesh/payments"), Self.exact("10.0.0.7"), Self.exact("fd00::7"),
            TextMatcher(pattern: .suffix(Array("@mesh".utf8)), ignoresCase: true),
        ])
        #expect(names.refusal(of: [Self.dns("x"), uri]) == nil)
        #expect(names.refusal(of: [.address([10, 0, 0, 7])]) == nil)
        var six = [UInt8](repeating: 0, count: 16)
        (six[0], six[15]) = (0xfd, 7)
        #expect(names.refusal(of: [.address(six)]) == nil)
        #expect(names.refusal(of: [.email(Array("Ops@Mesh".utf8))]) == nil)
        #expect(names.refusal(of: [.address([10, 0, 0, 8]), .address([1])]) != nil)
        // A wildcard is one of DNS names alone.
        #expect(Self.names([Self.exact("a.b.c")]).refusal(of: [.uri(Array("*.b.c".utf8))]) != nil)
    }

    @Test(
        "never match if they are empty (A29)",
        arguments: [TextMatcher.Pattern.prefix([]), .suffix([])])
    func empty(pattern: TextMatcher.Pattern) {
        let names = Self.names([TextMatcher(pattern: pattern, ignoresCase: false)])
        #expect(names.refusal(of: [Self.dns("a")]) == nil)
        // An address of the wrong length has no text.
        #expect(names.refusal(of: [Self.dns(""), .uri([]), .email([]), .address([1])]) != nil)
    }

    @Test("do not count without a matcher, and must exist with one")
    func absent() {
        #expect(Self.names([]).refusal(of: []) == nil)
        #expect(
            Self.names([Self.exact("a")]).refusal(of: [])
                == "it has no name, and the control plane demands one")
        #expect(
            Self.names([Self.exact("a")]).refusal(of: [Self.dns("b\n")])?.contains("\n") == false)
    }

    @Test("must include the sent name, in place of the matchers, if the control plane says so")
    func sentName() {
        let names = Self.names([Self.exact("other")], sentName: "Host.b.c", checksSentName: true)
        #expect(names.refusal(of: [Self.dns("*.b.c")]) == nil)
        #expect(names.refusal(of: [Self.dns("other")]) != nil)
        // A101: "using exact DNS matcher".
        #expect(names.refusal(of: [.uri(Array("host.b.c".utf8))]) != nil)
        let address = Self.names([], sentName: "10.0.0.1", checksSentName: true)
        #expect(address.refusal(of: [.address([10, 0, 0, 1])]) != nil)
        let unsent = Self.names([Self.exact("other")], checksSentName: true)
        #expect(unsent.refusal(of: [Self.dns("other")]) == nil)
    }
}
