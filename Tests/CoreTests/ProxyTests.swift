import Synchronization
import Testing

@testable import SwiftletCore

@Suite("A proxy")
struct ProxyTests {
    @Test(
        "is named by a URL",
        arguments: [
            ("http://proxy:3128", "http://proxy:3128", nil, nil),
            ("HTTP://proxy", "http://proxy:443", nil, nil),
            ("http://user:p%40ss@10.0.0.1:8080/", "http://10.0.0.1:8080", "user", "p@ss"),
            ("socks5://[::1]:9050", "socks5://[::1]:9050", nil, nil),
            ("socks5h://proxy", "socks5://proxy:1080", nil, nil),
            ("http://only-a-name@proxy:1", "http://proxy:1", "only-a-name", ""),
        ] as [(String, String, String?, String?)])
    func url(text: String, description: String, user: String?, password: String?) throws {
        let proxy = try ProxyServer(text)
        #expect("\(proxy)" == description)
        #expect(proxy.user == user)
        #expect(proxy.password == password)
        #expect(!String(reflecting: proxy).utf8.elementsEqual(text.utf8) || user == nil)
    }

    @Test(
        "is refused when its URL is malformed, without its password in the error",
        arguments: [
            "proxy:3128", "ftp://proxy", "http://", "http://u:secret%4@proxy", "https://p",
            "http://u:secret%+4@proxy", "http://u:secret/@proxy:1", "http://u:secret@proxy:x",
            "u:secret@proxy:1",
        ])
    func malformed(text: String) {
        let error = #expect(throws: RPCError.self) { try ProxyServer(text) }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message.contains("secret") == false)
    }

    @Test(
        "comes from the environment in gRPC's order, except for excluded hosts",
        arguments: [
            (["grpc_proxy": "http://a:1", "https_proxy": "http://b:2"], "example.com:1", "a"),
            (["https_proxy": "http://b:2", "http_proxy": "http://c:3"], "example.com:1", "b"),
            (["grpc_proxy": "", "http_proxy": "http://c:3"], "example.com:1", "c"),
            (["all_proxy": "socks5://d:4"], "example.com:1", "d"),
            (["http_proxy": "http://c:3"], "localhost:1", nil),
            (["http_proxy": "http://c:3"], "127.0.0.1:1", nil),
            (["http_proxy": "http://c:3"], "unix:/tmp/x", nil),
            (["http_proxy": "http://c:3", "no_proxy": "other,example.com"], "example.com:1", nil),
            (["http_proxy": "http://c:3", "no_proxy": ".example.com"], "a.example.com:1", nil),
            (["http_proxy": "http://c:3", "no_proxy": "example.com"], "notexample.com:1", "c"),
            (["http_proxy": "http://c:3", "no_proxy": "example.com"], "10.9.8.7:1", "c"),
            (["http_proxy": "http://c:3", "no_proxy": "**"], "example.com:1", "c"),
            (["http_proxy": "http://c:3", "no_proxy": "*"], "example.com:1", nil),
            (["http_proxy": "http://c:3", "no_proxy": "10.0.0.0/8"], "10.9.8.7:1", nil),
            (["http_proxy": "http://c:3", "no_proxy": "10.0.0.0/8"], "11.9.8.7:1", "c"),
            (["http_proxy": "http://c:3", "no_proxy": "2001:db8::/32"], "[2001:db8::1]:1", nil),
            (
                ["http_proxy": "http://c:3", "no_proxy": "x", "no_grpc_proxy": "example.com"],
                "example.com:1", nil
            ),
            ([:], "example.com:1", nil),
        ] as [([String: String], String, String?)])
    func environment(variables: [String: String], target: String, host: String?) throws {
        let target = try Target(target)
        let proxy = try ProxyChoice.environment.proxy(for: target) { variables[$0] }
        #expect(proxy?.host == host)
        #expect(try ProxyChoice.none.proxy(for: target) { variables[$0] } == nil)
    }

    @Test("with an invalid URL in the environment is an error that names the variable")
    func wrongEnvironment() throws {
        let target = try Target("example.com:1")
        let error = #expect(throws: RPCError.self) {
            try ProxyChoice.environment.proxy(for: target) { $0 == "grpc_proxy" ? "nonsense" : nil }
        }
        #expect(error?.message.hasPrefix("the environment variable grpc_proxy: ") == true)
    }
}

