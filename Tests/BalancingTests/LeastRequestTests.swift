import SwiftletCore
import Testing

@testable import SwiftletBalancing

@Suite("least_request (A48)")
struct LeastRequestTests {
    private func channel(_ count: Int, _ policy: LeastRequest) throws -> VirtualChannel {
        var channel = VirtualChannel(policy)
        try channel.update(Endpoint.many(count), policy)
        for subchannel in channel.live { channel.change(subchannel, to: .ready) }
        return channel
    }

    private func picked(_ channel: VirtualChannel) -> (Subchannel, CallTrackers)? {
        guard case .subchannel(let subchannel, let trackers) = channel.pick() else { return nil }
        return (subchannel, trackers)
    }

    @Test("the sampled endpoint with the fewest active requests is picked")
    func fewest() throws {
        let channel = try channel(2, LeastRequest(choiceCount: 10))
        var counts: [Subchannel: Int] = [:]
        for _ in 0..<200 { counts[try #require(picked(channel)).0, default: 0] += 1 }
        #expect(counts.values.allSatisfy { (90...110).contains($0) })
    }

    @Test("the counter is decremented once the RPC finishes, regardless of its status")
    func ended() throws {
        let channel = try channel(2, LeastRequest(choiceCount: 10))
        let (busy, trackers) = try #require(picked(channel))
        var others = 0
        for _ in 0..<50 {
            let (subchannel, trackers) = try #require(picked(channel))
            if subchannel != busy { others += 1 }
            trackers.callEnded(CallOutcome(code: .internal))
        }
        #expect(others >= 45)
        trackers.callEnded(CallOutcome(code: .ok))
        let picks = try (0..<50).map { _ in
            let (subchannel, trackers) = try #require(picked(channel))
            trackers.callEnded(CallOutcome(code: .ok))
            return subchannel
        }
        #expect(Set(picks).count == 2)
    }

    @Test("counters outlive pickers and updates")
    func counters() throws {
        var channel = try channel(2, LeastRequest(choiceCount: 10))
        let (busy, _) = try #require(picked(channel))
        try channel.update(Endpoint.many(2), LeastRequest(choiceCount: 10))
        var others = 0
        for _ in 0..<50 {
            let (subchannel, trackers) = try #require(picked(channel))
            if subchannel != busy { others += 1 }
            trackers.callEnded(CallOutcome(code: .ok))
        }
        #expect(others >= 45)
    }

    @Test(
        "a choice count outside of 2 to 10 is set to the nearest limit", arguments: [-1, 0, .max])
    func choiceCount(count: Int) throws {
        let channel = try channel(3, LeastRequest(choiceCount: count))
        #expect(picked(channel) != nil)
    }

    @Test("aggregates the states and connects as round_robin does")
    func states() throws {
        var channel = VirtualChannel(LeastRequest())
        try channel.update(Endpoint.many(2), LeastRequest())
        #expect(channel.connectRequests.count == 2 && channel.connectivity == .connecting)
        for subchannel in channel.live { channel.change(subchannel, to: .transientFailure) }
        #expect(channel.connectivity == .transientFailure)
        #expect(throws: RPCError.self) { try channel.update([], LeastRequest()) }
    }
}
