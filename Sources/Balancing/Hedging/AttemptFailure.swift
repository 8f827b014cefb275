import SwiftletCore

/// The properties of a failed attempt that decide what a hedged call does (A6).
struct AttemptFailure: Equatable, Sendable {
    /// How far the attempt got.
    enum Reach: Equatable, Sendable {
        /// The picker dropped the call. It fails without any retries.
        case dropped
        /// The channel was closed. No attempt follows. The attempts that are open continue.
        case closed
        /// The picker failed the call, or a server did. The policy decides. If no server has seen the call,
        /// the attempt has sent it again by itself, once in the call.
        case other
    }

    var code: StatusCode
    var reach: Reach
    var pushback: RetryPushback?

    init(_ code: StatusCode, reach: Reach = .other, pushback: RetryPushback? = nil) {
        self.code = code
        self.reach = reach
        self.pushback = pushback
    }
}
