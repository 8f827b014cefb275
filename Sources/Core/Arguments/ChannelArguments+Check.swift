extension ChannelArguments {
    /// The legal values of SETTINGS_MAX_FRAME_SIZE (RFC 9113 §6.5.2).
    static let legalFrameByteCounts = 16_384...16_777_215

    /// Throws INVALID_ARGUMENT at the first illegal value. Values that are set by name are checked
    /// when they are set, properties when a channel is made.
    func check() throws(RPCError) {
        try Self.check("initialReconnectBackoff", initialReconnectBackoff, isPositive: false)
        try Self.check("maxReconnectBackoff", maxReconnectBackoff, isPositive: false)
        try Self.check("connectTimeout", connectTimeout, isPositive: true)
        try Self.check("happyEyeballsDelay", happyEyeballsDelay, isPositive: false)
        try Self.check("settingsTimeout", settingsTimeout, isPositive: true)
        try Self.check("keepAliveInterval", keepAliveInterval, isPositive: true)
        try Self.check("keepAliveTimeout", keepAliveTimeout, isPositive: true)
        try Self.check("idleTimeout", idleTimeout, isPositive: false)
        try Self.check("minResolutionInterval", minResolutionInterval, isPositive: false)
        let natural = 0...Int(Int32.max)
        try Self.check("maxMetadataByteCount", maxMetadataByteCount, natural)
        try Self.check("encoderTableByteCount", encoderTableByteCount, natural)
        try Self.check("decoderTableByteCount", decoderTableByteCount, natural)
        try Self.check("maxReceiveMessageByteCount", maxReceiveMessageByteCount, 0...Int.max)
        try Self.check("maxSendMessageByteCount", maxSendMessageByteCount, 0...Int.max)
        try Self.check("maxAttemptCount", maxAttemptCount, 1...Int.max)
        try Self.check("maxConcurrentStreams", maxConcurrentStreams, 1...Int.max)
        try Self.check("maxConnectionCount", maxConnectionCount, 1...Int.max)
        try Self.check("maxConfiguredConnectionCount", maxConfiguredConnectionCount, 1...Int.max)
        try Self.check("streamWindowByteCount", streamWindowByteCount, 1...Int(Int32.max))
        try Self.check("maxFrameByteCount", maxFrameByteCount, Self.legalFrameByteCounts)
        try Self.check("maxPingsWithoutData", maxPingsWithoutData, natural)
        guard findsServiceConfigInDNS else { return }
        do throws(RPCError) {
            _ = try ServiceConfigReaders.reader()
        } catch {
            throw .refused(
                .invalidArgument, "channel argument 'findsServiceConfigInDNS': \(error.message)")
        }
    }

    private static func check(
        _ name: String, _ value: Int?, _ range: ClosedRange<Int>
    ) throws(RPCError) {
        guard let value, !range.contains(value) else { return }
        let legal =
            range.upperBound == .max
            ? "at least \(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
        throw .refused(
            .invalidArgument, "channel argument '\(name)' is \(value) (expected \(legal))")
    }

    private static func check(
        _ name: String, _ value: Duration?, isPositive: Bool
    ) throws(RPCError) {
        guard let value, value < .zero || (isPositive && value == .zero) else { return }
        let legal = isPositive ? "above zero" : "of at least zero"
        throw .refused(
            .invalidArgument,
            "channel argument '\(name)' is \(value) (expected a duration \(legal))")
    }
}
