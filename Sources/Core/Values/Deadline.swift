package import SwiftletTransport

/// When a call must have ended.
public struct Deadline: Hashable, Sendable {
    /// On the clock that the library itself goes by; nil is never.
    package let moment: MonotonicInstant?

    /// Nil is never.
    public var instant: ContinuousClock.Instant? { moment.map { ContinuousClock.Instant($0) } }

    /// The call may take for ever.
    public static let never = Deadline(moment: nil)

    package init(moment: MonotonicInstant?) { self.moment = moment }

    /// At an instant.
    public static func at(_ instant: ContinuousClock.Instant) -> Deadline {
        Deadline(moment: MonotonicInstant(instant))
    }

    /// After a while, counted from now.
    public static func after(_ duration: Duration) -> Deadline {
        Deadline(moment: .now + duration)
    }

    /// What is left of the time; nil is for ever, and never below zero.
    public var remaining: Duration? {
        moment.map { max(.zero, MonotonicInstant.now.duration(to: $0)) }
    }

    /// The earlier of two.
    public static func earlier(_ left: Deadline, _ right: Deadline) -> Deadline {
        switch (left.moment, right.moment) {
        case (let left?, let right?): Deadline(moment: min(left, right))
        case (let only?, nil), (nil, let only?): Deadline(moment: only)
        case (nil, nil): .never
        }
    }
}

extension Deadline: CustomStringConvertible {
    /// What is left of the time: "never", "in 1.5 seconds", "passed".
    public var description: String {
        guard let remaining else { return "never" }
        return remaining > .zero ? "in \(remaining)" : "passed"
    }
}

// MARK: - The language's own clock

/// One moment on both clocks, so that what is translated twice comes out the same.
private let anchor = (continuous: ContinuousClock.now, monotonic: MonotonicInstant.now)

extension ContinuousClock.Instant {
    package init(_ moment: MonotonicInstant) {
        self = anchor.continuous + anchor.monotonic.duration(to: moment)
    }
}

extension MonotonicInstant {
    package init(_ instant: ContinuousClock.Instant) {
        self = anchor.monotonic + anchor.continuous.duration(to: instant)
    }
}
