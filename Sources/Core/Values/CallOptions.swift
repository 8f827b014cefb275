/// What may differ from one call to the next. Every option has a default that is right for most
/// calls, so most calls name none of them.
///
/// ```swift
/// try await greeter.sayHello(request, .with { $0.timeout = .seconds(1) })
/// ```
public struct CallOptions: Sendable {
    /// How long the call may take, from its start to its status. Nil is for ever.
    public var timeout: Duration?

    /// When the call must have ended. Of this and ``timeout`` the earlier counts.
    public var absoluteDeadline = Deadline.never

    /// Headers sent with the request.
    public var metadata = Metadata()

    /// Whether the call waits while the server cannot be reached, instead of failing at once. Nil
    /// leaves it to the channel's defaults, and then to `false`.
    public var waitForReady: Bool?

    /// How request messages are compressed. Nil leaves it to the channel.
    public var compression: CompressionAlgorithm?

    /// The largest message that is sent; nil leaves it to the channel.
    public var maxSendByteCount: Int?

    /// The largest message that is accepted; nil leaves it to the channel. A server that sends a
    /// larger one fails the call with `RESOURCE_EXHAUSTED`; it cannot make the client allocate it.
    public var maxReceiveByteCount: Int?

    /// Stands in for the channel's in `:authority`.
    public var authority: String?

    /// Where the call gets its proof of identity from, as a bearer token.
    public var credentials: (any CallCredentials)?

    /// Interceptors of this call. Its requests meet them after those of the channel.
    public var interceptors: [InterceptorFactory] = []

    public init() {}

    /// Builds options in one expression: `.with { $0.timeout = .seconds(1) }`.
    public static func with(_ configure: (inout CallOptions) -> Void) -> CallOptions {
        var options = CallOptions()
        configure(&options)
        return options
    }
}

extension CallOptions {
    /// These options where they say something, `defaults` where they do not. Metadata adds up.
    consuming func merged(over defaults: CallOptions) -> CallOptions {
        var merged = self
        if merged.timeout == nil { merged.timeout = defaults.timeout }
        merged.absoluteDeadline = .earlier(merged.absoluteDeadline, defaults.absoluteDeadline)
        if !defaults.metadata.isEmpty {
            let own = merged.metadata
            merged.metadata = defaults.metadata
            for name in Set(own.map(\.name)) { merged.metadata.removeAll(name) }
            merged.metadata.append(contentsOf: own)
        }
        if merged.waitForReady == nil { merged.waitForReady = defaults.waitForReady }
        if merged.compression == nil { merged.compression = defaults.compression }
        if merged.maxSendByteCount == nil { merged.maxSendByteCount = defaults.maxSendByteCount }
        if merged.maxReceiveByteCount == nil {
            merged.maxReceiveByteCount = defaults.maxReceiveByteCount
        }
        if merged.authority == nil { merged.authority = defaults.authority }
        if merged.credentials == nil { merged.credentials = defaults.credentials }
        if !defaults.interceptors.isEmpty {
            merged.interceptors = defaults.interceptors + merged.interceptors
        }
        return merged
    }

    /// The smaller of the relative and the absolute deadline, counted from now.
    var deadline: Deadline {
        guard let timeout else { return absoluteDeadline }
        return .earlier(absoluteDeadline, .after(timeout))
    }
}
