/// What is set for one call, by a config selector (proposal A31) or by the service config. Its parts move into the call.
package struct CallSelection: ~Copyable, Sendable {
    /// Nil if the service config has no entry for the method.
    package let rules: CallRules?
    /// The hash by which `ring_hash` places the call; nil if the selector computes none.
    package let requestHash: UInt64?
    /// The call releases it when it is committed or over, outside of every lock: the last release may call the
    /// resolver.
    package let cluster: (any KeptCluster)?

    package init(
        _ rules: consuming CallRules?, requestHash: UInt64? = nil,
        cluster: consuming (any KeptCluster)? = nil
    ) {
        self.rules = rules
        self.requestHash = requestHash
        self.cluster = cluster
    }
}

/// What is the same for all attempts of a call, and mostly for all calls of a route or of an entry of the service
/// config: then they share the object.
package final class CallRules: Sendable {
    typealias Maker =
        @Sendable (consuming NewCall, consuming CallSelection, Channel) -> any CallRequests

    /// The timeout, the retries and the limits. The names are not used.
    package let config: MethodConfig
    /// Nil for most rules.
    let retry: RetryPolicy?
    /// That of the service config; nil if it has none.
    package let throttle: RetryThrottle?
    /// Makes the call of an ``AttemptPolicy``; nil for most rules. A function, because each call copies it, which costs
    /// more for a policy.
    let makeOther: Maker?
    /// What the pickers of the selector's module read.
    package let attributes: (any CallAttributes)?
    /// A step before the first attempt; nil for most calls.
    let filter: (any CallFilter)?
    /// Sees the response of each attempt; nil for most calls.
    let responseFilter: (any ResponseFilter)?
    /// Why the selector fails the call; nil if it does not.
    let failure: RPCError?

    package init(
        _ config: MethodConfig = MethodConfig([]), throttle: RetryThrottle? = nil,
        attributes: (any CallAttributes)? = nil,
        filter: (any CallFilter)? = nil, responseFilter: (any ResponseFilter)? = nil,
        failure: RPCError? = nil
    ) {
        self.config = config
        self.throttle = throttle
        switch config.attempts {
        case .retry(let policy): (retry, makeOther) = (policy, nil)
        case .other(let policy): (retry, makeOther) = (nil, { policy.makeCall($0, $1, on: $2) })
        case nil: (retry, makeOther) = (nil, nil)
        }
        self.attributes = attributes
        self.filter = filter
        self.responseFilter = responseFilter
        self.failure = failure
    }
}
