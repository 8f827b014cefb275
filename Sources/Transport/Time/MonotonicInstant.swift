#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A point on the clock that never goes back, and that goes on while the machine sleeps.
///
/// It is the clock of `ContinuousClock`. That type's instant has no fixed layout, because it lives
/// in the system's library: every struct with one in it is copied and compared through the
/// run-time's tables, on the path of every call. This one is a number.
@usableFromInline package struct MonotonicInstant: Hashable, Sendable {
    /// Since a moment of the system's choosing.
    @usableFromInline package let nanoseconds: Int64

    @inlinable package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    package static var now: MonotonicInstant {
        var time = timespec()
        // The structure is the system's to fill, and this clock there is everywhere.
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
    /// The end of the clock stands for all that lies behind it.
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
    /// In nanoseconds, as far as they go.
    fileprivate var wholeNanoseconds: Int64 {
        // Of a duration that is longer than the clock the components cannot be asked for.
        guard self < .nanoseconds(Int64.max) else { return .max }
        guard self > .nanoseconds(Int64.min) else { return .min }
        let (seconds, attoseconds) = components
        let whole = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let sum = whole.partialValue.addingReportingOverflow(attoseconds / 1_000_000_000)
        guard whole.overflow || sum.overflow else { return sum.partialValue }
        return seconds < 0 ? .min : .max
    }
}
