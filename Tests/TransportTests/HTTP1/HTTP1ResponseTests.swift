import SwiftletHTTP1
import SwiftletTransport
import Testing

@Suite("A response of HTTP/1.1")
struct HTTP1ResponseTests {
    struct Case: CustomTestStringConvertible {
        var testDescription: String
        var text: String
        var method = "GET"
        var body = ""
        var trailers: [String] = []
        var lastLine = ":status: 200"
    }

    static let legal = [
        Case(
            testDescription: "with a length", text: "HTTP/1.1 200 OK\nContent-Length: 5\n\nhello",
            body: "hello", lastLine: "content-length: 5"),
        Case(
            testDescription: "without a reason", text: "HTTP/1.1 200 \nContent-Length:0\n\n",
            lastLine: "content-length: 0"),
        Case(testDescription: "without a blank for the reason", text: "HTTP/1.1 200\n\n"),
        Case(
            testDescription: "that ends with the connection",
            text: "HTTP/1.0 200 OK\nX-A: \t b c \t\n\nall of it", body: "all of it",
            lastLine: "x-a: b c"),
        Case(
            testDescription: "in chunks with extensions and trailers",
            text: """
                HTTP/1.1 200 OK
                Transfer-Encoding: Chunked

                5;a=b
                hello
                00006 ; c="d"
                 world
                0
                X-Sum: 11


                """, body: "hello world", trailers: ["x-sum: 11"]),
        Case(
            testDescription: "to HEAD, whatever its length says",
            text: "HTTP/1.1 200 OK\nContent-Length: 5\n\n", method: "HEAD",
            lastLine: "content-length: 5"),
        Case(
            testDescription: "204, whatever its length says",
            text: "HTTP/1.1 204 No Content\nContent-Length: 5\n\n",
            lastLine: "content-length: 5"),
        Case(
            testDescription: "304, whatever its coding says",
            text: "HTTP/1.1 304 Not Modified\nTransfer-Encoding: chunked\n\n",
            lastLine: ":status: 304"),
        Case(
            testDescription: "behind interim responses",
            text: """
                HTTP/1.1 100 Continue

                HTTP/1.1 103 Early Hints
                Link: </a>

                HTTP/1.1 200 OK
                Content-Length: 1

                x
                """, body: "x", lastLine: "content-length: 1"),
    ]

    @Test("is read the same in any split", arguments: legal)
    func anySplit(_ sample: Case) {
        let bytes = wire(sample.text)
        let whole = HTTP1Trace.responses([bytes], to: [sample.method])
        #expect(whole.error == nil)
        #expect(whole.messages.count == 1)
        #expect(whole.messages.first?.isComplete == true)
        #expect(whole.messages.first?.body == Array(sample.body.utf8))
        #expect(whole.messages.first?.trailers == sample.trailers)
        #expect(whole.messages.first?.head.last == sample.lastLine)
        for pieces in splits(of: bytes) {
            #expect(HTTP1Trace.responses(pieces, to: [sample.method]) == whole)
        }
    }

