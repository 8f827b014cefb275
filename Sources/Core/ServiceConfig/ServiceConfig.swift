/// The settings that the owner of a service prescribes for calls: timeouts, retries, balancing. The
/// resolver or the channel's arguments provide them. If both do, those of the resolver are used.
///
/// ```swift
/// var config = ServiceConfig()
/// config.balancing = RoundRobin()
/// config.methods = [
///     MethodConfig([.service("helloworld.Greeter")]) {
///         $0.timeout = .seconds(1)
///         $0.retry = RetryPolicy(maxAttempts: 3, retryableCodes: [.unavailable])
///     }
/// ]
/// ```
public struct ServiceConfig: Sendable {
    /// How calls are spread over endpoints. Nil, the default, means `pick_first`.
    public var balancing: (any BalancingPolicy)?
    /// The settings of methods. For each method, only the most specific entry applies: the entry
    /// that names the method, otherwise the entry for its service, otherwise the entry for all
    /// services.
    public var methods: [MethodConfig] = []
    /// When retries stop because too many calls fail. Nil, the default, means never.
    public var retryThrottling: RetryThrottling?
    /// How the health of servers is checked. Nil, the default, means not at all.
    package var healthCheck: HealthCheck?
    /// The most connections of a subchannel (proposal A105). Nil, the default, means
    /// ``ChannelArguments/maxConnectionCount``. Another value in a later config also applies to the subchannels
    /// that exist.
    public var maxConnectionsPerSubchannel: Int?
    /// A sentence for each field of the JSON text that is not known, such as
    /// `methodConfig[0].retryPolcy: the field is not known, so it has no effect`. Does not count in comparisons.
    public package(set) var warnings: [String] = []

    /// A config without any setting.
    public init() {}

    /// A config that sets only the balancing policy.
    public init(balancing: any BalancingPolicy) { self.balancing = balancing }
}

extension ServiceConfig: Hashable {
    public static func == (left: ServiceConfig, right: ServiceConfig) -> Bool {
        left.hashedBalancing == right.hashedBalancing && left.methods == right.methods
            && left.retryThrottling == right.retryThrottling
            && left.healthCheck == right.healthCheck
            && left.maxConnectionsPerSubchannel == right.maxConnectionsPerSubchannel
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(hashedBalancing)
        hasher.combine(methods)
    }

    private var hashedBalancing: AnyHashable? {
        balancing.map { AnyHashable($0) }
    }
}

/// The settings of a service config for some methods.
public struct MethodConfig: Hashable, Sendable {
    /// The methods that an entry applies to.
    public enum Name: Hashable, Sendable {
        /// All methods of all services.
        case all
        /// All methods of a service, by its full name.
        case service(String)
        /// One method.
        case method(service: String, method: String)
    }

    /// How often a call is sent, and when.
    package enum Attempts: Sendable {
        case retry(RetryPolicy)
        case other(any AttemptPolicy)
    }

    /// The methods that the entry applies to.
    public var names: [Name]
    /// The most time that a call may take. The earlier of this timeout and the call's own deadline
    /// applies. Nil, the default, sets no limit.
    public var timeout: Duration?
    /// The default of ``CallOptions/waitForReady`` for calls whose options do not set it. Nil, the
    /// default, sets none.
    public var waitForReady: Bool?
    /// The largest request message, in bytes. The smaller of this and the call's limit applies.
    public var maxRequestByteCount: Int?
    /// The largest response message, in bytes. The smaller of this and the call's limit applies.
    public var maxResponseByteCount: Int?
    /// Whether and when calls are sent again. Nil, the default, means that each call is sent once.
    package var attempts: Attempts?

    /// Makes an entry for some methods. `configure` sets its settings.
    public init(_ names: [Name], _ configure: (inout MethodConfig) -> Void = { _ in }) {
        self.names = names
        configure(&self)
    }
}

extension MethodConfig {
    /// The retry policy; nil, the default, if failed calls are not sent again. Setting it replaces a hedging policy,
    /// which the module `SwiftletBalancing` has.
    public var retry: RetryPolicy? {
        get { if case .retry(let policy) = attempts { policy } else { nil } }
        set { attempts = newValue.map { .retry($0) } }
    }
}

extension MethodConfig.Attempts: Hashable {
    private var hashed: AnyHashable {
        switch self {
        case .retry(let policy): AnyHashable(policy)
        case .other(let policy): AnyHashable(policy)
        }
    }

    package static func == (left: Self, right: Self) -> Bool { left.hashed == right.hashed }

    package func hash(into hasher: inout Hasher) { hasher.combine(hashed) }
}

/// When a failed call is sent again (proposal A6).
public struct RetryPolicy: Hashable, Sendable {
    /// How often the call is sent, including the first time: at least 2. ``ChannelArguments/maxAttemptCount`` limits it.
    public var maxAttempts: Int
    /// The delay before the second attempt, without jitter; 0.1 seconds by default.
    public var initialBackoff = Duration.milliseconds(100)
    /// The longest delay, without jitter; 1 second by default.
    public var maxBackoff = Duration.seconds(1)
    /// The factor between each delay and the next; 2 by default.
    public var backoffMultiplier = 2.0
    /// The codes after which the call is sent again.
    public var retryableCodes: Set<StatusCode>

    /// A policy with the default delays.
    public init(maxAttempts: Int, retryableCodes: Set<StatusCode>) {
        self.maxAttempts = maxAttempts
        self.retryableCodes = retryableCodes
    }
}

/// A policy that sends the attempts of a call in another way than one after the other. It makes the calls.
package protocol AttemptPolicy: Hashable, Sendable {
    /// The call, not started yet.
    func makeCall(
        _ call: consuming NewCall, _ selection: consuming CallSelection, on channel: Channel
    ) -> any CallRequests
}

/// Stops retries and hedging while a large part of the calls to a server name fails (proposal A6).
public struct RetryThrottling: Hashable, Sendable {
    /// The number of tokens at the start, which is also the maximum: above 0, at most 1,000. Each
    /// failed attempt removes one token. Retries stop while no more than half of the tokens are
    /// left.
    public var maxTokens: Int
    /// The number of tokens that each success adds: above 0. Digits after the third decimal place
    /// are ignored.
    public var tokenRatio: Double

    /// Makes a throttle's configuration.
    public init(maxTokens: Int, tokenRatio: Double) {
        self.maxTokens = maxTokens
        self.tokenRatio = tokenRatio
    }
}
