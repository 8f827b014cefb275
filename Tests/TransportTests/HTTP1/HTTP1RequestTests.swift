import SwiftletHTTP1
import SwiftletTransport
import Testing

@Suite("A request of HTTP/1.1")
struct HTTP1RequestTests {
    @Test("is read the same in any split, and so is the next request on the connection")
    func anySplit() {
        let bytes = wire(
            """
            POST /rpc?x=1 HTTP/1.1
            Host: example.com:80
            Content-Length: 2

            {}
            PUT http://other.example/a HTTP/1.1
            Host: example.com
            Transfer-Encoding: chunked

            3
            abc
            0


            DELETE /b HTTP/1.1
            Host: example.com
            Connection: close


            """)
        let whole = HTTP1Trace.requests([bytes])
        #expect(whole.error == nil)
        #expect(whole.messages.map(\.body) == [Array("{}".utf8), Array("abc".utf8), []])
        #expect(
            whole.messages.map { $0.head[0] } == [
                ":method: POST", ":method: PUT", ":method: DELETE",
            ])
        #expect(
            whole.messages[0].head[1...3] == [
                ":scheme: http", ":path: /rpc?x=1", ":authority: example.com:80",
            ])
        #expect(
            whole.messages[1].head[1...3] == [
                ":scheme: http", ":path: /a", ":authority: other.example",
            ])
        #expect(whole.messages.map(\.isComplete) == [true, true, true])
        for pieces in [[bytes], bytes.map { [$0] }] {
            #expect(HTTP1Trace.requests(pieces) == whole)
        }
    }

    static let illegal: [(text: String, status: Int)] = [
        ("GET / HTTP/1.1\n\n", 400),
        ("GET / HTTP/1.1\nHost: a\nHost: a\n\n", 400),
        ("GET / HTTP/1.1\nHost: a/b\n\n", 400),
        ("GET  / HTTP/1.1\nHost: a\n\n", 400),
        ("GET / HTTP/1.1 \nHost: a\n\n", 400),
        ("GET /\nHost: a\n\n", 400),
        ("G(T / HTTP/1.1\nHost: a\n\n", 400),
        ("GET a HTTP/1.1\nHost: a\n\n", 400),
        ("GET /\u{e4} HTTP/1.1\nHost: a\n\n", 400),
        ("GET / HTTP/2.0\nHost: a\n\n", 505),
        ("GET / http/1.1\nHost: a\n\n", 505),
        ("CONNECT a:80 HTTP/1.1\nHost: a\n\n", 501),
        ("POST / HTTP/1.1\nHost: a\nContent-Length: 1\nContent-Length: 2\n\n", 400),
        ("POST / HTTP/1.1\nHost: a\nContent-Length: 3\nTransfer-Encoding: chunked\n\n", 400),
        ("POST / HTTP/1.1\nHost: a\nTransfer-Encoding: chunked, identity\n\n", 501),
        ("POST / HTTP/1.1\nHost: a\nTransfer-Encoding: xchunked\n\n", 501),
        ("POST / HTTP/1.1\nHost: a\nTransfer-Encoding\u{b}: chunked\n\n", 400),
        ("POST / HTTP/1.0\nHost: a\nTransfer-Encoding: chunked\n\n", 400),
        ("GET / HTTP/1.1\nHost: a\nExpect: 200-ok\n\n", 417),
        ("GET / HTTP/1.1\nHost: a\nA: " + String(repeating: "a", count: 70_000) + "\n\n", 431),
    ]

    @Test("that is ambiguous is refused with its status", arguments: illegal)
    func refusals(text: String, status: Int) {
        #expect(HTTP1Trace.requests([wire(text)]).status == status)
        #expect(HTTP1Trace.requests(wire(text).map { [$0] }).status == status)
    }

    @Test("that was sent ahead waits until the one before was answered")
    func pipelining() throws {
        var server = HTTP1.ServerConnection()
        let bytes = wire("GET /a HTTP/1.1\nHost: a\n\nGET /b HTTP/1.1\nHost: a\n\n")
        var offset = 0
        #expect(try server.receive(bytes.span, at: &offset) == .head)
        #expect(try server.receive(bytes.span, at: &offset) == .end)
        #expect(try server.receive(bytes.span, at: &offset) == nil)
        #expect(offset == bytes.count / 2)
        try server.begin(.response(200), .none)
        try server.finish()
        #expect(try server.receive(bytes.span, at: &offset) == .head)
        #expect(server.receivedHead.fieldLines[2] == ":path: /b")
    }
}
