/// What may differ from one call to the next. Every option has a default that is right for most
/// calls, so most calls name none of them.
///
/// ```swift
/// try await greeter.sayHello(request, .with { $0.timeout = .seconds(1) })
/// ```
public struct CallOptions: Sendable {
    /// How long the call may take, from its start to its status. Nil is for ever. An interceptor
    /// never sees it: it has become part of the ``absoluteDeadline`` by then.
    public var timeout: Duration?

    /// When the call must have ended. Of this and ``timeout`` the earlier counts.
    public var absoluteDeadline = Deadline.never

    /// Headers sent with the request.
    public var metadata = Metadata()

    /// Whether the call waits while the server cannot be reached, instead of failing at once. Nil
    /// leaves it to the channel's defaults, and then to `false`.
    public var waitForReady: Bool?

    /// The largest message that is sent; nil leaves it to the channel.
    public var maxSendByteCount: Int?

    /// The largest message that is accepted; nil leaves it to the channel. A server that sends a
    /// larger one fails the call with `RESOURCE_EXHAUSTED`; it cannot make the client allocate it.
    public var maxReceiveByteCount: Int?

    /// Nil is none of them: so the options of most calls hold on to next to nothing.
    private var rare: Rare?

    public init() {}

    /// Builds options in one expression: `.with { $0.timeout = .seconds(1) }`.
    public static func with(_ configure: (inout CallOptions) -> Void) -> CallOptions {
        var options = CallOptions()
        configure(&options)
        return options
    }
}

// MARK: - What few calls set

extension CallOptions {
    /// Shared by copies until one is changed.
    private final class Rare: Sendable {
        let values: Values
        init(_ values: Values) { self.values = values }
    }

    private struct Values: Sendable {
        var compression: CompressionAlgorithm?
        var authority: String?
        var credentials: (any CallCredentials)?
        var interceptors: [InterceptorFactory] = []
    }

    private mutating func set(_ change: (inout Values) -> Void) {
        var values = rare?.values ?? Values()
        change(&values)
        rare = Rare(values)
    }

    /// How request messages are compressed. Nil leaves it to the channel.
    public var compression: CompressionAlgorithm? {
        get { rare?.values.compression }
        set { set { $0.compression = newValue } }
    }

    /// Stands in for the channel's in `:authority`.
    public var authority: String? {
        get { rare?.values.authority }
        set { set { $0.authority = newValue } }
    }

    /// Where the call gets its proof of identity from, as a bearer token.
    public var credentials: (any CallCredentials)? {
        get { rare?.values.credentials }
        set { set { $0.credentials = newValue } }
    }

    /// Interceptors of this call. Its requests meet them after those of the channel.
    public var interceptors: [InterceptorFactory] {
        get { rare?.values.interceptors ?? [] }
        set { set { $0.interceptors = newValue } }
    }

    /// Whether the call is one that no interceptor looks at, for all that its options say.
    var meetsNobody: Bool {
        guard let values = rare?.values else { return true }
        return values.interceptors.isEmpty && values.credentials == nil
    }
}

// MARK: - Defaults

extension CallOptions {
    /// Whether they leave everything to the defaults.
    package var saysNothing: Bool {
        timeout == nil && absoluteDeadline == .never && metadata.saysNothing && waitForReady == nil
            && maxSendByteCount == nil && maxReceiveByteCount == nil && rare == nil
    }

    /// These options where they say something, `defaults` where they do not. Metadata of names that
    /// these do not have is added.
    package consuming func merged(over defaults: CallOptions) -> CallOptions {
        var merged = self
        // A call that says when it must have ended means it, however soon the default would end it.
        if merged.timeout == nil, merged.absoluteDeadline == .never {
            merged.timeout = defaults.timeout
            merged.absoluteDeadline = defaults.absoluteDeadline
        }
        if !defaults.metadata.saysNothing {
            let own = merged.metadata
            merged.metadata = defaults.metadata
            for name in Set(own.map(\.name)) { merged.metadata.removeAll(name) }
            merged.metadata.append(contentsOf: own)
        }
        if merged.waitForReady == nil { merged.waitForReady = defaults.waitForReady }
        if merged.maxSendByteCount == nil { merged.maxSendByteCount = defaults.maxSendByteCount }
        if merged.maxReceiveByteCount == nil {
            merged.maxReceiveByteCount = defaults.maxReceiveByteCount
        }
        if let values = defaults.rare?.values {
            merged.set { own in
                own.compression = own.compression ?? values.compression
                own.authority = own.authority ?? values.authority
                own.credentials = own.credentials ?? values.credentials
                own.interceptors = values.interceptors + own.interceptors
            }
        }
        return merged
    }

    /// The smaller of the relative and the absolute deadline, counted from now.
    var deadline: Deadline {
        guard let timeout else { return absoluteDeadline }
        return .earlier(absoluteDeadline, .after(timeout))
    }
}
