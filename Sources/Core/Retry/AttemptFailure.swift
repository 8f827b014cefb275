/// The properties of a failed attempt that decide whether another attempt is sent (A6).
package struct AttemptFailure: Hashable, Sendable {
    /// How far the attempt got.
    package enum Reach: Hashable, Sendable {
        /// The picker dropped the call. It fails without any retries.
        case dropped
        /// The channel was closed. No attempt follows. The attempts that are open continue.
        case closed
        /// The request never left the client. It is sent again transparently, without a limit.
        case notSent
        /// The server's application did not see the call: REFUSED_STREAM, or a GOAWAY with a lower
        /// last stream. It is sent again transparently, once.
        case notProcessed
        /// The picker failed the call, or the server may have processed it. The policy decides.
        case other
    }

    package var code: StatusCode
    package var reach: Reach
    package var pushback: RetryPushback?

    package init(_ code: StatusCode, reach: Reach = .other, pushback: RetryPushback? = nil) {
        self.code = code
        self.reach = reach
        self.pushback = pushback
    }
}

/// Decides whether an attempt that the server did not process is sent again (A6, "Transparent
/// Retries"): always if it never left the client, otherwise once per call.
struct TransparentRetries: Sendable {
    private var serverRefusedOne = false

    /// Whether an attempt that failed this way is sent again at once, without regard to the policy.
    mutating func allow(_ reach: AttemptFailure.Reach) -> Bool {
        switch reach {
        case .notSent:
            return true
        case .notProcessed where !serverRefusedOne:
            serverRefusedOne = true
            return true
        case .notProcessed, .dropped, .closed, .other:
            return false
        }
    }
}
