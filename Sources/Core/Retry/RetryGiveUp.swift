/// Why a failed attempt is the last one of its call.
enum RetryGiveUp: Equatable, Sendable {
    /// The status code is not one that the policy retries.
    case codeNotRetryable
    /// All attempts that the policy allows were made.
    case attemptsExhausted
    /// Response headers arrived, or the request is larger than the replay buffer.
    case committed
    /// The server requested that no attempt follows.
    case pushedBack
    /// Too many calls to the server fail.
    case throttled
}

extension RetryGiveUp: CustomStringConvertible {
    var description: String {
        switch self {
        case .codeNotRetryable: "the status code is not retryable"
        case .attemptsExhausted: "all attempts were made"
        case .committed: "the call was committed to this attempt"
        case .pushedBack: "the server asked for no retry"
        case .throttled: "retries are throttled"
        }
    }
}