    static let illegal: [(text: String, error: String)] = [
        ("HTTP/1.1 200 OK\nContent-Length: 5\nContent-Length: 5\n\nhello", "more than one"),
        ("HTTP/1.1 200 OK\nContent-Length: 5, 5\n\nhello", "not a content-length"),
        ("HTTP/1.1 200 OK\nContent-Length: +5\n\nhello", "not a content-length"),
        ("HTTP/1.1 200 OK\nContent-Length: 99999999999999999999\n\n", "not a content-length"),
        ("HTTP/1.1 200 OK\nContent-Length: 5\nTransfer-Encoding: chunked\n\n0\n\n", "both"),
        ("HTTP/1.1 200 OK\nTransfer-Encoding: gzip, chunked\n\n", "is not supported"),
        (
            "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\nTransfer-Encoding: chunked\n\n",
            "more than"
        ),
        ("HTTP/1.0 200 OK\nTransfer-Encoding: chunked\n\n0\n\n", "HTTP/1.0"),
        ("HTTP/1.1 200 OK\nA : b\n\n", "the name of a field"),
        ("HTTP/1.1 200 OK\nA: b\n c\n\n", "the name of a field"),
        ("HTTP/1.1 200 OK\nA\n\n", "no name or no colon"),
        ("HTTP/1.1 200 OK\n: b\n\n", "no name or no colon"),
        ("HTTP/1.1 200 OK\nA: b\u{0}c\n\n", "control character"),
        ("HTTP/1.1 2000 OK\n\n", "not a status line"),
        ("HTTP/2.0 200 OK\n\n", "the version"),
        ("HTTP/1.1 101 Switching Protocols\n\n", "another protocol"),
        ("ICY 200 OK\n\n", "not a status line"),
        ("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\nx\n", "not the size"),
        ("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n-1\n", "not the size"),
        ("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n0x5\nhello\n0\n\n", "not the size"),
        ("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\nfffffffffffffffff\n", "not the size"),
        ("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n5\nhello!\n0\n\n", "followed by CRLF"),
        (
            "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n0\nContent-Length: 5\n\n",
            "belongs into the head"
        ),
    ]

    @Test("that breaks a rule of framing is refused, in any split", arguments: illegal)
    func refusals(text: String, error: String) throws {
        let bytes = wire(text)
        for pieces in splits(of: bytes) {
            let trace = HTTP1Trace.responses(pieces)
            let message = try #require(trace.error, "\(text) was accepted")
            #expect(message.contains(error))
        }
    }

    @Test(
        "whose lines end in bare CR or LF is refused",
        arguments: ["HTTP/1.1 200 OK\n\n", "HTTP/1.1 200 OK\r\nA: b\n\r\n", "HTTP/1.1 200\rOK\r\n"])
    func lineEnds(text: String) {
        #expect(HTTP1Trace.responses([Array(text.utf8)]).error != nil)
    }

    @Test(
        "that is cut off is an error and never a shorter body",
        arguments: [
            "", "HTTP/1.1 2", "HTTP/1.1 200 OK\nContent-Length: 5\n", "HTTP/1.1 100 Continue\n\n",
            "HTTP/1.1 200 OK\nContent-Length: 5\n\nhell",
            "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n5\nhello\n",
            "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n5\nhello\n0\n",
        ])
    func truncation(text: String) {
        let trace = HTTP1Trace.responses([wire(text)])
        #expect(trace.error?.hasPrefix("the peer closed the connection") == true)
        #expect(trace.messages.allSatisfy { !$0.isComplete })
    }

    @Test("is not followed by another that was not asked for")
    func splitting() {
        let twice = "HTTP/1.1 200 OK\nContent-Length: 0\n\n"
        #expect(HTTP1Trace.responses([wire(twice + twice)]).error?.contains("no response") == true)
        #expect(HTTP1Trace.responses([wire(twice + twice)], to: ["GET", "GET"]).error == nil)
    }

    @Test("cannot be endless: each line, the list, the extensions and interim heads have a limit")
    func limits() {
        let chunked = "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n"
        let attacks = [
            "HTTP/1.1 200 " + String(repeating: "a", count: 9_000),
            "HTTP/1.1 200 OK\n" + String(repeating: "a:\n", count: 3_000),
            "HTTP/1.1 200 OK\nA: " + String(repeating: "a", count: 70_000),
            chunked + "5;" + String(repeating: "a", count: 2_000),
            chunked + String(repeating: "1;\(String(repeating: "a", count: 500))\nx\n", count: 40),
            chunked + "0\n" + String(repeating: "a:\n", count: 3_000),
            String(repeating: "HTTP/1.1 103 Early Hints\n\n", count: 20),
        ]
        for attack in attacks {
            let trace = HTTP1Trace.responses([wire(attack)], thenEnd: false)
            #expect(trace.error != nil, "\(attack.prefix(80)) has no limit")
        }
    }
}
