import SwiftletCore
import Testing

@Suite("pick_first")
struct PickFirstTests {
    private let refused = RPCError(.unavailable, "connection refused")

    private func channel(
        _ endpoints: [Endpoint], _ policy: PickFirst = PickFirst()
    ) throws -> VirtualChannel {
        var channel = VirtualChannel(policy)
        try channel.update(endpoints, policy)
        return channel
    }

    @Test("connects as soon as it has addresses, and calls wait")
    func connects() throws {
        let channel = try channel(Endpoint.many(2))
        #expect(channel.connectRequests == channel.live)
        #expect(channel.connectivity == .connecting)
        #expect(channel.outcome() == "queue")
    }

    @Test("flattens the list by concatenating the addresses of each of the endpoints, in order")
    func flattens() throws {
        let channel = try channel([
            .at("10.0.0.1:80", "10.0.0.2:80"), .at("10.0.0.3:80"), .at("10.0.0.1:80"),
        ])
        let addresses = channel.endpoints[channel.live[0]]?.addresses.map(\.description)
        #expect(addresses == ["10.0.0.1:80", "10.0.0.2:80", "10.0.0.3:80"])
    }

    @Test(
        "interleaves addresses from the two address families",
        arguments: [
            (["[::1]:1", "[::2]:1", "1.0.0.1:1"], ["[::1]:1", "1.0.0.1:1", "[::2]:1"]),
            (
                ["1.0.0.1:1", "1.0.0.2:1", "1.0.0.3:1", "[::1]:1"],
                ["1.0.0.1:1", "[::1]:1", "1.0.0.2:1", "1.0.0.3:1"]
            ),
        ])
    func interleaves(resolved: [String], tried: [String]) throws {
        let channel = try channel(resolved.map { try .at($0) })
        #expect(channel.endpoints[channel.live[0]]?.addresses.map(\.description) == tried)
    }

    @Test("shuffles the endpoints but not the addresses within each endpoint")
    func shuffles() throws {
        let policy = PickFirst(shuffleAddressList: true)
        var firsts: Set<String> = []
        for seed in 1...50 {
            var channel = VirtualChannel(policy, seed: UInt64(seed))
            try channel.update(
                [.at("1.0.0.1:1", "1.0.0.1:2"), .at("1.0.0.2:1", "1.0.0.2:2")], policy)
            let addresses = try #require(channel.endpoints[channel.live[0]]).addresses
            let texts = addresses.map(\.description)
            #expect(Set(texts).count == 4)
            #expect(texts[0].hasSuffix(":1") && texts[1] == texts[0].dropLast() + "2")
            firsts.insert(texts[0])
        }
        #expect(firsts == ["1.0.0.1:1", "1.0.0.2:1"])
    }

    @Test("shuffles in proportion to the weights (A113)")
    func weightedShuffle() throws {
        let policy = PickFirst(shuffleAddressList: true)
        var endpoints = try ["1.0.0.1:1", "1.0.0.2:1", "1.0.0.3:1"].map { try Endpoint.at($0) }
        for (index, weight) in [UInt32(0), 3, 6].enumerated() {
            endpoints[index].attributes.weight = weight
        }
        var firsts: [String: Int] = [:]
        // The same seeds give the same counts.
        var channel = VirtualChannel(policy, seed: 1)
        for _ in 0..<10_000 {
            try channel.update(endpoints, policy)
            let addresses = try #require(channel.endpoints[channel.live[0]]).addresses
            firsts[addresses[0].description, default: 0] += 1
        }
        // A weight of 0 counts as 1.
        #expect(900...1_100 ~= firsts["1.0.0.1:1", default: 0])
        #expect(2_850...3_150 ~= firsts["1.0.0.2:1", default: 0])
        #expect(5_850...6_150 ~= firsts["1.0.0.3:1", default: 0])
    }

    @Test("all RPCs are sent to the address that was reached")
    func ready() throws {
        var channel = try channel(Endpoint.many(2))
        channel.change(channel.live[0], to: .connecting)
        channel.change(channel.live[0], to: .ready)
        #expect(channel.connectivity == .ready)
        #expect(channel.picker is SinglePicker)
        #expect(channel.resolutionRequestCount == 0)
    }

