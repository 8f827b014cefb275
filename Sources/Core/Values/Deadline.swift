package import SwiftletTransport

/// The moment at which a call must have ended.
public struct Deadline: Hashable, Sendable {
    /// The moment on the library's clock; nil means never.
    @InstantIfAny package private(set) var moment: MonotonicInstant?

    /// The moment on the continuous clock; nil means never.
    public var instant: ContinuousClock.Instant? { moment.map { ContinuousClock.Instant($0) } }

    /// The call has no deadline.
    public static let never = Deadline(moment: nil)

    package init(moment: MonotonicInstant?) { self.moment = moment }

    /// A deadline at an instant.
    public static func at(_ instant: ContinuousClock.Instant) -> Deadline {
        Deadline(moment: MonotonicInstant(instant))
    }

    /// A deadline after a duration, counted from now.
    public static func after(_ duration: Duration) -> Deadline {
        Deadline(moment: .now + duration)
    }

    /// The remaining time; at least zero. Nil if there is no deadline.
    public var remaining: Duration? {
        moment.map { max(.zero, MonotonicInstant.now.duration(to: $0)) }
    }

    /// The earlier of two deadlines.
    public static func earlier(_ left: Deadline, _ right: Deadline) -> Deadline {
        switch (left.moment, right.moment) {
        case (let left?, let right?): Deadline(moment: min(left, right))
        case (let only?, nil), (nil, let only?): Deadline(moment: only)
        case (nil, nil): .never
        }
    }
}

extension Deadline: CustomStringConvertible {
    /// The remaining time: "never", "in 1.5 seconds", "passed".
    public var description: String {
        guard let remaining else { return "never" }
        return remaining > .zero ? "in \(remaining)" : "passed"
    }
}

// MARK: - ContinuousClock

/// The same moment on both clocks. It is fixed, so that all conversions are consistent.
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
