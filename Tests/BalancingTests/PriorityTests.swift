import Testing

@testable import SwiftletBalancing
@testable import SwiftletCore

@Suite("priority (A56)")
struct PriorityTests {
    private func policy(_ names: String..., ignoring: Set<String> = []) -> Priority {
        Priority(
            children: Dictionary(
                uniqueKeysWithValues: names.map {
                    (
                        $0,
                        .init(
                            policy: RoundRobin(), ignoresResolutionRequests: ignoring.contains($0))
                    )
                }), priorities: names)
    }

    /// `10.0.0.1:80` belongs to a, `10.0.0.2:80` to b, `10.0.0.3:80` to c.
    private func endpoints() throws -> [Endpoint] {
        try ["a", "b", "c"].enumerated().map { index, name in
            try .at("10.0.0.\(index + 1):80") { $0.path = [name] }
        }
    }

    private func channel(_ policy: Priority) throws -> VirtualChannel {
        var channel = VirtualChannel(policy)
        try channel.update(endpoints(), policy)
        return channel
    }

    @Test("children are created lazily")
    func lazy() throws {
        var channel = try channel(policy("a", "b", "c"))
        #expect(channel.made.count == 1 && channel.connectivity == .connecting)
        channel.change("10.0.0.1:80", to: .ready)
        #expect(channel.outcome() == "10.0.0.1:80")
        channel.advance(by: .seconds(60))
        #expect(channel.made.count == 1)
    }

    @Test("a child that reports TRANSIENT_FAILURE makes the next priority connect")
    func failover() throws {
        var channel = try channel(policy("a", "b", "c"))
        channel.change("10.0.0.1:80", to: .transientFailure)
        #expect(channel.made.count == 2 && channel.connectivity == .connecting)
        channel.change("10.0.0.2:80", to: .ready)
        #expect(channel.outcome() == "10.0.0.2:80")
    }

    @Test("a child that connects for 10 seconds makes the next priority connect")
    func failoverTimer() throws {
        var channel = try channel(policy("a", "b"))
        channel.advance(by: .seconds(9))
        #expect(channel.made.count == 1)
        channel.advance(by: .seconds(1))
        #expect(channel.made.count == 2)
        channel.change("10.0.0.2:80", to: .ready)
        #expect(channel.outcome() == "10.0.0.2:80")
        channel.change("10.0.0.1:80", to: .ready)
        #expect(channel.outcome() == "10.0.0.1:80")
    }

    @Test(
        "the timer starts again when a child connects that was READY more recently than it failed")
    func timerRestart() throws {
        var channel = try channel(policy("a", "b"))
        channel.change("10.0.0.1:80", to: .ready)
        channel.advance(by: .seconds(60))
        channel.change("10.0.0.1:80", to: .idle)
        #expect(channel.connectivity == .connecting && channel.made.count == 1)
        channel.advance(by: .seconds(10))
        #expect(channel.made.count == 2)
    }

    @Test("a lower priority that is not needed any more is destroyed after 15 minutes")
    func deactivation() throws {
        var channel = try channel(policy("a", "b"))
        channel.change("10.0.0.1:80", to: .transientFailure)
        channel.change("10.0.0.2:80", to: .ready)
        channel.change("10.0.0.1:80", to: .ready)
        channel.advance(by: .seconds(899))
        #expect(channel.live.count == 2)
        channel.advance(by: .seconds(1))
        #expect(channel.live.count == 1 && channel.outcome() == "10.0.0.1:80")
    }

    @Test("a lower priority is reactivated when the higher one fails again")
    func reactivation() throws {
        var channel = try channel(policy("a", "b"))
        channel.change("10.0.0.1:80", to: .transientFailure)
        channel.change("10.0.0.2:80", to: .ready)
        channel.change("10.0.0.1:80", to: .ready)
        channel.advance(by: .seconds(800))
        channel.change("10.0.0.1:80", to: .transientFailure)
        #expect(channel.outcome() == "10.0.0.2:80")
        channel.advance(by: .seconds(3_600))
        #expect(channel.live.count == 2 && channel.outcome() == "10.0.0.2:80")
    }

    @Test(
        "a child that is no longer in the config is removed at once, others can change their priority"
    )
    func configChange() throws {
        var channel = try channel(policy("a", "b"))
        channel.change("10.0.0.1:80", to: .transientFailure)
        channel.change("10.0.0.2:80", to: .ready)
        try channel.update(endpoints(), policy("b", "c"))
        #expect(channel.outcome() == "10.0.0.2:80" && channel.made.count == 2)
        #expect(channel.live.count == 1)
        // A child that returns begins anew.
        try channel.update(endpoints(), policy("a", "b"))
        #expect(channel.made.count == 3 && channel.outcome() == "queue")
        channel.change("10.0.0.1:80", to: .ready)
        #expect(channel.outcome() == "10.0.0.1:80")
    }

    @Test("if all children fail, the last one's picker is used")
    func allFailed() throws {
        var channel = try channel(policy("a", "b"))
        channel.change("10.0.0.1:80", to: .transientFailure, failure: RPCError(.unavailable, "a"))
        channel.change("10.0.0.2:80", to: .transientFailure, failure: RPCError(.unavailable, "b"))
        #expect(channel.connectivity == .transientFailure && channel.outcome() == "fail: b")
    }

    @Test("re-resolution requests of a child are ignored where the config says so")
    func resolutionRequests() throws {
        var channel = try channel(policy("a", "b", ignoring: ["a"]))
        channel.change("10.0.0.1:80", to: .transientFailure)
        #expect(channel.resolutionRequestCount == 0)
        channel.change("10.0.0.2:80", to: .transientFailure)
        #expect(channel.resolutionRequestCount == 1)
    }

    @Test("an empty priority list is TRANSIENT_FAILURE")
    func empty() throws {
        let channel = try channel(Priority(children: [:], priorities: ["ghost"]))
        #expect(channel.outcome() == "fail: priority: the list of priorities is empty")
    }

    @Test("a child without endpoints is skipped, and its error is thrown")
    func emptyChild() throws {
        let policy = policy("z", "a")
        var channel = VirtualChannel(policy)
        #expect(throws: RPCError.self) { try channel.update(endpoints(), policy) }
        channel.change("10.0.0.1:80", to: .ready)
        #expect(channel.outcome() == "10.0.0.1:80")
    }

    @Test("a child that loses its endpoints is skipped, and its error is thrown")
    func emptiedChild() throws {
        let policy = policy("a", "b")
        var channel = try channel(policy)
        #expect(throws: RPCError.self) {
            try channel.update(Array(endpoints().dropFirst()), policy)
        }
        channel.change("10.0.0.2:80", to: .ready)
        #expect(channel.outcome() == "10.0.0.2:80")
    }

    @Test("a child in use that is IDLE connects when the channel does")
    func exitIdle() throws {
        let policy = Priority(children: ["a": .init(policy: RingHash())], priorities: ["a"])
        var channel = try channel(policy)
        #expect(channel.connectivity == .idle && channel.connectRequests.isEmpty)
        channel.exitIdle()
        #expect(channel.connectRequests.count == 1)
    }

    @Test("closing drops the subchannels of all children")
    func close() throws {
        var channel = try channel(policy("a", "b"))
        channel.change("10.0.0.1:80", to: .transientFailure)
        channel.close()
        #expect(channel.live.isEmpty)
        channel.advance(by: .seconds(3_600))
    }
}
