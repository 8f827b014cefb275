import SwiftletTransport
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
        "that is malformed is refused with an error that describes it",
        arguments: [
            "", "host:port", "etcd2:///a", "dns://server/name", "ipv4:localhost:80", "unix:",
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

    #if os(Linux)
        @Test("of vsock is a context identifier and a port of 32 bits each")
        func vsock() throws {
            let target = try Target("vsock:4294967295:1024")
            #expect(target.resolution == .addresses([.vsock(cid: .max, port: 1_024)]))
            #expect(target.defaultAuthority == "localhost")
            #expect(target.isLocal)
            #expect("\(try ServerAddress("vsock:2:50051"))" == "vsock:2:50051")
        }
    #endif

    @Test(
        "of vsock that is malformed is refused with an error that describes it",
        arguments: [
            "vsock:", "vsock:1", "vsock:1:", "vsock::1", "vsock:1:2:3", "vsock:4294967296:1",
            "vsock:1:4294967296", "vsock:-1:1", "vsock:+1:1", "vsock:a:1", "vsock://1:2",
            "vsock:1: 2",
        ])
    func malformedVsock(text: String) {
        let error = #expect(throws: RPCError.self) { try Target(text) }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message.contains("'\(text)'") ?? false)
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
        #expect(arguments.maxMetadataByteCount == 8_192)
        try arguments.set("grpc.max_metadata_size", to: 1_048_576)
        #expect(arguments.maxMetadataByteCount == 1_048_576)
    }

    @Test("metadata names and values are checked", arguments: ["grpc-x", "a b", "", "te", ":path"])
    func metadata(name: String) {
        var metadata = Metadata()
        #expect(throws: RPCError.self) { try metadata.add("value", for: name) }
    }

    @Test("a backoff that starts above its maximum uses the maximum")
    func backoff() {
        var backoff = Backoff(.init(initial: .seconds(10), maximum: .seconds(2)))
        for chance in [0, 0.3, 0.5, 1] {
            let delay = backoff.next(chance: chance)
            #expect(delay > .seconds(1.59) && delay < .seconds(2.41))
        }
        let least = backoff.next(chance: 0)
        #expect(least < backoff.next(chance: 1))
    }

    @Test(
        "a backoff without a delay gets the smallest one", arguments: [Duration.zero, .seconds(-5)])
    func noBackoff(_ delay: Duration) {
        for configuration in [
            Backoff.Configuration(initial: delay, maximum: delay),
            Backoff.Configuration(initial: delay, maximum: .seconds(1)),
        ] {
            var backoff = Backoff(configuration)
            for _ in 0..<20 { #expect(backoff.next() >= .microseconds(800)) }
        }
    }

    @Test("a backoff grows by 1.6 with each failure, and starts again after a success")
    func growingBackoff() {
        var backoff = Backoff(.init(initial: .seconds(1), maximum: .seconds(3)))
        let delays = (0..<4).map { _ in backoff.next(chance: 0.5) / .seconds(1) }
        for (delay, expected) in zip(delays, [1, 1.6, 2.56, 3]) {
            #expect(abs(delay - expected) < 0.001)
        }
        #expect(backoff.attemptCount == 4)
        backoff.reset()
        #expect(backoff.attemptCount == 0)
        #expect(abs(backoff.next(chance: 0.5) / .seconds(1) - 1) < 0.001)
    }

    @Test("each argument sets its property, and no other")
    func argumentNames() throws {
        typealias Change = (inout ChannelArguments) -> Void
        let table: [(String, ChannelArguments.Value, Change)] = [
            (
                "initial_reconnect_backoff_ms", 700,
                { $0.initialReconnectBackoff = .milliseconds(700) }
            ),
            (
                "initial_reconnect_backoff_ms", 0,
                { $0.initialReconnectBackoff = .milliseconds(100) }
            ),
            ("max_reconnect_backoff_ms", 9_000, { $0.maxReconnectBackoff = .seconds(9) }),
            ("min_reconnect_backoff_ms", 3_000, { $0.connectTimeout = .seconds(3) }),
            (
                "happy_eyeballs_connection_attempt_delay_ms", 300,
                { $0.happyEyeballsDelay = .milliseconds(300) }
            ),
            ("http2.hpack_table_size.encoder", 1, { $0.encoderTableByteCount = 1 }),
            ("http2.hpack_table_size.decoder", 2, { $0.decoderTableByteCount = 2 }),
            ("max_receive_message_length", -1, { $0.maxReceiveMessageByteCount = nil }),
            ("max_message_length", 5, { $0.maxReceiveMessageByteCount = 5 }),
            ("max_send_message_length", 6, { $0.maxSendMessageByteCount = 6 }),
            ("max_concurrent_streams", 7, { $0.maxConcurrentStreams = 7 }),
            ("http2.lookahead_bytes", 8, { $0.streamWindowByteCount = 8 }),
            ("http2.bdp_probe", false, { $0.measuresBandwidth = false }),
            ("http2.max_frame_size", 20_000, { $0.maxFrameByteCount = 20_000 }),
            ("keepalive_time_ms", 40_000, { $0.keepAliveInterval = .seconds(40) }),
            ("keepalive_timeout_ms", 5_000, { $0.keepAliveTimeout = .seconds(5) }),
            ("keepalive_permit_without_calls", 1, { $0.keepAliveWithoutCalls = true }),
            ("http2.max_pings_without_data", 0, { $0.maxPingsWithoutData = 0 }),
            ("client_idle_timeout_ms", 60_000, { $0.idleTimeout = .seconds(60) }),
            ("primary_user_agent", "a", { $0.userAgentPrefix = "a" }),
            ("secondary_user_agent", "b", { $0.userAgentSuffix = "b" }),
            ("default_authority", "c", { $0.defaultAuthority = "c" }),
            ("ssl_target_name_override", "d", { $0.targetNameOverride = "d" }),
            ("default_compression_algorithm", 2, { $0.defaultCompression = .gzip }),
        ]
        for (name, value, change) in table {
            var expected = ChannelArguments()
            change(&expected)
            var arguments = ChannelArguments()
            try arguments.set("grpc.\(name)", to: value)
            #expect(arguments == expected, "\(name)")
        }
        var arguments = ChannelArguments()
        #expect(throws: RPCError.self) { try arguments.set("grpc.max_message_length", to: true) }
    }

    @Test("values of any size make a configuration without a trap")
    func extremes() {
        let longest = Duration.seconds(Int64.max)
        var arguments = ChannelArguments()
        arguments.keepAliveTimeout = longest
        arguments.keepAliveInterval = longest
        arguments.maxFrameByteCount = .max
        let configuration = arguments.connectionConfiguration
        #expect(configuration.maxFrameByteCount == 16_777_215)
        let now = MonotonicInstant.now
        #expect(now + configuration.settingsTimeout > now)
        #expect(now + longest * 4 == MonotonicInstant(nanoseconds: .max))
        #expect(now - longest * 4 < MonotonicInstant(nanoseconds: 0))
        let deadline = Deadline.at(.now + .seconds(Int64.max))
        #expect((deadline.remaining ?? .zero) > .seconds(1_000_000))
        var backoff = Backoff(.init(initial: longest, maximum: longest))
        #expect(now + backoff.next(chance: 1) > now)
    }

    @Test("a call's own deadline replaces the default one, even if it is later")
    func ownTime() {
        let defaults = CallOptions.with { $0.timeout = .seconds(1) }
        let own = CallOptions.with { $0.absoluteDeadline = .after(.seconds(60)) }
        let left = own.merged(over: defaults).deadline.remaining ?? .zero
        #expect(left > .seconds(50))
        let timeout = CallOptions.with { $0.timeout = .seconds(60) }
        let later = CallOptions.with { $0.absoluteDeadline = .after(.seconds(1)) }
        #expect((timeout.merged(over: later).deadline.remaining ?? .zero) > .seconds(50))
        #expect(CallOptions().merged(over: defaults).timeout == .seconds(1))
    }
}
