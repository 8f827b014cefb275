import CSwiftletSystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The clock that shows the date.
package enum WallClock {
    /// The nanoseconds since 1970 in UTC, without leap seconds.
    package static var nanoseconds: Int64 {
        var time = timespec()
        // Safe: the call writes to the structure only, and cannot fail for this clock.
        _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
