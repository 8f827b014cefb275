import Foundation
import Swiftlet
import SwiftletLoopback
import SwiftletTransport
import Testing

@Suite("A hostile client of HTTP/1.1", .timeLimit(.minutes(5)))
struct HTTP1HostileClientTests {
    /// Requests for which two servers may determine different ends (RFC 9112 §6.3, §11.2), and the status of
    /// the refusal.
    static let smuggled: [(text: String, status: Int)] = [
        ("Content-Length: 3\nTransfer-Encoding: chunked\n\n0\n\n", 400),
        ("Content-Length: 3\nContent-Length: 4\n\nabcd", 400),
        ("Content-Length: 3, 3\n\nabc", 400),
        ("Content-Length: +3\n\nabc", 400),
        ("Content-Length: 3 3\n\nabc", 400),
        ("Content-Length: 0x3\n\nabc", 400),
        ("Content-Length:\n\n", 400),
        ("Content-Length : 3\n\nabc", 400),
        (" Content-Length: 3\n\nabc", 400),
        ("Transfer-Encoding: chunked\nTransfer-Encoding: identity\n\n0\n\n", 400),
        ("Transfer-Encoding: chunked, identity\n\n0\n\n", 501),
        ("Transfer-Encoding: xchunked\n\n0\n\n", 501),
        ("Transfer-Encoding: \u{b}chunked\n\n0\n\n", 400),
        ("Transfer-Encoding\n : chunked\n\n0\n\n", 400),
        ("Transfer-Encoding: chunked\n\n3;\rabc\n0\n\n", 400),
        ("Transfer-Encoding: chunked\n\n0x3\nabc\n0\n\n", 400),
        ("Transfer-Encoding: chunked\n\n-3\nabc\n0\n\n", 400),
        ("Transfer-Encoding: chunked\n\n3\nabcd\n0\n\n", 400),
        ("Transfer-Encoding: chunked\n\n0\nContent-Length: 3\n\nabc", 400),
        ("Host: other\n\n", 400),
        ("A: b\0c\n\n", 400),
    ]

    @Test("gets one refusal for an ambiguous request, which is not read as two requests")
    func smuggling() async throws {
        let paths = Notes()
        let server = try LoopbackServer { server in
            server.httpVersion = .http1
            for path in ["/", "/smuggled"] {
                server.http(path) { request in
                    paths.add(request.path)
                    return HTTPReply(contentType: "text/plain", body: [])
                }
            }
        }
        for (text, status) in Self.smuggled {
            let request =
                "POST / HTTP/1.1\nHost: a\n\(text)" + "GET /smuggled HTTP/1.1\nHost: a\n\n"
            let answer = try await Self.send(request, to: server)
            #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(text) got \(answer)")
            #expect(answer.components(separatedBy: "HTTP/1.1 ").count == 2, "\(text)")
        }
        #expect(!paths.all.contains("/smuggled"))
    }

    /// Sends lines, which end in LF in this source, and returns all bytes that the server sends until it
    /// closes.
    private static func send(_ text: String, to server: LoopbackServer) async throws -> String {
        try await onThread {
            let wire = try server.makeRawConnection()
            try wire.send(Array(text.replacingOccurrences(of: "\n", with: "\r\n").utf8))
            var buffer = ReceiveBuffer()
            do {
                while true { try wire.receive(&buffer) }
            } catch is RawPeerGone {
                return buffer.withUnread {
                    String(decoding: [UInt8](copying: $0), as: UTF8.self)
                }
            }
        }
    }
}
