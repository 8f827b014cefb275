import SwiftletTransport
import Testing

@testable import SwiftletCore

@Suite("A plain HTTP exchange")
struct PlainExchangeTests {
    @Test("has only the headers of HTTP, and no headers of gRPC")
    func request() {
        let list = PlainExchange(contentType: "a/b", accept: "c/d").head(
            path: "/rpc", authority: "there", scheme: "https", userAgent: "test/1")
        #expect(
            list.fields.map { "\(list.name(of: $0)): \(list.value(of: $0))" } == [
                ":method: POST", ":scheme: https", ":path: /rpc", ":authority: there",
                "content-type: a/b", "accept: c/d", "user-agent: test/1",
            ])
    }

    @Test("is answered by any response, with its status and all its headers")
    func response() {
        var list = HeaderList()
        for (name, value) in [(":status", "404"), ("content-type", "text/html"), ("x", "y")] {
            list.append(name, value)
        }
        let head = PlainExchange.initial(list)
        #expect(head.httpStatus == 404 && head.encoding == .identity)
        let metadata = head.metadata
        #expect(metadata.map(\.name) == ["content-type", "x"])
        #expect(metadata["content-type"] == "text/html")
        #expect(metadata["x"] == "y")
    }
}
