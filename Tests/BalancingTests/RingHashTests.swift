import SwiftletTransport
import Synchronization
import Testing

@testable import SwiftletBalancing
@testable import SwiftletCore

@Suite("XXH64")
struct XXH64Tests {
    @Test(
        "is the function of xxHash",
        arguments: [
            ("", 0, 0xef46_db37_51d8_e999), ("a", 0, 0xd24e_c4f1_a98c_6e5b),
            ("abc", 0, 0x44bc_2cf5_ad77_0999),
            ("Nobody inspects the spammish repetition", 0, 0xfbce_a83c_8a37_8bf1),
        ] as [(String, UInt64, UInt64)])
    func vectors(text: String, seed: UInt64, hash: UInt64) {
        #expect(XXH64.hash(text, seed: seed) == hash)
    }
}

@Suite("The ring of hashes (A42)")
struct HashRingTests {
    private func counts(_ ring: HashRing) -> [Int: Int] {
        ring.members(from: 0).reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }

    @Test("the member with the smallest weight has a whole number of entries")
    func sizes() {
        let ring = HashRing([("a", 1), ("b", 2)], minSize: 1_024, maxSize: 4_096)
        #expect(counts(ring) == [0: 342, 1: 684])
    }

    @Test("the number of entries is clamped to the maximum")
    func maximum() {
        let members = (1...10_000).map { (key: "\($0)", weight: UInt64(1)) }
        #expect(HashRing(members, minSize: 1_024, maxSize: 4_096).count == 4_096)
        let uneven = HashRing([("a", 1), ("b", .max / 4)], minSize: 1, maxSize: 100)
        #expect(uneven.count <= 100 && uneven.count >= 99)
    }

    @Test("removing a member moves no hash from one remaining member to another")
    func consistency() {
        let three = HashRing([("a", 1), ("b", 1), ("c", 1)], minSize: 300, maxSize: 4_096)
        let two = HashRing([("a", 1), ("b", 1)], minSize: 200, maxSize: 4_096)
        for step in UInt64(0)..<1_000 {
            let hash = step &* 0x0041_8937_4bc6_a7ef
            let before = three.members(from: hash).first { _ in true }
            let after = two.members(from: hash).first { _ in true }
            if before != 2 { #expect(after == before) }
        }
    }
}

@Suite("ring_hash (A42, A61, A76)")
struct RingHashTests {
    private let policy = RingHash(requestHashHeader: "X-Key")

    private func channel(_ endpoints: [Endpoint]) throws -> VirtualChannel {
        var channel = VirtualChannel(policy)
        try channel.update(endpoints, policy)
        return channel
    }

    private func key(_ number: Int) -> Metadata { ["x-key": "key \(number)"] }

    private func queued(_ channel: VirtualChannel, _ metadata: Metadata) throws -> Subchannel {
        guard case .queue(let subchannel?) = channel.pick(metadata) else {
            throw RPCError(.internal, "the call was not queued for a subchannel")
        }
        return subchannel
    }

    @Test("subchannels start IDLE and are connected by picks, the same one for the same key")
    func lazy() throws {
        let channel = try channel(Endpoint.many(5))
        #expect(channel.connectivity == .idle && channel.connectRequests.isEmpty)
        let first = try queued(channel, key(1))
        #expect(try queued(channel, key(1)) == first)
        #expect(Set(try (1...100).map { try queued(channel, key($0)) }).count == 5)
    }

    @Test("calls with the same key are sent to the same READY endpoint")
    func ready() throws {
        var channel = try channel(Endpoint.many(5))
        for subchannel in channel.live { channel.change(subchannel, to: .ready) }
        let places = (1...50).map { channel.outcome(key($0)) }
        try channel.update(Endpoint.many(5).reversed(), policy)
        #expect((1...50).map { channel.outcome(key($0)) } == places)
        #expect(Set(places).count == 5)
    }

