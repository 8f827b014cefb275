public import SwiftletCore

/// Sends a call several times without waiting for failures, and uses the first response (proposal
/// A6). Only for calls that may be executed more than once.
public struct HedgingPolicy: Hashable, Sendable {
    /// How often the call is sent, including the first time: at least 2. `ChannelArguments.maxAttemptCount` limits it.
    public var maxAttempts: Int
    /// The delay between two attempts. Zero, the default, sends all attempts at once.
    public var delay = Duration.zero
    /// The codes that do not end the call while another attempt is open or follows; none by
    /// default.
    public var nonFatalCodes: Set<StatusCode> = []

    /// A policy without delay.
    public init(maxAttempts: Int) { self.maxAttempts = maxAttempts }
}

extension MethodConfig {
    /// The hedging policy; nil, the default, if there is none. Setting it replaces a retry policy.
    ///
    /// ```swift
    /// MethodConfig([.service("search.Index")]) { $0.hedging = HedgingPolicy(maxAttempts: 2) }
    /// ```
    public var hedging: HedgingPolicy? {
        get { if case .other(let policy as HedgingPolicy) = attempts { policy } else { nil } }
        set { attempts = newValue.map { .hedging($0) } }
    }
}

extension MethodConfig.Attempts {
    package static func hedging(_ policy: HedgingPolicy) -> Self { .other(policy) }
}

extension HedgingPolicy: AttemptPolicy {
    package func makeCall(
        _ call: consuming NewCall, _ selection: consuming CallSelection, on channel: Channel
    ) -> any CallRequests {
        HedgedCall(call, self, AttemptMaker(channel, call, selection))
    }
}
