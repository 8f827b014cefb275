extension ChannelArguments {
    /// What a name stands for.
    private enum Kind {
        case milliseconds(WritableKeyPath<ChannelArguments, Duration>)
        /// The largest integer is never.
        case optionalMilliseconds(WritableKeyPath<ChannelArguments, Duration?>)
        case count(WritableKeyPath<ChannelArguments, Int>, ClosedRange<Int>)
        /// −1 is none.
        case limit(WritableKeyPath<ChannelArguments, Int?>)
        /// 0 is none.
        case positive(WritableKeyPath<ChannelArguments, Int?>)
        case flag(WritableKeyPath<ChannelArguments, Bool>)
        case text(WritableKeyPath<ChannelArguments, String?>)
    }

    private static func kind(of name: String) -> Kind? {
        switch name {
        case "grpc.initial_reconnect_backoff_ms": .milliseconds(\.initialReconnectBackoff)
        case "grpc.max_reconnect_backoff_ms": .milliseconds(\.maxReconnectBackoff)
        case "grpc.min_reconnect_backoff_ms": .milliseconds(\.connectTimeout)
        case "grpc.happy_eyeballs_connection_attempt_delay_ms": .milliseconds(\.happyEyeballsDelay)
        case "grpc.max_metadata_size", "grpc.absolute_max_metadata_size":
            .count(\.maxMetadataByteCount, 0...Int(Int32.max))
        case "grpc.http2.hpack_table_size.encoder":
            .count(\.encoderTableByteCount, 0...Int(Int32.max))
        case "grpc.http2.hpack_table_size.decoder":
            .count(\.decoderTableByteCount, 0...Int(Int32.max))
        case "grpc.max_receive_message_length", "grpc.max_message_length":
            .limit(\.maxReceiveMessageByteCount)
        case "grpc.max_send_message_length": .limit(\.maxSendMessageByteCount)
        case "grpc.max_concurrent_streams": .positive(\.maxConcurrentStreams)
        case "grpc.http2.lookahead_bytes": .positive(\.streamWindowByteCount)
        case "grpc.http2.max_frame_size": .count(\.maxFrameByteCount, 16_384...16_777_215)
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
            throw Self.refusal("there is no channel argument '\(name)'")
        }
        switch (kind, value) {
        case (.milliseconds(let path), .integer(let value)) where value >= 0:
            self[keyPath: path] = .milliseconds(value)
        case (.optionalMilliseconds(let path), .integer(let value)) where value > 0:
            self[keyPath: path] = value >= Int(Int32.max) ? nil : .milliseconds(value)
        case (.count(let path, let range), .integer(let value)) where range.contains(value):
            self[keyPath: path] = value
        case (.limit(let path), .integer(let value)) where value >= -1:
            self[keyPath: path] = value == -1 ? nil : value
        case (.positive(let path), .integer(let value)) where (0...Int(Int32.max)).contains(value):
            self[keyPath: path] = value == 0 ? nil : value
        case (.flag(let path), .integer(let value)) where value == 0 || value == 1:
            self[keyPath: path] = value == 1
        case (.text(let path), .string(let value)):
            self[keyPath: path] = value
        default:
            throw Self.refusal("the channel argument '\(name)' cannot be \(value)")
        }
    }

    private static func refusal(_ message: String) -> RPCError {
        var error = RPCError(.invalidArgument, message)
        error.phase = .preparing
        error.mayHaveBeenExecuted = false
        return error
    }
}
