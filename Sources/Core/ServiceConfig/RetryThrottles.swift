import Synchronization

/// The throttles in use, by server name. Channels to the same server share one.
final class RetryThrottles: Sendable {
    /// The throttles of the process.
    static let shared = RetryThrottles()

    struct Entry: Sendable {
        private(set) weak var throttle: RetryThrottle?
    }

    private let entries = Mutex<[String: Entry]>([:])

    /// The throttle of a server, with this configuration. It is removed after the last channel has released
    /// it.
    func throttle(
        for serverName: String, _ configuration: RetryThrottling
    ) -> RetryThrottle {
        entries.withLock { entries in
            let present = entries[serverName]?.throttle
            let throttle = present?.adopting(configuration) ?? RetryThrottle(configuration)
            if throttle !== present {
                entries = entries.filter { $0.value.throttle != nil }
                entries[serverName] = Entry(throttle: throttle)
            }
            return throttle
        }
    }
}
