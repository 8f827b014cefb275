/// What a call is sent with, beside its messages.
package struct CallHead: Sendable {
    let method: MethodSignature
    private let options: CallOptions
    /// Those of the options where they say something, and of the channel where they do not.
    private let limits: MessageLimits

    package init(
        _ method: MethodSignature, _ options: consuming CallOptions, _ limits: MessageLimits
    ) {
        self.method = method
        self.limits = MessageLimits(
            compression: options.compression ?? limits.compression,
            maxSendByteCount: options.maxSendByteCount ?? limits.maxSendByteCount,
            maxReceiveByteCount: options.maxReceiveByteCount ?? limits.maxReceiveByteCount,
            heldBackByteCount: limits.heldBackByteCount)
        self.options = options
    }
}

extension CallHead {
    package var path: String { method.path }
    package var metadata: Metadata { options.metadata }
    /// Why the metadata cannot be sent.
    var metadataProblem: String? { options.metadata.problem }
    package var compression: CompressionAlgorithm { limits.compression }
    /// Nil is the channel's.
    var authority: String? { options.authority }
    /// Whether its headers are those that the channel sends with all calls of the method.
    var isOrdinary: Bool { options.compression == nil && options.authority == nil }
    var waitForReady: Bool { options.waitForReady ?? false }
    var maxSendByteCount: Int? { limits.maxSendByteCount }
    var maxReceiveByteCount: Int? { limits.maxReceiveByteCount }
    /// Of what was read, the call may hold back the window for so much.
    var heldBackByteCount: Int { limits.heldBackByteCount }
    package var isPlain: Bool { method.plain != nil }

    /// Makes a message ready for the stream.
    func frame(
        _ message: consuming EncodedMessage, mayCompress: Bool = true
    ) throws(RPCError) -> EncodedMessage {
        guard !isPlain else {
            try MessagePrefix.check(
                message.byteCount - MessagePrefix.byteCount, maxByteCount: maxSendByteCount)
            return message.withoutPrefix()
        }
        return try MessagePrefix.frame(
            message, mayCompress ? compression : .identity, maxByteCount: maxSendByteCount)
    }
}

/// What a channel sets for calls that say nothing of it.
package struct MessageLimits: Sendable {
    var compression = CompressionAlgorithm.identity
    var maxSendByteCount: Int?
    var maxReceiveByteCount: Int? = 4 << 20
    /// As in ``ChannelArguments``, which no call changes.
    var heldBackByteCount = 0

    package init(
        compression: CompressionAlgorithm = .identity, maxSendByteCount: Int? = nil,
        maxReceiveByteCount: Int? = 4 << 20, heldBackByteCount: Int = 0
    ) {
        self.compression = compression
        self.maxSendByteCount = maxSendByteCount
        self.maxReceiveByteCount = maxReceiveByteCount
        self.heldBackByteCount = heldBackByteCount
    }
}
