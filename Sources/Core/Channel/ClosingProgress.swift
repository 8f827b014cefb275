import SwiftletTransport

/// The events that a closing channel waits for: the ends of its connections, and of its registered
/// calls, which may be on no connection. The wait is over when nothing is left, at its deadline, or
/// when it is cancelled.
struct ClosingProgress<ConnectionID: Hashable> {
    private var openConnections: Set<ConnectionID>
    private var hasHeldCalls: Bool
    private let deadline: MonotonicInstant
    private(set) var isOver: Bool

    init(
        connections: some Sequence<ConnectionID>, hasHeldCalls: Bool, deadline: MonotonicInstant
    ) {
        openConnections = Set(connections)
        self.hasHeldCalls = hasHeldCalls
        self.deadline = deadline
        isOver = openConnections.isEmpty && !hasHeldCalls
    }
}

// Each function returns true if it ends the wait. This happens once.
extension ClosingProgress {
    mutating func connectionEnded(_ connection: ConnectionID) -> Bool {
        openConnections.remove(connection)
        return endIfNothingIsLeft()
    }

    mutating func heldCallsEnded() -> Bool {
        hasHeldCalls = false
        return endIfNothingIsLeft()
    }

    mutating func timerFired(now: MonotonicInstant) -> Bool { now >= deadline && end() }

    mutating func cancel() -> Bool { end() }

    private mutating func endIfNothingIsLeft() -> Bool {
        openConnections.isEmpty && !hasHeldCalls && end()
    }

    private mutating func end() -> Bool {
        defer { isOver = true }
        return !isOver
    }
}
