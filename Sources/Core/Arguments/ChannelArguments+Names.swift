extension ChannelArguments {
    /// The property that a name sets, and how its value is converted.
    private enum Kind {
        case milliseconds(WritableKeyPath<ChannelArguments, Duration>)
        /// Milliseconds. Values below the minimum of other gRPC clients mean that minimum.
        case backoff(WritableKeyPath<ChannelArguments, Duration>)
        /// Milliseconds. The largest integer means never.
        case optionalMilliseconds(WritableKeyPath<ChannelArguments, Duration?>)
        case count(WritableKeyPath<ChannelArguments, Int>, ClosedRange<Int>)
        /// −1 means no limit.
        case limit(WritableKeyPath<ChannelArguments, Int?>)
        /// 0 means no limit.
        case positive(WritableKeyPath<ChannelArguments, Int?>)
        case flag(WritableKeyPath<ChannelArguments, Bool>)
        /// The inverse of the property: true sets it to false.
        case inverseFlag(WritableKeyPath<ChannelArguments, Bool>)
        case text(WritableKeyPath<ChannelArguments, String?>)
        /// The soft limit for header lists. Other gRPC clients reject some of the lists above it.
        /// This client uses it as the hard limit, unless the hard limit is set too.
        case softMetadataLimit
        case hardMetadataLimit
        /// The number of a compression algorithm in gRPC.
        case compression(WritableKeyPath<ChannelArguments, CompressionAlgorithm>)
        /// A service config in JSON.
        case serviceConfig
        /// The name of a balancing policy.
        case policyName
        /// The URL of a proxy.
        case proxy
        /// Whether a proxy may be used. False has precedence over a proxy that is set by name.
        case environmentProxy
    }

    /// The algorithms in the order of the numbers of `grpc_compression_algorithm`.
    private static let compressions: [CompressionAlgorithm] = [.identity, .deflate, .gzip]

    /// Names that other clients support and this one does not. They have their own error text, so
    /// that the program does not look for a spelling mistake.
    static let unsupported: Set<String> = [
        "grpc.per_message_compression", "grpc.per_message_decompression",
        "grpc.compression_enabled_algorithms_bitset", "grpc.experimental.enable_hedging",
        "grpc.channel_pooling_domain", "grpc.channel_id", "grpc.http2.ping_timeout_ms",
        "grpc.http2.write_buffer_size", "grpc.http2.true_binary", "grpc.http2_scheme",
        "grpc.http2.max_inflight_pings", "grpc.dns_ares_query_timeout",
        "grpc.dns_enable_srv_queries",
        "grpc.lb.ring_hash.ring_size_cap", "grpc.priority_failover_timeout_ms",
        "grpc.use_local_subchannel_pool", "grpc.address_http_proxy",
        "grpc.address_http_proxy_enabled_addresses",
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
        case "grpc.per_rpc_retry_buffer_size": .count(\.maxReplayByteCount, 0...Int(Int32.max))
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
        case "grpc.dns_min_time_between_resolutions_ms": .milliseconds(\.minResolutionInterval)
        case "grpc.service_config": .serviceConfig
        case "grpc.service_config_disable_resolution": .inverseFlag(\.findsServiceConfigInDNS)
        case "grpc.lb_policy_name": .policyName
        case "grpc.max_connections_per_subchannel_cap":
            .count(\.maxConfiguredConnectionCount, 1...Int(Int32.max))
        case "grpc.enable_retries": .flag(\.usesRetryPolicies)
        case "grpc.inhibit_health_checking": .inverseFlag(\.checksHealth)
        case "grpc.http_proxy": .proxy
        case "grpc.enable_http_proxy": .environmentProxy
        default: nil
        }
    }

    /// Sets the argument that other gRPC clients call `name`. Throws INVALID_ARGUMENT if the name
    /// is not supported, or if the value has another type or is out of range.
    public mutating func set(_ name: String, to value: Value) throws(RPCError) {
        guard let kind = Self.kind(of: name) else {
            throw .refused(
                .invalidArgument,
                Self.unsupported.contains(name)
                    ? "channel argument '\(name)' is not supported"
                    : "unknown channel argument '\(name)'")
        }
        if try set(kind, of: name, toText: value) { return }
        switch (kind, value) {
        case (.milliseconds(let path), .integer(let value)) where value >= 0:
            // Zero is treated as the smallest allowed value.
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
        case (.flag(let path), _) where value.asFlag != nil:
            self[keyPath: path] = value.asFlag ?? false
        case (.inverseFlag(let path), _) where value.asFlag != nil:
            self[keyPath: path] = value.asFlag == false
        case (.environmentProxy, _) where value.asFlag != nil:
            isProxyForbidden = value.asFlag == false
            if isProxyForbidden { proxy = .none } else if proxy == .none { proxy = .environment }
        case (.compression(let path), .integer(let value))
        where Self.compressions.indices.contains(value):
            self[keyPath: path] = Self.compressions[value]
        case (.hardMetadataLimit, .integer(let value)) where (0...Int(Int32.max)).contains(value):
            maxMetadataByteCount = value
            hasHardMetadataLimit = true
        case (.softMetadataLimit, .integer(let value)) where (0...Int(Int32.max)).contains(value):
            guard !hasHardMetadataLimit else { return }
            maxMetadataByteCount = value
        case (.text(let path), .string(let value)):
            self[keyPath: path] = value
        default:
            throw .refused(
                .invalidArgument, "channel argument '\(name)' cannot be \(value)")
        }
    }

    private static let shortestBackoff = 100

    /// Sets an argument whose value is parsed from text. Returns false for all other arguments.
    private mutating func set(
        _ kind: Kind, of name: String, toText value: Value
    ) throws(RPCError) -> Bool {
        guard case .string(let text) = value else { return false }
        do throws(RPCError) {
            switch kind {
            case .serviceConfig:
                serviceConfig = try ServiceConfigReaders.reader().config(json: text)
            case .proxy:
                let server = try ProxyServer(text)
                if !isProxyForbidden { proxy = .server(server) }
            case .policyName: balancing = try ServiceConfigReaders.policy(named: text)
            default: return false
            }
        } catch {
            throw .refused(.invalidArgument, "channel argument '\(name)': \(error.message)")
        }
        return true
    }
}

extension ChannelArguments.Value {
    /// Flags as other clients read them: true, false, 1 and 0. Nil for other values.
    fileprivate var asFlag: Bool? {
        switch self {
        case .flag(let value): value
        case .integer(0): false
        case .integer(1): true
        default: nil
        }
    }
}
