import SwiftletTransport
import Testing

@testable import SwiftletCore

/// The wait of a closing channel, in virtual time.
@Suite("A closing channel waits")
struct ClosingProgressTests {
    private enum Event {
        case connectionEnded(Int)
        case heldCallsEnded
        case timerFired(after: Duration)
        case cancelled
    }

    private static let begin = MonotonicInstant.now

    /// The events that end the wait, by their index.
    private static func ends(
        connections: [Int], hasHeldCalls: Bool = false, _ events: [Event]
    ) -> [Int] {
        var progress = ClosingProgress(
            connections: connections, hasHeldCalls: hasHeldCalls, deadline: begin + .seconds(5))
        return events.indices.filter { index in
            let isEnd =
                switch events[index] {
                case .connectionEnded(let connection): progress.connectionEnded(connection)
                case .heldCallsEnded: progress.heldCallsEnded()
                case .timerFired(let delay): progress.timerFired(now: begin + delay)
                case .cancelled: progress.cancel()
                }
            return isEnd
        }
    }

    @Test("for nothing when it has neither connections nor held calls")
    func nothing() {
        let progress = ClosingProgress(
            connections: [Int](), hasHeldCalls: false, deadline: Self.begin)
        #expect(progress.isOver)
    }

    @Test("for the last of its connections")
    func connections() {
        let events: [Event] = [.connectionEnded(2), .connectionEnded(2), .connectionEnded(1)]
        #expect(Self.ends(connections: [1, 2], events) == [2])
    }

    @Test("for held calls as well, whichever end first")
    func heldCalls() {
        let events: [Event] = [.heldCallsEnded, .connectionEnded(1)]
        #expect(Self.ends(connections: [1], hasHeldCalls: true, events) == [1])
        #expect(Self.ends(connections: [1], hasHeldCalls: true, events.reversed()) == [1])
    }

    @Test("until its deadline; an earlier timer does not end the wait")
    func deadline() {
        let delays: [Duration] = [.zero, .seconds(5) - .nanoseconds(1), .seconds(5)]
        let events = delays.map { Event.timerFired(after: $0) }
        #expect(Self.ends(connections: [1], hasHeldCalls: true, events) == [2])
    }

    @Test("until it is cancelled, and ends only once")
    func once() {
        let events: [Event] = [
            .cancelled, .cancelled, .connectionEnded(1), .heldCallsEnded,
            .timerFired(after: .seconds(9)),
        ]
        #expect(Self.ends(connections: [1], hasHeldCalls: true, events) == [0])
    }
}
