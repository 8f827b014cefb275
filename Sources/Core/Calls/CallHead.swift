import SwiftletTransport

/// The parts of a call that are fixed at its start: method, options and limits.
package struct CallHead: Sendable {
    package let method: MethodSignature
    let options: CallOptions
    /// Those of the channel.
    let limits: MessageLimits
    /// What the service config or the channel's config selector has decided; nil if neither has.
    let rules: CallRules?
    /// The hash that the selector has computed; nil if it has computed none.
    let requestHash: UInt64?

    init(
        _ method: MethodSignature, _ options: consuming CallOptions, _ limits: MessageLimits,
        _ rules: consuming CallRules? = nil, requestHash: UInt64? = nil
    ) {
        self.method = method
        self.rules = rules
        self.requestHash = requestHash
        self.limits = limits
        self.options = options
    }
}

extension CallHead {
    package var path: String { method.path }
    var metadata: Metadata { options.metadata }
    package var compression: CompressionAlgorithm {
        options.compression ?? limits.arguments.defaultCompression
    }
    /// Nil if the call is sent once, as every call of a channel that uses no retry policies is.
    var retry: RetryPolicy? { limits.arguments.usesRetryPolicies ? rules?.retry : nil }
    /// Whether the call uses the same prepared headers as most calls of its method.
    var hasDefaultHeaders: Bool { options.compression == nil && options.authority == nil }
    var waitForReady: Bool { options.waitForReady ?? false }
    var maxSendByteCount: Int? {
        options.maxSendByteCount ?? limits.arguments.maxSendMessageByteCount
    }
    var maxReceiveByteCount: Int? {
        options.maxReceiveByteCount ?? limits.arguments.maxReceiveMessageByteCount
    }
    package var framing: BodyFraming { method.framing }
    /// Whether the request is plain HTTP.
    package var isPlain: Bool { method.plain != nil }
    /// Whether the request is a HEAD request, so that its response has no content.
    var isHead: Bool { method.plain?.method == .head }

    /// The limit of a message that has this many bytes while it is compressed.
    func maxReceiveByteCount(compressed byteCount: Int) -> Int? {
        guard let ratio = limits.arguments.maxDecompressionRatio else { return maxReceiveByteCount }
        let (limit, isLarge) = byteCount.multipliedReportingOverflow(by: max(1, ratio))
        return isLarge ? maxReceiveByteCount : min(limit, maxReceiveByteCount ?? limit)
    }

    /// A message as it is sent on the stream. Throws if it is too large or cannot be compressed.
    func frame(
        _ message: consuming EncodedMessage, allowsCompression: Bool = true
    ) throws(RPCError) -> EncodedMessage {
        try framing.frame(
            message, allowsCompression ? compression : .identity, maxByteCount: maxSendByteCount)
    }
}

/// What a channel sets for calls whose options set nothing else. An object, because every call refers to it.
package final class MessageLimits: Sendable {
    package let arguments: ChannelArguments
    /// As in ``ChannelArguments``; the options of a call cannot change it.
    let heldBackByteCount: Int

    package init(_ arguments: ChannelArguments = ChannelArguments(), heldBackByteCount: Int = 0) {
        self.arguments = arguments
        self.heldBackByteCount = heldBackByteCount
    }

    func retryState(of policy: RetryPolicy, _ throttle: RetryThrottle?) -> RetryState {
        RetryState(policy, limit: arguments.maxAttemptCount, throttle: throttle)
    }
}
