import SwiftletHTTP1
import SwiftletTransport
import Testing

/// A client and a server whose bytes are moved from one to the other.
private struct HTTP1Pair {
    var client = HTTP1.ClientConnection()
    var server = HTTP1.ServerConnection()

    /// The bytes that the client has to send.
    mutating func requestBytes() -> [UInt8] {
        var output = GatherList()
        client.takeOutput(into: &output)
        return output.bytes
    }

    mutating func responseBytes() -> [UInt8] {
        var output = GatherList()
        server.takeOutput(into: &output)
        return output.bytes
    }

    /// Moves the sent bytes of the client to the server. Returns the content.
    mutating func moveRequest() throws -> [UInt8] {
        let bytes = requestBytes()
        var (offset, content) = (0, [UInt8]())
        while let event = try server.receive(bytes.span, at: &offset) {
            if case .body(let range) = event { content += bytes[range] }
        }
        return content
    }

    mutating func moveResponse() throws -> (content: [UInt8], isComplete: Bool) {
        let bytes = responseBytes()
        var (offset, content, isComplete) = (0, [UInt8](), false)
        while let event = try client.receive(bytes.span, at: &offset) {
            if case .body(let range) = event { content += bytes[range] }
            if event == .end { isComplete = true }
        }
        return (content, isComplete)
    }
}

extension GatherList {
    fileprivate var bytes: [UInt8] {
        var copy = self
        var bytes: [UInt8] = []
        copy.moveFirst(copy.count, to: &bytes)
        return bytes
    }
}

@Suite("An exchange of HTTP/1.1")
struct HTTP1ExchangeTests {
    @Test("transmits bodies with a length and in chunks, one after the other on one connection")
    func bodies() throws {
        var pair = HTTP1Pair()
        for round in 0..<3 {
            #expect(pair.client.canBegin)
            try pair.client.begin(.request("POST", "/a", ["x-round: \(round)"]), .sized(4))
            try pair.client.send(Array("ab".utf8))
            try pair.client.send(Array("cd".utf8))
            try pair.client.finish()
            #expect(try pair.moveRequest() == Array("abcd".utf8))
            #expect(!pair.client.canBegin)

            try pair.server.begin(.response(200, ["x-round: \(round)"]), .streamed)
            try pair.server.send(Array("hello ".utf8))
            try pair.server.send(Array("world".utf8))
            var trailers = HeaderList()
            trailers.append("x-sum", "11")
            try pair.server.finish(trailers: trailers)
            let response = try pair.moveResponse()
            #expect(response.content == Array("hello world".utf8))
            #expect(response.isComplete)
            #expect(pair.client.receivedHead.fieldLines == [":status: 200", "x-round: \(round)"])
            #expect(pair.client.receivedTrailers.fieldLines == ["x-sum: 11"])
        }
    }

