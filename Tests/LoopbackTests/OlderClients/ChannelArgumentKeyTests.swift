import Swiftlet
import SwiftletLoopback
import SwiftletStyles
import SwiftletTransport
import Synchronization
import Testing

@Suite("Channel arguments by their established keys", .timeLimit(.minutes(5)))
struct ChannelArgumentKeyTests {
    private static let echo = HostileTrial.echo

    private static func channel(
        _ server: LoopbackServer, _ values: [String: ChannelArguments.Value]
    ) throws -> Channel {
        try Channel(
            server.target, credentials: .insecure, arguments: try ChannelArguments(values))
    }

    private static func server() throws -> LoopbackServer {
        try LoopbackServer { server in
            server.unary(echo) { request, context in
                if let count = context.metadata["x-header"].flatMap({ Int($0) }) {
                    context.sendInitialMetadata(["x-large": String(repeating: "a", count: count)])
                }
                return request
            }
        }
    }

    @Test("grpc.*_reconnect_backoff_ms: by default 1 s up to 120 s, and 20 s for an attempt")
    func backoff() throws {
        let initial = ChannelArguments()
        #expect(initial.initialReconnectBackoff == .seconds(1))
        #expect(initial.maxReconnectBackoff == .seconds(120))
        #expect(initial.connectTimeout == .seconds(20))
        let arguments = try ChannelArguments([
            "grpc.initial_reconnect_backoff_ms": 500, "grpc.max_reconnect_backoff_ms": 4_000,
            "grpc.min_reconnect_backoff_ms": 3_000,
        ])
        #expect(arguments.initialReconnectBackoff == .milliseconds(500))
        #expect(arguments.maxReconnectBackoff == .seconds(4))
        #expect(arguments.connectTimeout == .seconds(3))
    }

