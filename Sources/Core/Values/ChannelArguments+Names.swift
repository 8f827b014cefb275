extension ChannelArguments {
    /// What a name stands for.
    private enum Kind {
        case milliseconds(WritableKeyPath<ChannelArguments, Duration>)
        /// Shorter ones are taken for the shortest that gRPC's other clients know.
        case backoff(WritableKeyPath<ChannelArguments, Duration>)
        /// The largest integer is never.
        case optionalMilliseconds(WritableKeyPath<ChannelArguments, Duration?>)
        case count(WritableKeyPath<ChannelArguments, Int>, ClosedRange<Int>)
        /// −1 is none.
        case limit(WritableKeyPath<ChannelArguments, Int?>)
        /// 0 is none.
        case positive(WritableKeyPath<ChannelArguments, Int?>)
        case flag(WritableKeyPath<ChannelArguments, Bool>)
        case text(WritableKeyPath<ChannelArguments, String?>)
        /// Above which header lists are refused as gRPC's other clients see fit, and by this one
        /// only well above.
        case softMetadataLimit
        case hardMetadataLimit
        /// By gRPC's number.
        case compression(WritableKeyPath<ChannelArguments, CompressionAlgorithm>)
    }

    /// `grpc_compression_algorithm`, in its order.
    private static let compressions: [CompressionAlgorithm] = [.identity, .deflate, .gzip]

    /// Names that other clients know and that mean nothing here: who sets one of them is told so,
    /// instead of being left to think that he mistyped it.
    static let unsupported: Set<String> = [
        "grpc.per_message_compression", "grpc.per_message_decompression",
        "grpc.compression_enabled_algorithms_bitset", "grpc.enable_retries",
        "grpc.per_rpc_retry_buffer_size", "grpc.experimental.enable_hedging",
        "grpc.channel_pooling_domain", "grpc.channel_id", "grpc.http2.ping_timeout_ms",
        "grpc.http2.write_buffer_size", "grpc.http2.true_binary", "grpc.http2_scheme",
        "grpc.http2.max_inflight_pings", "grpc.dns_min_time_between_resolutions_ms",
        "grpc.dns_ares_query_timeout", "grpc.dns_enable_srv_queries", "grpc.service_config",
        "grpc.service_config_disable_resolution", "grpc.lb_policy_name",
        "grpc.lb.ring_hash.ring_size_cap", "grpc.priority_failover_timeout_ms",
        "grpc.max_connections_per_subchannel_cap", "grpc.use_local_subchannel_pool",
        "grpc.inhibit_health_checking", "grpc.enable_http_proxy", "grpc.http_proxy",
        "grpc.address_http_proxy", "grpc.address_http_proxy_enabled_addresses",
        "grpc.http_connect_server", "grpc.http_connect_headers", "grpc.ssl_session_cache",
        "grpc.optimization_target", "grpc.experimental.tcp_read_chunk_size",
        "grpc.experimental.tcp_min_read_chunk_size", "grpc.experimental.tcp_max_read_chunk_size",
        "grpc.tcp_receive_buffer_size", "grpc.dscp", "grpc.socket_mutator", "grpc.socket_factory",
        "grpc.enable_channelz", "grpc.max_channel_trace_event_memory_per_node",
    ]

    private static func kind(of name: String) -> Kind? {
        switch name {
        case "grpc.initial_reconnect_backoff_ms": .backoff(\.initialReconnectBackoff)
        case "grpc.max_reconnect_backoff_ms": .backoff(\.maxReconnectBackoff)
        case "grpc.min_reconnect_backoff_ms": .backoff(\.connectTimeout)
        case "grpc.happy_eyeballs_connection_attempt_delay_ms": .milliseconds(\.happyEyeballsDelay)
        case "grpc.max_metadata_size": .softMetadataLimit
        case "grpc.absolute_max_metadata_size": .hardMetadataLimit
        case "grpc.http2.hpack_table_size.encoder":
            .count(\.encoderTableByteCount, 0...Int(Int32.max))
        case "grpc.http2.hpack_table_size.decoder":
            .count(\.decoderTableByteCount, 0...Int(Int32.max))
        case "grpc.max_receive_message_length", "grpc.max_message_length":
            .limit(\.maxReceiveMessageByteCount)
        case "grpc.max_send_message_length": .limit(\.maxSendMessageByteCount)
        case "grpc.max_concurrent_streams": .positive(\.maxConcurrentStreams)
        case "grpc.http2.lookahead_bytes": .positive(\.streamWindowByteCount)
        case "grpc.http2.bdp_probe": .flag(\.measuresBandwidth)
        case "grpc.http2.settings_timeout": .optionalMilliseconds(\.settingsTimeout)
        case "grpc.default_compression_algorithm": .compression(\.defaultCompression)
        case "grpc.http2.max_frame_size": .count(\.maxFrameByteCount, legalFrameByteCounts)
        case "grpc.keepalive_time_ms": .optionalMilliseconds(\.keepAliveInterval)
        case "grpc.keepalive_timeout_ms": .milliseconds(\.keepAliveTimeout)
        case "grpc.keepalive_permit_without_calls": .flag(\.keepAliveWithoutCalls)
        case "grpc.http2.max_pings_without_data": .count(\.maxPingsWithoutData, 0...Int(Int32.max))
        case "grpc.client_idle_timeout_ms": .optionalMilliseconds(\.idleTimeout)
        case "grpc.primary_user_agent": .text(\.userAgentPrefix)
        case "grpc.secondary_user_agent": .text(\.userAgentSuffix)
        case "grpc.default_authority": .text(\.defaultAuthority)
        case "grpc.ssl_target_name_override": .text(\.targetNameOverride)
        default: nil
        }
    }

    /// Sets the argument that gRPC's other clients know as `name`. Throws when there is none of
    /// that name here, or the value is not of its type or outside its range.
    public mutating func set(_ name: String, to value: Value) throws(RPCError) {
        guard let kind = Self.kind(of: name) else {
            throw .refused(
                .invalidArgument,
                Self.unsupported.contains(name)
                    ? "the channel argument '\(name)' is not supported"
                    : "there is no channel argument '\(name)'")
        }
        switch (kind, value) {
        case (.milliseconds(let path), .integer(let value)) where value >= 0:
            // Nought would be no time to wait for whatever it is, and is taken for the least.
            self[keyPath: path] = .milliseconds(max(value, 1))
        case (.backoff(let path), .integer(let value)) where value >= 0:
            self[keyPath: path] = .milliseconds(max(value, Self.shortestBackoff))
        case (.optionalMilliseconds(let path), .integer(let value)) where value > 0:
            self[keyPath: path] = value >= Int(Int32.max) ? nil : .milliseconds(value)
        case (.count(let path, let range), .integer(let value)) where range.contains(value):
            self[keyPath: path] = value
        case (.limit(let path), .integer(let value)) where value >= -1:
            self[keyPath: path] = value == -1 ? nil : value
        case (.positive(let path), .integer(let value)) where (0...Int(Int32.max)).contains(value):
            self[keyPath: path] = value == 0 ? nil : value
        case (.flag(let path), .flag(let value)): self[keyPath: path] = value
        case (.flag(let path), .integer(let value)) where value == 0 || value == 1:
            self[keyPath: path] = value == 1
        case (.compression(let path), .integer(let value))
        where Self.compressions.indices.contains(value):
            self[keyPath: path] = Self.compressions[value]
        case (.hardMetadataLimit, .integer(let value)) where (0...Int(Int32.max)).contains(value):
            maxMetadataByteCount = value
            hasHardMetadataLimit = true
        case (.softMetadataLimit, .integer(let value)) where (0...Int(Int32.max)).contains(value):
            guard !hasHardMetadataLimit else { return }
            maxMetadataByteCount = max(Self.leastHardMetadataLimit, value / 4 * 5)
        case (.text(let path), .string(let value)):
            self[keyPath: path] = value
        default:
            throw .refused(
                .invalidArgument, "the channel argument '\(name)' cannot be \(value)")
        }
    }

    private static let shortestBackoff = 100
}