    @Test("streams a request in chunks")
    func chunkedRequest() throws {
        var pair = HTTP1Pair()
        try pair.client.begin(.request("PUT", "/a"), .streamed)
        try pair.client.send([UInt8](repeating: 7, count: 20))
        try pair.client.send([])
        try pair.client.finish()
        let head = "PUT /a HTTP/1.1\nhost: example.com\ntransfer-encoding: chunked\n\n14\n"
        #expect(
            pair.requestBytes() == wire(head) + [UInt8](repeating: 7, count: 20) + wire("\n0\n\n"))
    }

    @Test(
        "announces an empty body if the method lets the server expect content",
        arguments: [
            ("GET", false), ("HEAD", false), ("DELETE", false), ("POST", true), ("PUT", true),
        ])
    func emptyRequests(method: String, hasLength: Bool) throws {
        var pair = HTTP1Pair()
        try pair.client.begin(.request(method, "/"), .none)
        let text = String(decoding: pair.requestBytes(), as: UTF8.self)
        #expect(text.contains("content-length: 0") == hasLength)
    }

    @Test(
        "has no content after HEAD, 204 and 304",
        arguments: [("HEAD", 200), ("GET", 204), ("GET", 304)])
    func noContent(method: String, status: Int) throws {
        var pair = HTTP1Pair()
        for _ in 0..<2 {
            try pair.client.begin(.request(method, "/"), .none)
            try pair.client.finish()
            _ = try pair.moveRequest()
            try pair.server.begin(.response(status), .sized(3))
            try pair.server.send([1, 2, 3])
            try pair.server.finish()
            let response = try pair.moveResponse()
            #expect(response.content.isEmpty && response.isComplete)
            #expect(pair.client.canBegin)
        }
    }

    @Test("answers HTTP/1.0 without chunks, and then closes")
    func oldClient() throws {
        var server = HTTP1.ServerConnection()
        let bytes = wire("GET / HTTP/1.0\n\n")
        var offset = 0
        while try server.receive(bytes.span, at: &offset) != nil {}
        try server.begin(.response(200), .streamed)
        try server.send([65])
        try server.finish()
        var output = GatherList()
        server.takeOutput(into: &output)
        #expect(output.bytes == wire("HTTP/1.1 200 \nconnection: close\n\nA"))
        #expect(server.isClosed)
    }

    @Test(
        "ends the connection when either side requests it",
        arguments: [
            "HTTP/1.1 200 OK\nConnection: close\nContent-Length: 0\n\n",
            "HTTP/1.1 200 OK\nConnection: Keep-Alive, Close\nContent-Length: 0\n\n",
            "HTTP/1.0 200 OK\nContent-Length: 0\n\n",
        ])
    func closing(response: String) throws {
        var client = HTTP1.ClientConnection()
        try client.begin(.request("GET", "/"), .none)
        let bytes = wire(response)
        var offset = 0
        while try client.receive(bytes.span, at: &offset) != nil {}
        #expect(offset == bytes.count)
        #expect(!client.canBegin)
    }

    @Test("keeps a connection of HTTP/1.0 when the server requests it")
    func oldServer() throws {
        var client = HTTP1.ClientConnection()
        try client.begin(.request("GET", "/"), .none)
        let bytes = wire("HTTP/1.0 200 OK\nConnection: keep-alive\nContent-Length: 0\n\n")
        var offset = 0
        while try client.receive(bytes.span, at: &offset) != nil {}
        #expect(client.canBegin)
    }

    @Test("ends when the server answers before the request was sent")
    func earlyAnswer() throws {
        var client = HTTP1.ClientConnection()
        try client.begin(.request("POST", "/"), .sized(10))
        let bytes = wire("HTTP/1.1 413 Too Large\nContent-Length: 0\n\n")
        var offset = 0
        #expect(try client.receive(bytes.span, at: &offset) == .head)
        #expect(try client.receive(bytes.span, at: &offset) == .end)
        #expect(!client.canBegin)
    }

    @Test("requests a body that the client holds back")
    func expectation() throws {
        var server = HTTP1.ServerConnection()
        let bytes = wire("POST / HTTP/1.1\nHost: a\nExpect: 100-continue\nContent-Length: 1\n\n")
        var offset = 0
        #expect(try server.receive(bytes.span, at: &offset) == .head)
        #expect(server.expectsContinue)
        server.sendContinue()
        var output = GatherList()
        server.takeOutput(into: &output)
        #expect(output.bytes == wire("HTTP/1.1 100 \n\n"))
    }

    @Test("accepts no field that would add a line or change the framing")
    func injection() {
        for field in [
            "x: a\r\nhost: b", "content-length: 5", "transfer-encoding: chunked", "host: b",
            "x y: a", "connection: close", "x: \u{0}",
        ] {
            var client = HTTP1.ClientConnection()
            #expect(throws: HTTP1Error.self) {
                try client.begin(.request("GET", "/", [field]), .none)
            }
            #expect(!client.hasOutput)
        }
        for (method, path) in [
            ("GET x", "/"), ("CONNECT", "/"), ("GET", "/a b"), ("GET", "/\r\n"), ("GET", ""),
        ] {
            var client = HTTP1.ClientConnection()
            #expect(throws: HTTP1Error.self) { try client.begin(.request(method, path), .none) }
        }
    }

    @Test("sends exactly the content that it has announced")
    func announcedLength() throws {
        var client = HTTP1.ClientConnection()
        try client.begin(.request("PUT", "/"), .sized(3))
        #expect(throws: HTTP1Error.self) { try client.send([1, 2, 3, 4]) }
        try client.send([1])
        #expect(throws: HTTP1Error.self) { try client.finish() }
    }

    @Test("refuses a request with its status, and closes")
    func refusal() throws {
        var server = HTTP1.ServerConnection()
        let bytes = wire("GET / HTTP/1.1\n\n")
        var offset = 0
        var status = 0
        do throws(HTTP1Error) {
            while try server.receive(bytes.span, at: &offset) != nil {}
        } catch {
            status = error.status
        }
        try server.begin(.response(status), .none)
        try server.finish()
        #expect(server.isClosed)
        var output = GatherList()
        server.takeOutput(into: &output)
        #expect(output.bytes == wire("HTTP/1.1 400 \nconnection: close\ncontent-length: 0\n\n"))
    }
}