    @Test(
        "if an endpoint has failed, a call uses the next one of the ring; otherwise it waits")
    func failure() throws {
        var channel = try channel(Endpoint.many(3))
        let first = try queued(channel, key(1))
        channel.change(first, to: .connecting)
        guard case .queue(nil) = channel.pick(key(1)) else {
            Issue.record("the call does not wait for the connection")
            return
        }
        channel.change(first, to: .transientFailure, failure: RPCError(.unavailable, "refused"))
        #expect(try queued(channel, key(1)) != first)
        for subchannel in channel.live where subchannel != first {
            channel.change(
                subchannel, to: .transientFailure, failure: RPCError(.unavailable, "timeout"))
        }
        #expect(channel.outcome(key(1)) == "fail: refused")
    }

    @Test(
        "the aggregation rules",
        arguments: [
            ([.ready, .transientFailure, .transientFailure], .ready),
            ([.transientFailure, .transientFailure, .connecting], .transientFailure),
            ([.transientFailure, .connecting, .idle], .connecting),
            ([.connecting, .idle, .idle], .connecting),
            ([.transientFailure, .idle, .idle], .connecting),
            ([.idle, .idle, .idle], .idle),
            ([.transientFailure], .transientFailure),
        ] as [([ConnectivityState], ConnectivityState)])
    func aggregation(states: [ConnectivityState], aggregate: ConnectivityState) throws {
        var channel = try channel(Endpoint.many(states.count))
        for (subchannel, state) in zip(channel.live, states) {
            channel.change(subchannel, to: state)
        }
        #expect(channel.connectivity == aggregate)
    }

    @Test("while it reports TRANSIENT_FAILURE or CONNECTING it connects an IDLE endpoint by itself")
    func proactive() throws {
        var channel = try channel(Endpoint.many(3))
        channel.change(channel.live[0], to: .transientFailure)
        #expect(channel.connectRequests == [channel.live[1]])
        channel.change(channel.live[1], to: .connecting)
        #expect(channel.connectRequests.count == 1)
        channel.change(channel.live[1], to: .transientFailure)
        #expect(channel.connectRequests == [channel.live[1], channel.live[2]])
    }

    @Test("a call without the key uses the first READY endpoint after a random place")
    func noKey() throws {
        var channel = try channel(Endpoint.many(3))
        for subchannel in channel.live { channel.change(subchannel, to: .ready) }
        let shares = channel.shares(of: 3_000)
        #expect(shares.count == 3 && shares.values.allSatisfy { $0 > 500 })
        channel.change(channel.live[0], to: .connecting)
        #expect(channel.shares(of: 300)["10.0.0.1:80"] == nil)
    }

    @Test("a call without the key connects at most one IDLE endpoint, none while one is CONNECTING")
    func noKeyConnects() throws {
        var channel = try channel(Endpoint.many(3))
        guard case .queue(.some) = channel.pick() else {
            Issue.record("the call connects no endpoint")
            return
        }
        channel.change(channel.live[0], to: .connecting)
        #expect(channel.outcome() == "queue")
    }

    private final class Backend: SubchannelBackend {
        let requestCount = Atomic<Int>(0)

        let labels: BackendLabels? = nil

        func open(_ call: CallCore, _ prepared: PreparedHeaders) -> SubchannelOpening {
            .disconnected
        }

        func requestConnection() { requestCount.wrappingAdd(1, ordering: .relaxed) }
    }

