import SwiftletCore
import Testing

@Suite("round_robin")
struct RoundRobinTests {
    private let refused = RPCError(.unavailable, "connection refused")

    private func channel(_ endpoints: [Endpoint]) throws -> VirtualChannel {
        var channel = VirtualChannel(RoundRobin())
        try channel.update(endpoints, RoundRobin())
        return channel
    }

    @Test("connects to all endpoints at once, one subchannel for each")
    func connects() throws {
        let channel = try channel(Endpoint.many(3))
        #expect(channel.made.count == 3)
        #expect(channel.connectRequests == channel.made)
        #expect(channel.connectivity == .connecting)
        #expect(channel.outcome() == "queue")
    }

    @Test("sends the calls to the READY endpoints in turn")
    func inTurn() throws {
        var channel = try channel(Endpoint.many(4))
        for number in 1...3 { channel.change("10.0.0.\(number):80", to: .ready) }
        let outcomes = channel.outcomes(6)
        #expect(Set(outcomes) == ["10.0.0.1:80", "10.0.0.2:80", "10.0.0.3:80"])
        #expect(Array(outcomes[0..<3]) == Array(outcomes[3..<6]))
        #expect(Set(outcomes[0..<3]).count == 3)
    }

    @Test("starts at a random endpoint")
    func startsAtRandom() throws {
        var firsts: Set<String> = []
        for seed in 1...60 {
            var channel = VirtualChannel(RoundRobin(), seed: UInt64(seed))
            try channel.update(Endpoint.many(3), RoundRobin())
            for subchannel in channel.live { channel.change(subchannel, to: .ready) }
            firsts.insert(channel.outcome())
        }
        #expect(firsts.count == 3)
    }

    @Test(
        "READY if any is READY, else CONNECTING if any is CONNECTING or IDLE, else TRANSIENT_FAILURE",
        arguments: [
            ([.ready, .transientFailure, .connecting], .ready),
            ([.transientFailure, .connecting, .transientFailure], .connecting),
            ([.transientFailure, .idle, .transientFailure], .connecting),
            ([.transientFailure, .transientFailure, .transientFailure], .transientFailure),
        ] as [([ConnectivityState], ConnectivityState)])
    func aggregation(states: [ConnectivityState], aggregate: ConnectivityState) throws {
        var channel = try channel(Endpoint.many(3))
        for (subchannel, state) in zip(channel.live, states) {
            channel.change(subchannel, to: state)
        }
        #expect(channel.connectivity == aggregate)
    }

    @Test("an endpoint stays in TRANSIENT_FAILURE until it reports READY")
    func stickyFailure() throws {
        var channel = try channel(Endpoint.many(2))
        for subchannel in channel.live {
            channel.change(subchannel, to: .transientFailure, failure: refused)
        }
        channel.change(channel.live[0], to: .connecting)
        channel.change(channel.live[1], to: .idle)
        #expect(channel.connectivity == .transientFailure)
        channel.change(channel.live[1], to: .ready)
        #expect(channel.connectivity == .ready)
    }

    @Test("fails calls with the failure that was reported last")
    func lastFailure() throws {
        var channel = try channel(Endpoint.many(2))
        channel.change(channel.live[0], to: .transientFailure, failure: refused)
        channel.change(
            channel.live[1], to: .transientFailure, failure: RPCError(.unavailable, "timed out"))
        #expect(channel.outcome() == "fail: timed out")
        channel.change(channel.live[0], to: .transientFailure, failure: refused)
        #expect(channel.outcome() == "fail: connection refused")
    }

    @Test("an endpoint that loses its connection is left out, connected again and resolved again")
    func lostConnection() throws {
        var channel = try channel(Endpoint.many(2))
        for subchannel in channel.live { channel.change(subchannel, to: .ready) }
        let lost = channel.live[0]
        channel.change(lost, to: .idle)
        #expect(channel.outcomes(2) == ["10.0.0.2:80", "10.0.0.2:80"])
        #expect(channel.connectRequests.last == lost)
        #expect(channel.connectRequests.count == 3)
        #expect(channel.resolutionRequestCount == 1)
    }