@Suite("The handshake with a proxy")
struct ProxyHandshakeTests {
    /// Makes the handshake with a proxy that sends `answer`. Returns the sent bytes, and the number of bytes that
    /// were left over.
    private func run(
        _ url: String, host: String = "example.com", _ answer: [UInt8]
    ) async throws -> (sent: [UInt8], left: Int) {
        let connection = WrittenAnswer(answer)
        try await ProxyHandshake(proxy: ProxyServer(url), host: host, port: 443)
            .perform(over: connection)
        return connection.progress
    }

    @Test("over HTTP ends with the header fields; later bytes belong to the server")
    func http() async throws {
        let answer = Array("HTTP/1.1 200 Connection established\r\nVia: x\r\n\r\nPRI".utf8)
        let (sent, left) = try await run("http://u:p@proxy:1", answer)
        #expect(
            String(decoding: sent, as: UTF8.self)
                == "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n"
                + "Proxy-Authorization: Basic dTpw\r\n\r\n")
        #expect(left == 3)
    }

    @Test(
        "over HTTP fails with the proxy's text",
        arguments: [
            ("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", "407 Proxy Authentication"),
            ("HTTP/1.0 502 Bad\u{1b}[2J gateway\r\n\r\n", "502"),
            ("SSH-2.0-OpenSSH\r\n\r\n", "does not speak HTTP"),
        ])
    func httpFailure(answer: String, cause: String) async {
        let error = await #expect(throws: ProxyHandshake.Failure.self) {
            try await run("http://proxy:1", Array(answer.utf8))
        }
        let words = Array(error?.cause.utf8 ?? "".utf8)
        #expect(words.indices.contains { words[$0...].starts(with: cause.utf8) })
        #expect(!words.contains(0x1b))
    }

    @Test("over HTTP fails when the answer has no end")
    func endless() async throws {
        let answer = [UInt8](repeating: 0x61, count: 20_000)
        let error = await #expect(throws: ProxyHandshake.Failure.self) {
            try await run("http://proxy:1", answer)
        }
        #expect(error?.cause == "the proxy's answer is longer than 16384 bytes")
    }

    @Test("over HTTP passes over informational responses", arguments: [100, 102, 103, 199])
    func informational(status: Int) async throws {
        let first = "HTTP/1.1 \(status) Wait\r\nLink: x\r\n\r\n"
        let (_, left) = try await run(
            "http://proxy:1", Array("\(first)\(first)HTTP/1.1 200 OK\r\n\r\nPRI".utf8))
        #expect(left == 3)
        let error = await #expect(throws: ProxyHandshake.Failure.self) {
            try await run("http://proxy:1", Array("\(first)HTTP/1.1 407 Log in\r\n\r\n".utf8))
        }
        #expect(error?.cause.contains("407 Log in") == true)
        let endless = await #expect(throws: ProxyHandshake.Failure.self) {
            try await run("http://proxy:1", Array(String(repeating: first, count: 1_000).utf8))
        }
        #expect(endless?.cause == "the proxy's answer is longer than 16384 bytes")
    }

    @Test("over SOCKS lets the proxy resolve names")
    func socksName() async throws {
        let (sent, left) = try await run(
            "socks5://proxy", [5, 0, 5, 0, 0, 1, 1, 2, 3, 4, 0, 80, 9, 9])
        #expect(sent == [5, 1, 0, 5, 1, 0, 3, 11] + Array("example.com".utf8) + [1, 187])
        #expect(left == 2)
    }

    @Test("over SOCKS logs in when the proxy requires it")
    func socksLogin() async throws {
        let answer: [UInt8] = [5, 2, 1, 0, 5, 0, 0, 3, 2, 0x61, 0x62, 0, 80]
        let (sent, left) = try await run("socks5://u:pw@proxy", host: "10.0.0.1", answer)
        #expect(sent == [5, 2, 0, 2, 1, 1, 0x75, 2, 0x70, 0x77, 5, 1, 0, 1, 10, 0, 0, 1, 1, 187])
        #expect(left == 0)
    }

    @Test("over SOCKS sends an IPv6 address as its 16 bytes, and accepts one in the reply")
    func socksIPv6() async throws {
        let address = [UInt8](repeating: 0, count: 15) + [1]
        let (sent, left) = try await run(
            "socks5://proxy", host: "::1", [5, 0, 5, 0, 0, 4] + address + [0, 80, 9])
        #expect(sent == [5, 1, 0, 5, 1, 0, 4] + address + [1, 187])
        #expect(left == 1)
    }

    @Test("over HTTP encloses an IPv6 address in brackets")
    func httpIPv6() async throws {
        let answer = Array("HTTP/1.1 200 OK\r\n\r\n".utf8)
        let (sent, _) = try await run("http://proxy:1", host: "::1", answer)
        #expect(
            String(decoding: sent, as: UTF8.self)
                == "CONNECT [::1]:443 HTTP/1.1\r\nHost: [::1]:443\r\n\r\n")
    }

    @Test(
        "over HTTP accepts each status of success, and no other status",
        arguments: [101] + Array(200...300))
    func httpStatus(status: Int) async throws {
        let answer = Array("HTTP/1.1 \(status) Text\r\n\r\n".utf8)
        if (200..<300).contains(status) {
            _ = try await run("http://proxy:1", answer)
        } else {
            await #expect(throws: ProxyHandshake.Failure.self) {
                try await run("http://proxy:1", answer)
            }
        }
    }

    @Test("over SOCKS sends a name of up to 255 bytes, and never a part of a longer one")
    func longName() async throws {
        let longest = String(repeating: "a", count: 255)
        let answer: [UInt8] = [5, 0, 5, 0, 0, 1, 1, 2, 3, 4, 0, 80]
        let (sent, _) = try await run("socks5://proxy", host: longest, answer)
        #expect(sent == [5, 1, 0, 5, 1, 0, 3, 255] + Array(longest.utf8) + [1, 187])
        await #expect(
            throws: ProxyHandshake.Failure(cause: "the server's name is longer than 255 bytes")
        ) {
            try await run("socks5://proxy", host: longest + "a", answer)
        }
    }

    @Test(
        "over SOCKS fails with the reason",
        arguments: [
            ([4, 0], "the proxy does not speak SOCKS 5"),
            ([5, 0xff], "the proxy demands a log-in"),
            ([5, 2], "the proxy demands a log-in"),
            ([5, 0, 4, 0, 0, 1], "the proxy does not speak SOCKS 5"),
            ([5, 0, 5, 0, 0, 2], "the proxy's reply has an unknown type of address"),
            (
                [5, 0, 5, 5, 0, 1],
                "the proxy refused the connection to example.com:443: connection refused"
            ),
            (
                [5, 0, 5, 9, 0, 1],
                "the proxy refused the connection to example.com:443: code 9"
            ),
        ] as [([UInt8], String)])
    func socksFailure(answer: [UInt8], cause: String) async {
        await #expect(throws: ProxyHandshake.Failure(cause: cause)) {
            try await run("socks5://proxy", answer)
        }
    }

    @Test("over SOCKS fails when the proxy refuses the log-in")
    func refusedLogin() async {
        await #expect(throws: ProxyHandshake.Failure(cause: "the proxy refused the log-in")) {
            try await run("socks5://u:pw@proxy", [5, 2, 1, 1])
        }
    }
}

/// A proxy whose answer is known.
private final class WrittenAnswer: ProxyConnection {
    private let answer: [UInt8]
    private let state = Mutex((sent: [UInt8](), received: 0))

    init(_ answer: [UInt8]) { self.answer = answer }

    var progress: (sent: [UInt8], left: Int) {
        state.withLock { ($0.sent, answer.count - $0.received) }
    }

    func send(_ bytes: [UInt8]) { state.withLock { $0.sent += bytes } }

    func receive(_ count: Int) throws(CandidateFailure) -> [UInt8] {
        let start = state.withLock { $0.received }
        guard start + count <= answer.count else {
            throw CandidateFailure(cause: "the proxy closed the connection")
        }
        state.withLock { $0.received += count }
        return Array(answer[start..<start + count])
    }
}
