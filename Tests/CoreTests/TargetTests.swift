import Testing

@testable import SwiftletCore

@Suite("A target")
struct TargetTests {
    @Test(
        "is parsed as gRPC's naming document says",
        arguments: [
            ("localhost:50051", "localhost", "localhost:50051"),
            ("example.com", "example.com", "example.com"),
            ("dns:///example.com:80", "example.com", "example.com:80"),
            ("127.0.0.1:80", "127.0.0.1", "127.0.0.1:80"),
            ("[::1]:80", "::1", "[::1]:80"),
            ("::1", "::1", "[::1]"), ("dns:///::1", "::1", "[::1]"),
            ("[fe80::1%1]:80", "fe80::1%1", "[fe80::1]:80"), ("dns:name:1", "name", "name:1"),
            ("ipv6:[::1]:80,[::2]:80", "::1", "[::1]:80"), ("ipv6:::1", "::1", "[::1]"),
            ("unix:///tmp/socket", "localhost", "localhost"),
            ("unix:relative", "localhost", "localhost"),
            ("ipv4:127.0.0.1:80,127.0.0.2:81", "127.0.0.1", "127.0.0.1:80"),
            ("unix:/tmp/socket", "localhost", "localhost"),
            ("unix-abstract:name", "localhost", "localhost"),
        ])
    func parsing(text: String, host: String, authority: String) throws {
        let target = try Target(text)
        #expect(target.host == host)
        #expect(target.defaultAuthority == authority)
    }

    @Test(
        "that is malformed is refused in words",
        arguments: [
            "", "host:port", "xds:///a", "dns://server/name", "ipv4:localhost:80", "unix:",
            "a:\u{301}80", "localhost:+80", "localhost:-1", "localhost:", ":80", "localhost:65536",
            "[]:80", "[name]:80", "[::1", "[::1]80", "[::1]:+80", "a:b:c", "host name:80",
            "host\n:80", "a/b", "a@b:80", "unix://host/path", "unix:///", "unix-abstract:",
            "unix:a\0b", "ipv4:[::1]:80", "ipv6:127.0.0.1:80", "ipv4:127.0.0.1:80,[::1]:80",
            "ipv4:", "ipv4:1.2.3.4:80,", "unix:/" + String(repeating: "a", count: 108),
            "unix-abstract:" + String(repeating: "a", count: 108),
        ])
    func malformed(text: String) {
        #expect(throws: RPCError.self) { try Target(text) }
    }

    @Test("arguments of unknown names and wrong types are refused")
    func arguments() throws {
        var arguments = ChannelArguments()
        try arguments.set("grpc.max_receive_message_length", to: -1)
        #expect(arguments.maxReceiveMessageByteCount == nil)
        try arguments.set("grpc.keepalive_time_ms", to: 30_000)
        #expect(arguments.keepAliveInterval == .seconds(30))
        #expect(throws: RPCError.self) { try arguments.set("grpc.no_such_thing", to: 1) }
        #expect(throws: RPCError.self) {
            try arguments.set("grpc.max_receive_message_length", to: "many")
        }
    }

    @Test("the limit of metadata is the hard one, in whatever order the two are set")
    func metadataLimits() throws {
        for names in [["absolute_max", "max"], ["max", "absolute_max"]] {
            var arguments = ChannelArguments()
            for name in names {
                let value = name == "max" ? 8_192 : 12_000
                try arguments.set("grpc.\(name)_metadata_size", to: .integer(value))
            }
            #expect(arguments.maxMetadataByteCount == 12_000)
        }
        var arguments = ChannelArguments()
        try arguments.set("grpc.max_metadata_size", to: 8_192)
        #expect(arguments.maxMetadataByteCount == 16_384)
        try arguments.set("grpc.max_metadata_size", to: 1_048_576)
        #expect(arguments.maxMetadataByteCount == 5 << 18)
    }

    @Test("metadata names and values are checked", arguments: ["grpc-x", "a b", "", "te", ":path"])
    func metadata(name: String) {
        var metadata = Metadata()
        #expect(throws: RPCError.self) { try metadata.add("value", for: name) }
    }

    @Test("backoff that starts above its maximum stays at it")
    func backoff() {
        var backoff = Backoff(.init(initial: .seconds(10), maximum: .seconds(2)))
        for chance in [0, 0.3, 0.5, 1] {
            let delay = backoff.next(chance: chance)
            #expect(delay > .seconds(1.59) && delay < .seconds(2.41))
        }
        let least = backoff.next(chance: 0)
        #expect(least < backoff.next(chance: 1))
    }
}