    @Test("keeps the subchannels of endpoints that are in both lists")
    func newList() throws {
        var channel = try channel(Endpoint.many(3))
        for subchannel in channel.live { channel.change(subchannel, to: .ready) }
        let before = channel.live
        try channel.update(
            [.at("10.0.0.3:80"), .at("10.0.0.1:80"), .at("10.0.0.9:80")], RoundRobin())
        #expect(channel.dropped == [before[1]])
        #expect(channel.made.count == 4)
        #expect(channel.connectRequests.count == 4)
        #expect(Set(channel.outcomes(4)) == ["10.0.0.1:80", "10.0.0.3:80"])
    }

    @Test("an endpoint with addresses [A, B] is identical to one with addresses [B, A]")
    func addressOrder() throws {
        var channel = try channel([.at("10.0.0.1:80", "10.0.0.2:80")])
        try channel.update([.at("10.0.0.2:80", "10.0.0.1:80")], RoundRobin())
        #expect(channel.made.count == 1 && channel.dropped.isEmpty)
        let addresses = channel.endpoints[channel.live[0]]?.addresses.map(\.description)
        #expect(addresses == ["10.0.0.2:80", "10.0.0.1:80"])
    }

    @Test("duplicates share one subchannel, and endpoints without addresses are ignored")
    func duplicates() throws {
        let channel = try channel([
            .at("10.0.0.1:80"), Endpoint([]), .at("10.0.0.1:80", "10.0.0.1:80"),
        ])
        #expect(channel.made.count == 1)
    }

    @Test("the same addresses under another TLS name are another endpoint")
    func serverNames() throws {
        let channel = try channel([
            .at("10.0.0.1:80"), .at("10.0.0.1:80") { $0.serverName = "b.example" },
        ])
        #expect(channel.made.count == 2)
    }

    @Test("without addresses reports TRANSIENT_FAILURE, drops its subchannels and throws")
    func noAddresses() throws {
        var channel = try channel(Endpoint.many(2))
        #expect(throws: RPCError.self) { try channel.update([], RoundRobin()) }
        #expect(channel.live.isEmpty)
        #expect(channel.outcome() == "fail: the resolver found no addresses")
        try channel.update(Endpoint.many(1), RoundRobin())
        #expect(channel.connectivity == .connecting)
    }

    @Test("reports nothing for changes that do not concern calls")
    func quietChanges() throws {
        var channel = try channel(Endpoint.many(3))
        channel.change(channel.live[0], to: .ready)
        let reportCount = channel.reportCount
        channel.change(channel.live[1], to: .connecting)
        channel.change(channel.live[1], to: .transientFailure)
        channel.change(channel.live[0], to: .ready)
        channel.change(Subchannel(id: 99, backend: nil), to: .ready)
        #expect(channel.reportCount == reportCount)
    }

    @Test("late states of dropped subchannels change nothing, in any order")
    func lateStates() throws {
        var channel = try channel(Endpoint.many(20))
        let old = channel.live
        try channel.update([.at("10.0.9.9:80")], RoundRobin())
        channel.change(channel.live[0], to: .ready)
        for state in [ConnectivityState.ready, .idle, .transientFailure, .shutdown, .connecting] {
            for subchannel in old.reversed() { channel.change(subchannel, to: state) }
        }
        #expect(channel.outcome() == "10.0.9.9:80")
        #expect(channel.connectRequests.count == 21 && channel.resolutionRequestCount == 0)
    }

    @Test("adopts 100,000 endpoints and replaces half of them")
    func manyEndpoints() throws {
        let endpoints = try Endpoint.many(150_000)
        var channel = try channel(Array(endpoints[0..<100_000]))
        try channel.update(Array(endpoints[50_000...]), RoundRobin())
        #expect(channel.made.count == 150_000)
        #expect(channel.dropped.count == 50_000)
        for subchannel in channel.made.suffix(100_000) {
            channel.change(subchannel, to: .connecting)
        }
        channel.change(channel.made[149_999], to: .ready)
        #expect(channel.outcome() == "10.2.73.240:80")
    }
}
