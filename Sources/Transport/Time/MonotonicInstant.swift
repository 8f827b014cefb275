import CSwiftletSystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A point in time of a clock that never runs backwards and that continues while the machine
/// sleeps.
///
/// It is the clock of `ContinuousClock`. The instant of that type has no fixed layout, because the
/// type is in the system's library. Every struct that contains one is copied and compared through
/// run-time tables, on the path of every call. This type is a number.
@usableFromInline package struct MonotonicInstant: Hashable, Sendable {
    /// Nanoseconds since a moment that the system chooses.
    @usableFromInline package let nanoseconds: Int64

    @inlinable package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    package static var now: MonotonicInstant {
        var time = timespec()
        // The system fills the structure. This clock exists on every supported system.
        #if os(Linux)
            unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        #else
            unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        #endif
        return MonotonicInstant(
            nanoseconds: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
    }
}

extension MonotonicInstant: Comparable {
    @inlinable package static func < (left: Self, right: Self) -> Bool {
        left.nanoseconds < right.nanoseconds
    }
}

extension MonotonicInstant {
    /// The end of the clock represents every later moment.
    @usableFromInline package static func + (instant: Self, duration: Duration) -> Self {
        let sum = instant.nanoseconds.addingReportingOverflow(duration.wholeNanoseconds)
        guard sum.overflow else { return Self(nanoseconds: sum.partialValue) }
        return Self(nanoseconds: duration < .zero ? .min : .max)
    }

    package static func - (instant: Self, duration: Duration) -> Self {
        instant + (.zero - duration)
    }

    @inlinable package static func - (left: Self, right: Self) -> Duration {
        right.duration(to: left)
    }

    @inlinable package func duration(to other: Self) -> Duration {
        let difference = other.nanoseconds.subtractingReportingOverflow(nanoseconds)
        guard difference.overflow else { return .nanoseconds(difference.partialValue) }
        return .nanoseconds(other.nanoseconds < nanoseconds ? Int64.min : .max)
    }
}

extension Duration {
    /// The duration in nanoseconds. A duration outside the range becomes the nearest number.
    fileprivate var wholeNanoseconds: Int64 {
        // The components of a longer duration would overflow.
        guard self < .nanoseconds(Int64.max) else { return .max }
        guard self > .nanoseconds(Int64.min) else { return .min }
        let (seconds, attoseconds) = components
        let whole = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let sum = whole.partialValue.addingReportingOverflow(attoseconds / 1_000_000_000)
        guard whole.overflow || sum.overflow else { return sum.partialValue }
        return seconds < 0 ? .min : .max
    }
}
