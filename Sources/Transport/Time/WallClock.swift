import CSwiftletSystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The time of day, for events that people read. No decision depends on it, because it may jump.
package enum WallClock {
    /// The time since the first of January 1970, UTC, without leap seconds.
    package static var now: Duration { .nanoseconds(nanoseconds) }

    /// The same time in nanoseconds.
    package static var nanoseconds: Int64 {
        var time = timespec()
        // Safe: the call writes to the structure only, and cannot fail for this clock.
        _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// The time of a day in UTC: `14:05:09.250`.
    package static func text(_ time: Duration) -> String {
        let (seconds, attoseconds) = time.components
        let day = (seconds % 86_400 + 86_400) % 86_400
        let parts = [day / 3_600, day / 60 % 60, day % 60].map { padded($0, 2) }
        return "\(parts.joined(separator: ":")).\(padded(attoseconds / 1_000_000_000_000_000, 3))"
    }

    private static func padded(_ number: Int64, _ digitCount: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, digitCount - digits.count)) + digits
    }
}
