/// The options of one call. The default of each option is right for most calls.
///
/// ```swift
/// try await greeter.sayHello(request, options: .with { $0.timeout = .seconds(1) })
/// ```
public struct CallOptions: Sendable {
    /// The longest time from the start of the call to its status. After this time, the call ends
    /// with DEADLINE_EXCEEDED. Nil, the default, means no limit. Interceptors receive the timeout
    /// as part of the ``absoluteDeadline``.
    public var timeout: Duration?

    /// The moment at which the call ends with DEADLINE_EXCEEDED. The default is never. If ``timeout`` is
    /// set too, the earlier one applies.
    public var absoluteDeadline = Deadline.never

    /// Headers sent with the request. The default is none.
    public var metadata = Metadata()

    /// Whether the call waits while the server cannot be reached, instead of failing with UNAVAILABLE
    /// at once. Nil, the default, means the channel's value; its default is `false`.
    public var waitForReady: Bool?

    /// The size of the largest message that may be sent, in bytes. Nil, the default, means the channel's
    /// value. A larger message fails the call with RESOURCE_EXHAUSTED.
    public var maxSendByteCount: Int?

    /// The size of the largest message that is accepted, in bytes. Nil, the default, means the channel's
    /// value. A larger message fails the call with RESOURCE_EXHAUSTED before memory is allocated for
    /// it.
    public var maxReceiveByteCount: Int?

    /// Options that few calls set. Nil if none is set, so that options are small.
    private var rare: Rare?

    public init() {}

    /// Builds options in one expression: `.with { $0.timeout = .seconds(1) }`.
    public static func with(_ configure: (inout CallOptions) -> Void) -> CallOptions {
        var options = CallOptions()
        configure(&options)
        return options
    }
}

// MARK: - Options that few calls set

extension CallOptions {
    /// Shared by copies of the options until one is changed.
    private final class Rare: Sendable {
        let values: Values
        init(_ values: Values) { self.values = values }
    }

    private struct Values: Sendable {
        var compression: CompressionAlgorithm?
        var authority: String?
        var credentials: (any CallCredentials)?
        var interceptors: [InterceptorFactory] = []
        var path: String?
        var inheritsDeadline: Bool?
        var needsEncryption = false
    }

    @inline(never)  // Has many callers.
    private mutating func set(_ change: (inout Values) -> Void) {
        var values = rare?.values ?? Values()
        change(&values)
        rare = Rare(values)
    }

    /// How request messages are compressed. Nil, the default, means the channel's value.
    public var compression: CompressionAlgorithm? {
        get { rare?.values.compression }
        set { set { $0.compression = newValue } }
    }

    /// Replaces the channel's `:authority`. Over TLS the server's certificate must be valid for this
    /// host too; otherwise the call fails with UNAUTHENTICATED before anything is sent. The default is
    /// nil.
    public var authority: String? {
        get { rare?.values.authority }
        set { set { $0.authority = newValue } }
    }

    /// Adds metadata that authenticates the caller, such as a bearer token. The credentials of the channel's
    /// default options are used too. If both give metadata of the same name, only the metadata of the call's
    /// credentials is sent. The default is nil.
    public var credentials: (any CallCredentials)? {
        get { rare?.values.credentials }
        set { set { $0.credentials = newValue } }
    }

    /// Interceptors of this call. Requests pass the channel's interceptors first, then these. The default is
    /// none. `SwiftletInterceptors` has what they are made of.
    public var interceptors: [InterceptorFactory] {
        get { rare?.values.interceptors ?? [] }
        set { set { $0.interceptors = newValue } }
    }

    /// Whether the call ends with the deadline of `withDeadline` around it. The default is true.
    public var inheritsDeadline: Bool {
        get { rare?.values.inheritsDeadline ?? true }
        set { set { $0.inheritsDeadline = newValue } }
    }

    /// Replaces the path of the call. Only interceptors set it. Nil means the path of the method.
    package var path: String? {
        get { rare?.values.path }
        set { set { $0.path = newValue } }
    }

    /// Whether the metadata must not be sent on a connection that is not encrypted. Set only if the channel has
    /// connections of both kinds. An attempt on the wrong kind fails with UNAUTHENTICATED.
    var needsEncryption: Bool {
        get { rare?.values.needsEncryption ?? false }
        set { set { $0.needsEncryption = newValue } }
    }

    /// Removes the interceptors, because the chain of the call has made them. Otherwise the call below the chain would
    /// keep what they captured.
    package mutating func removeInterceptors() {
        if !interceptors.isEmpty { interceptors = [] }
    }

    /// Removes the credentials, because the call gets their metadata. Otherwise it would keep what they captured.
    package mutating func takeCredentials() -> (any CallCredentials)? {
        guard let credentials else { return nil }
        self.credentials = nil
        return credentials
    }
}

// MARK: - Defaults

extension CallOptions {
    /// Whether the options set nothing.
    @usableFromInline package var isEmpty: Bool {
        timeout == nil && absoluteDeadline == .never && metadata.hasNoElements
            && waitForReady == nil
            && maxSendByteCount == nil && maxReceiveByteCount == nil && rare == nil
    }

    /// These options, completed with the values of `defaults`. Metadata of `defaults` is added for
    /// names that these options do not have.
    @usableFromInline package consuming func merged(over defaults: CallOptions) -> CallOptions {
        var merged = self
        // A deadline of the call replaces that of the defaults, even if it is later.
        if merged.timeout == nil, merged.absoluteDeadline == .never {
            merged.timeout = defaults.timeout
            merged.absoluteDeadline = defaults.absoluteDeadline
        }
        if !defaults.metadata.hasNoElements {
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
                own.credentials = CombinedCredentials.of(values.credentials, and: own.credentials)
                own.interceptors = values.interceptors + own.interceptors
                own.inheritsDeadline = own.inheritsDeadline ?? values.inheritsDeadline
            }
        }
        return merged
    }

    /// Lets the call end with the deadline that its caller has set for all calls.
    mutating func inherit(_ inherited: Deadline) {
        if inherited != .never, inheritsDeadline {
            absoluteDeadline = .earlier(absoluteDeadline, inherited)
        }
    }

    /// The earlier of ``timeout``, counted from now, and ``absoluteDeadline``.
    package var deadline: Deadline {
        guard let timeout else { return absoluteDeadline }
        return .earlier(absoluteDeadline, .after(timeout))
    }

    /// Counts the timeout from now: it becomes a part of ``absoluteDeadline``.
    package mutating func beginTimeout() {
        absoluteDeadline = deadline
        timeout = nil
    }
}
