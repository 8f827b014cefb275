/// When a call must have ended.
public struct Deadline: Hashable, Sendable {
    /// Nil is never.
    public let instant: ContinuousClock.Instant?

    /// The call may take for ever.
    public static let never = Deadline(instant: nil)

    private init(instant: ContinuousClock.Instant?) { self.instant = instant }

    /// At an instant.
    public static func at(_ instant: ContinuousClock.Instant) -> Deadline {
        Deadline(instant: instant)
    }

    /// After a while, counted from now.
    public static func after(_ duration: Duration) -> Deadline {
        Deadline(instant: .now + duration)
    }

    /// What is left of the time; nil is for ever, and never below zero.
    public var remaining: Duration? {
        instant.map { max(.zero, ContinuousClock.now.duration(to: $0)) }
    }

    /// The earlier of two.
    public static func earlier(_ left: Deadline, _ right: Deadline) -> Deadline {
        switch (left.instant, right.instant) {
        case (let left?, let right?): Deadline(instant: min(left, right))
        case (let only?, nil), (nil, let only?): Deadline(instant: only)
        case (nil, nil): .never
        }
    }
}
