import Testing

@testable import SwiftletTransport

@Suite("A socket address")
struct SocketsAddressTests {
    @Test(
        "parses numeric addresses, and prints them in the shortest form",
        arguments: [
            ("127.0.0.1", "127.0.0.1:50051"),
            ("255.255.255.255", "255.255.255.255:50051"),
            ("::1", "[::1]:50051"),
            ("[::1]", "[::1]:50051"),
            ("2001:db8:0:0:0:0:0:1", "[2001:db8::1]:50051"),
            ("fe80::1%7", "[fe80::1%7]:50051"),
        ])
    func literals(host: String, shown: String) throws {
        let address = try #require(SocketAddress(host: host, port: 50051))
        #expect(address.description == shown)
        #expect(address.port == 50051)
        #expect(SocketAddress(shown) == address, "what it shows is what it reads")
    }

    @Test(
        "does not accept a name or an incomplete address",
        arguments: [
            "localhost", "", "127.0.0", "127.0.0.1.1", "256.0.0.1", "1.2.3.4\0", "[::1", "::1]",
            "[127.0.0.1]", "fe80::1%", "fe80::1%+2", "fe80::1%nosuchinterface", "::g", "1:2:3",
        ])
    func names(host: String) {
        #expect(SocketAddress(host: host, port: 1) == nil)
    }

    @Test(
        "with a port needs a port, and brackets around IPv6",
        arguments: [
            "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:+80", "::1:80",
            ":80",
        ])
    func ports(text: String) {
        #expect(SocketAddress(text) == nil)
    }

    @Test(
        "is the same after conversion to the system's representation and back",
        arguments: [
            .ipv4Loopback(port: 1), .ipv6Loopback(port: 65_535),
            .ipv6(.init(repeating: 0xfe), port: 443, scope: 3), .unix(path: "/tmp/a b"),
            .unix(path: String(repeating: "x", count: 107)),
        ] as [SocketAddress])
    func roundTrip(address: SocketAddress) throws {
        let back = try unsafe address.withSystemAddress(for: "test") { pointer, length in
            unsafe SocketAddress(system: pointer, length: Int(length))
        }
        #expect(back == address)
    }

    #if os(Linux)
        @Test("keeps zeros in an abstract name")
        func abstractRoundTrip() throws {
            let address = SocketAddress.unixAbstract(name: [0x61, 0, 0x62, 0])
            let back = try unsafe address.withSystemAddress(for: "test") { pointer, length in
                unsafe SocketAddress(system: pointer, length: Int(length))
            }
            #expect(back == address)
        }
    #endif

    @Test(
        "refuses a path that would name another file",
        arguments: [
            (
                String(repeating: "x", count: 108),
                "connect unix:" + String(repeating: "x", count: 108) + ": file name too long"
            ),
            ("a\0b", "connect unix:a\0b: invalid argument"),
        ])
    func badPaths(path: String, message: String) {
        let error = #expect(throws: SystemError.self) {
            try unsafe SocketAddress.unix(path: path).withSystemAddress(for: "connect") { _, _ in }
        }
        #expect(error?.description.lowercased() == message)
    }
}