    @Test("grpc.initial_reconnect_backoff_ms above the maximum is clamped to it")
    func clampedBackoff() async throws {
        let peer = try LoopbackServer { $0.addGreeter() }
        peer.shutdown()
        let channel = try Self.channel(
            peer,
            ["grpc.initial_reconnect_backoff_ms": 600_000, "grpc.max_reconnect_backoff_ms": 1_000])
        let error = await #expect(throws: RPCError.self) {
            try await channel.unary(Self.echo, [1])
        }
        // The jitter is at most 20%.
        let delay = try #require(error?.reconnection?.nextAttempt)
        #expect(delay <= .milliseconds(1_200))
    }

    @Test("grpc.max_metadata_size: header lists above it fail the call; 16 KiB by default")
    func metadata() async throws {
        let server = try Self.server()
        func header(_ byteCount: Int, _ channel: Channel) async -> StatusCode {
            let call = channel.unaryCall(
                Self.echo, [1], options: .with { $0.metadata = ["x-header": "\(byteCount)"] })
            return (try? await call.status.value.code) ?? .unknown
        }
        let initial = try Self.channel(server, [:])
        #expect(await header(9 << 10, initial) == .ok)
        #expect(await header(17 << 10, initial) == .resourceExhausted)
        let small = try Self.channel(server, ["grpc.max_metadata_size": 1_024])
        #expect(await header(100, small) == .ok)
        #expect(await header(2_000, small) == .resourceExhausted)
    }

    @Test("grpc.http2.hpack_table_size.*: 4096 by default, and any size carries calls")
    func tables() async throws {
        let initial = ChannelArguments()
        #expect(initial.encoderTableByteCount == 4_096 && initial.decoderTableByteCount == 4_096)
        let server = try Self.server()
        for byteCount in [0, 100, 65_536] {
            let channel = try Self.channel(
                server,
                [
                    "grpc.http2.hpack_table_size.encoder": .integer(byteCount),
                    "grpc.http2.hpack_table_size.decoder": .integer(byteCount),
                ])
            for number: UInt8 in 0..<5 {
                let reply = try await channel.unary(
                    Self.echo, [number],
                    options: .with { $0.metadata = ["x-name-\(number % 2)": "value \(number)"] })
                #expect(reply == [number])
            }
        }
        #expect(
            try await Self.settings(["grpc.http2.hpack_table_size.decoder": 1_000])[1] == 1_000)
    }

    @Test("grpc.max_*_message_length: 4 MiB to receive, no limit to send, -1 for none")
    func messageLengths() async throws {
        let initial = ChannelArguments()
        #expect(initial.maxReceiveMessageByteCount == 4 << 20)
        #expect(initial.maxSendMessageByteCount == nil)
        let server = try Self.server()
        for key in ["grpc.max_receive_message_length", "grpc.max_message_length"] {
            let channel = try Self.channel(server, [key: 4])
            #expect(try await channel.unary(Self.echo, [1, 2, 3, 4]).count == 4)
            let error = await #expect(throws: RPCError.self) {
                try await channel.unary(Self.echo, [1, 2, 3, 4, 5])
            }
            #expect(error?.code == .resourceExhausted)
            #expect(try ChannelArguments([key: -1]).maxReceiveMessageByteCount == nil)
        }
        let channel = try Self.channel(server, ["grpc.max_send_message_length": 4])
        let error = await #expect(throws: RPCError.self) {
            try await channel.unary(Self.echo, [1, 2, 3, 4, 5])
        }
        #expect(error?.code == .resourceExhausted)
        #expect(error?.mayHaveBeenExecuted == false)
    }

    @Test("grpc.max_concurrent_streams: calls above it, and above the server's limit, wait")
    func concurrentStreams() async throws {
        for (own, serverLimit) in [(2, 100), (100, 2)] {
            let gate = Gate()
            let server = try LoopbackServer { server in
                server.maxConcurrentStreams = serverLimit
                server.unary(Self.echo) { request, _ in
                    await gate.pass()
                    return request
                }
            }
            let channel = try Self.channel(
                server, ["grpc.max_concurrent_streams": .integer(own)])
            try await withThrowingTaskGroup(of: [UInt8].self) { group in
                for number: UInt8 in 0..<6 {
                    group.addTask { try await channel.unary(Self.echo, [number]) }
                }
                try await eventually { gate.arrivalCount == 2 }
                for _ in 0..<100 { await Task.yield() }
                #expect(gate.arrivalCount == 2)
                gate.open()
                var numbers: Set<UInt8> = []
                for try await reply in group { numbers.formUnion(reply) }
                #expect(numbers == Set(0..<6))
            }
            #expect(server.connectionCount == 1)
        }
    }

    @Test("grpc.http2.lookahead_bytes: the window of a stream; 0 is automatic, from 64 KiB")
    func lookahead() async throws {
        #expect(
            try ChannelArguments(["grpc.http2.lookahead_bytes": 0]).streamWindowByteCount == nil)
        #expect(
            try await Self.settings(["grpc.http2.lookahead_bytes": 1_000_000])[4] == 1_000_000)
        let automatic = try await Self.settings([:])[4] ?? 65_535
        #expect(automatic >= 65_535)
    }

    @Test("An unknown key, or a value of the wrong type or range, is an error that names it")
    func mistakes() {
        let mistakes: [(String, ChannelArguments.Value)] = [
            ("grpc.max_metadata_sise", 1), ("", 1), ("grpc.max_metadata_size", "8192"),
            ("grpc.max_metadata_size", -1), ("grpc.max_concurrent_streams", true),
            ("grpc.initial_reconnect_backoff_ms", -5), ("grpc.primary_user_agent", 7),
            ("grpc.max_receive_message_length", -2), ("grpc.http2.bdp_probe", 2),
        ]
        for (key, value) in mistakes {
            let error = #expect(throws: RPCError.self) { _ = try ChannelArguments([key: value]) }
            #expect(error?.code == .invalidArgument)
            #expect(error?.message.contains("'\(key)'") == true)
        }
    }

    @Test("More established keys set the typed properties of the same meaning")
    func others() throws {
        let arguments = try ChannelArguments([
            "grpc.keepalive_time_ms": 30_000, "grpc.keepalive_timeout_ms": 5_000,
            "grpc.keepalive_permit_without_calls": 1, "grpc.client_idle_timeout_ms": 60_000,
            "grpc.primary_user_agent": "a", "grpc.secondary_user_agent": "b",
            "grpc.ssl_target_name_override": "c", "grpc.default_authority": "d",
            "grpc.per_rpc_retry_buffer_size": 7, "grpc.http2.bdp_probe": false,
        ])
        #expect(arguments.keepAliveInterval == .seconds(30))
        #expect(arguments.keepAliveTimeout == .seconds(5))
        #expect(arguments.keepAliveWithoutCalls)
        #expect(arguments.idleTimeout == .seconds(60))
        #expect(arguments.userAgentPrefix == "a" && arguments.userAgentSuffix == "b")
        #expect(arguments.targetNameOverride == "c" && arguments.defaultAuthority == "d")
        #expect(arguments.maxReplayByteCount == 7 && !arguments.measuresBandwidth)
    }

    /// The SETTINGS that a channel with these arguments sends first, by their identifiers.
    private static func settings(
        _ values: [String: ChannelArguments.Value]
    ) async throws -> [UInt16: UInt32] {
        let (frames, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        let peer = try RawPeer(
            RawScript(opening: { connection in
                let prefaceByteCount = 24
                var buffer = ReceiveBuffer()
                while true {
                    let bytes = buffer.withUnread { [UInt8](copying: $0) }.dropFirst(
                        prefaceByteCount)
                    if bytes.count >= 9 {
                        let byteCount = bytes.prefix(3).reduce(0) { $0 << 8 | Int($1) }
                        if bytes.count >= 9 + byteCount {
                            continuation.yield(Array(bytes.dropFirst(9).prefix(byteCount)))
                            continuation.finish()
                            throw CancellationError()
                        }
                    }
                    try connection.receive(&buffer)
                }
            }))
        let channel = try Channel(
            peer.target, credentials: .insecure, arguments: try ChannelArguments(values))
        channel.connect()
        var settings: [UInt16: UInt32] = [:]
        for await payload in frames {
            for start in stride(from: 0, to: payload.count, by: 6) {
                let id = UInt16(payload[start]) << 8 | UInt16(payload[start + 1])
                settings[id] = payload[start + 2..<start + 6].reduce(0) { $0 << 8 | UInt32($1) }
            }
        }
        await channel.close()
        return settings
    }
}
