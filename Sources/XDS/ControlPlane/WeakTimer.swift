import SwiftletCore
import SwiftletTransport

/// Calls its target as long as something else uses the target.
final class WeakTimer<Target: TimerTarget>: TimerTarget {
    private weak let target: Target?

    init(_ target: Target) { self.target = target }

    func timerFired(now: MonotonicInstant) { target?.timerFired(now: now) }
}