    @Test("reports TRANSIENT_FAILURE and requests re-resolution when all addresses failed")
    func failure() throws {
        var channel = try channel(Endpoint.many(2))
        channel.change(channel.live[0], to: .transientFailure, failure: refused)
        #expect(channel.connectivity == .transientFailure)
        #expect(channel.outcome() == "fail: connection refused")
        #expect(channel.resolutionRequestCount == 1)
    }

    @Test("stays in TRANSIENT_FAILURE until it can report READY")
    func stickyFailure() throws {
        var channel = try channel(Endpoint.many(1))
        channel.change(channel.live[0], to: .transientFailure, failure: refused)
        channel.change(channel.live[0], to: .connecting)
        #expect(channel.connectivity == .transientFailure)
        channel.change(channel.live[0], to: .idle)
        #expect(channel.connectivity == .transientFailure)
        #expect(channel.connectRequests.count == 2)
        channel.change(channel.live[0], to: .ready)
        #expect(channel.connectivity == .ready)
    }

    @Test("does not reconnect after the connection breaks until there is an RPC")
    func idle() throws {
        var channel = try channel(Endpoint.many(1))
        channel.change(channel.live[0], to: .ready)
        channel.change(channel.live[0], to: .idle)
        #expect(channel.connectivity == .idle)
        #expect(channel.resolutionRequestCount == 1)
        #expect(channel.connectRequests.count == 1)
        #expect(channel.outcome() == "queue, connect subchannel 1")
        channel.exitIdle()
        #expect(channel.connectRequests.count == 2)
    }

    @Test("a READY subchannel that goes to CONNECTING triggers a re-resolution request")
    func reconnecting() throws {
        var channel = try channel(Endpoint.many(1))
        channel.change(channel.live[0], to: .ready)
        channel.change(channel.live[0], to: .connecting)
        #expect(channel.connectivity == .connecting)
        #expect(channel.resolutionRequestCount == 1)
    }

    @Test("gives a new list to the same subchannel, so that a connection in use is kept")
    func newList() throws {
        var channel = try channel(Endpoint.many(1))
        channel.change(channel.live[0], to: .ready)
        let reportCount = channel.reportCount
        try channel.update(Endpoint.many(3), PickFirst())
        #expect(channel.made.count == 1)
        #expect(channel.endpoints[channel.live[0]]?.addresses.count == 3)
        #expect(channel.reportCount == reportCount)
    }

    @Test("without addresses reports TRANSIENT_FAILURE, drops its subchannel and throws")
    func noAddresses() throws {
        var channel = try channel(Endpoint.many(1))
        channel.change(channel.live[0], to: .ready)
        #expect(throws: RPCError.self) { try channel.update([Endpoint([])], PickFirst()) }
        #expect(channel.live.isEmpty)
        #expect(channel.connectivity == .transientFailure)
        #expect(channel.outcome() == "fail: the resolver found no addresses")
        try channel.update(Endpoint.many(1), PickFirst())
        #expect(channel.connectivity == .connecting)
    }

    @Test("the resolver's error counts only while there are no addresses")
    func resolverFailure() throws {
        var channel = VirtualChannel(PickFirst())
        channel.resolverFailed(RPCError(.unavailable, "no such name"))
        #expect(channel.outcome() == "fail: no such name")
        try channel.update(Endpoint.many(1), PickFirst())
        channel.change(channel.live[0], to: .ready)
        channel.resolverFailed(RPCError(.unavailable, "no such name"))
        #expect(channel.connectivity == .ready)
    }

    @Test("adopts 100,000 endpoints of two families, each address once")
    func manyEndpoints() throws {
        var endpoints = try Endpoint.many(100_000)
        endpoints.append(try .at("[::1]:80"))
        let channel = try channel(endpoints + endpoints.prefix(50_000))
        let addresses = try #require(channel.endpoints[channel.live[0]]).addresses
        #expect(addresses.count == 100_001)
        #expect(addresses[1].description == "[::1]:80")
    }

    @Test("ignores subchannels that it did not make or has dropped")
    func foreignSubchannels() throws {
        var channel = try channel(Endpoint.many(1))
        let dropped = channel.live[0]
        channel.close()
        #expect(channel.dropped == [dropped])
        let reportCount = channel.reportCount
        channel.change(dropped, to: .ready)
        channel.change(Subchannel(id: 99, backend: nil), to: .ready)
        #expect(channel.reportCount == reportCount && channel.resolutionRequestCount == 0)
    }
}