    @Test("a call without the key that finds a READY endpoint connects an IDLE one on the way")
    func warmsUp() throws {
        let backends = [Backend(), Backend(), Backend()]
        var list = EndpointList<Void>()
        var made = 0
        var context = BalancerContext(
            now: .zero, random: { 0 },
            makeSubchannel: { _, _ in
                made += 1
                return Subchannel(id: UInt64(made), backend: backends[made - 1])
            })
        list.update(try Endpoint.many(3), &context) { _ in }
        _ = list.subchannel(list.members[0].subchannel, changedTo: SubchannelState(.ready))
        let ring = HashRing([("a", 1), ("b", 1), ("c", 1)], minSize: 99, maxSize: 99)
        func picker(isConnecting: Bool) -> RingHashPicker {
            RingHashPicker(
                ring: ring, endpoints: list.members, header: "x-key", isConnecting: isConnecting,
                random: PickerRandom(seed: 1))
        }
        func requests() -> Int {
            backends.reduce(0) { $0 + $1.requestCount.load(ordering: .relaxed) }
        }
        let busy = picker(isConnecting: true)
        for _ in 0..<100 { _ = busy.pick(PickInfo(path: "/a/b")) }
        #expect(requests() == 0)
        let quiet = picker(isConnecting: false)
        for _ in 0..<100 { _ = quiet.pick(PickInfo(path: "/a/b")) }
        #expect(requests() > 20 && requests() < 100)
        #expect(backends[0].requestCount.load(ordering: .relaxed) == 0)
    }

    @Test("several values of the header are joined with a comma; an empty value is not a key")
    func headerValues() throws {
        var channel = try channel(Endpoint.many(20))
        for subchannel in channel.live { channel.change(subchannel, to: .ready) }
        for number in 1...20 {
            var twice: Metadata = ["x-key": "\(number)"]
            twice.append("b", for: "x-key")
            #expect(channel.outcome(twice) == channel.outcome(["x-key": "\(number),b"]))
        }
        let places = (0..<50).map { _ in channel.outcome(["x-key": ""]) }
        #expect(Set(places).count > 1)
    }

    @Test("without a header the call's own hash counts, and a call without a hash fails")
    func requestHash() throws {
        var channel = VirtualChannel(RingHash())
        try channel.update(Endpoint.many(3), RingHash())
        for subchannel in channel.live { channel.change(subchannel, to: .ready) }
        #expect(channel.outcome().hasPrefix("fail: ring_hash: the call has no hash"))
        guard case .subchannel = channel.picker?.pick(PickInfo(path: "/a/b", requestHash: 7)) else {
            Issue.record("the call is not sent")
            return
        }
    }

    @Test("an endpoint that failed and connects again fails calls with its last failure")
    func connectingAgain() throws {
        var channel = try channel([.at("10.0.0.1:80")])
        let failure = RPCError(.unavailable, "no")
        channel.change(channel.live[0], to: .transientFailure, failure: failure)
        channel.change(channel.live[0], to: .connecting)
        #expect(channel.outcome(["x-key": "1"]) == "fail: no")
    }

    @Test("an endpoint's place follows its hash key, not its address")
    func hashKeys() throws {
        func places(_ addresses: [String]) throws -> [Int?] {
            var channel = try channel(
                addresses.enumerated().map { index, address in
                    try .at(address) { $0.hashKey = "pod-\(index)" }
                })
            for subchannel in channel.live { channel.change(subchannel, to: .ready) }
            return (1...50).map { addresses.firstIndex(of: channel.outcome(key($0))) }
        }
        #expect(
            try places(["10.0.0.1:80", "10.0.0.2:80"]) == places(["10.9.9.8:80", "10.9.9.7:80"]))
    }

    @Test("weights and repeated addresses give an endpoint more of the ring; weight 0 counts as 1")
    func weights() throws {
        var channel = try channel([
            .at("10.0.0.1:80") { $0.weight = 0 }, .at("10.0.0.2:80") { $0.weight = 4 },
            .at("10.0.0.2:80") { $0.weight = 4 },
        ])
        for subchannel in channel.live { channel.change(subchannel, to: .ready) }
        let shares = channel.shares(of: 9_000)
        #expect(abs((shares["10.0.0.1:80"] ?? 0) - 1_000) < 250)
    }

    @Test("adopts 100,000 endpoints")
    func manyEndpoints() throws {
        var channel = try channel(Endpoint.many(100_000))
        channel.change(try queued(channel, key(1)), to: .ready)
        #expect(channel.outcome(key(1)).hasPrefix("10."))
        #expect(throws: RPCError.self) { try channel.update([], policy) }
        #expect(channel.live.isEmpty)
    }
}
