import Testing

@testable import SwiftletTransport

@Suite("The rules for header lists (RFC 9113 §8.2, §8.3)")
struct HeaderRulesTests {
    private static let request = [(":method", "POST"), (":scheme", "http"), (":path", "/a")]

    @Test("accept a valid list, from the wire and from this side")
    func good() throws {
        let lists: [([(String, String)], HeaderRules.Kind)] = [
            (Self.request + [(":authority", "a"), ("te", "trailers"), ("x", "a b\tc")], .request),
            ([(":method", "CONNECT"), (":authority", "a:1")], .request),
            ([(":status", "200"), ("x", ""), ("y", "\u{e9}")], .response),
            ([("grpc-status", "0")], .trailers),
            ([], .trailers),
        ]
        for (pairs, kind) in lists {
            try HeaderRules.check(HeaderList(pairs), as: kind)
            var encoder = HPACK.Encoder()
            var decoder = HPACK.Decoder()
            for _ in 0..<2 {
                var output: [UInt8] = []
                encoder.encode(PreparedHeaders(HeaderList(pairs)), into: &output)
                try HeaderRules.check(try decoder.list(output), as: kind)
            }
        }
    }

    @Test(
        "name the rule that an invalid list breaks",
        arguments: [
            ([(":status", "200"), ("X", "a")], .response, .badName),
            ([(":status", "200"), ("", "a")], .response, .badName),
            ([(":status", "200"), ("a b", "a")], .response, .badName),
            ([(":status", "200"), ("a:", "a")], .response, .badName),
            ([(":status", "200"), ("\u{e9}", "a")], .response, .badName),
            ([(":status", "200"), ("a", "a\0")], .response, .badValue),
            ([(":status", "200"), ("a", "a\nb")], .response, .badValue),
            ([(":status", "200"), ("a", "a\rb")], .response, .badValue),
            ([(":status", " 200")], .response, .badStatus),
            ([(":status", "200"), ("connection", "close")], .response, .connectionSpecific),
            ([("keep-alive", "1")], .trailers, .connectionSpecific),
            ([("proxy-connection", "1")], .trailers, .connectionSpecific),
            ([("transfer-encoding", "chunked")], .trailers, .connectionSpecific),
            ([("upgrade", "h2c")], .trailers, .connectionSpecific),
            (request + [("te", "gzip")], .request, .teOtherThanTrailers),
            ([(":status", "20")], .response, .badStatus),
            ([(":status", "2xx")], .response, .badStatus),
            ([(":status", "099")], .response, .badStatus),
            ([(":status", "2000")], .response, .badStatus),
            ([(":method", "POST"), (":scheme", "http"), (":path", "")], .request, .emptyPath),
            ([(":status", "200"), (":status", "200")], .response, .repeatedPseudoHeader),
            ([(":method", "GET")] + request, .request, .repeatedPseudoHeader),
            (
                [(":method", "CONNECT"), (":method", "GET"), (":authority", "a")], .request,
                .repeatedPseudoHeader
            ),
            ([("a", "b"), (":status", "200")], .response, .misplacedPseudoHeader),
            ([(":status", "200"), (":thing", "b")], .response, .unknownPseudoHeader),
            ([(":status", "200"), (":path", "/")], .response, .pseudoHeaderOfOtherKind),
            (request + [(":status", "200")], .request, .pseudoHeaderOfOtherKind),
            ([(":status", "200")], .trailers, .pseudoHeaderOfOtherKind),
            (
                [(":method", "CONNECT"), (":path", "/"), (":authority", "a")], .request,
                .pseudoHeaderOfOtherKind
            ),
            ([("a", "b")], .response, .missingPseudoHeader),
            ([(":method", "GET"), (":path", "/")], .request, .missingPseudoHeader),
            ([(":method", "CONNECT")], .request, .missingPseudoHeader),
        ] as [([(String, String)], HeaderRules.Kind, HeaderRules.Violation)])
    func bad(
        pairs: [(String, String)], kind: HeaderRules.Kind, violation: HeaderRules.Violation
    ) throws {
        #expect(throws: violation) { try HeaderRules.check(HeaderList(pairs), as: kind) }
        #expect(violation.description.contains(" "))
        var encoder = HPACK.Encoder()
        var decoder = HPACK.Decoder()
        var output: [UInt8] = []
        encoder.encode(PreparedHeaders(HeaderList(pairs)), into: &output)
        let list = try decoder.list(output)
        #expect(throws: violation) { try HeaderRules.check(list, as: kind) }
    }

    @Test("give the status of a response")
    func status() {
        #expect(HeaderRules.status(of: HeaderList([(":status", "404"), ("a", "b")])) == 404)
        #expect(HeaderRules.status(of: HeaderList([("a", "b")])) == nil)
        #expect(HeaderRules.status(of: HeaderList()) == nil)
    }
}
