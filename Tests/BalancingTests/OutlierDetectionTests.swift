import Testing

@testable import SwiftletBalancing
@testable import SwiftletCore

@Suite("outlier_detection (A50)")
struct OutlierDetectionTests {
    private func policy(_ configure: (inout OutlierDetection) -> Void = { _ in })
        -> OutlierDetection
    {
        var policy = OutlierDetection(policy: RoundRobin())
        policy.maxEjectionPercent = 50
        configure(&policy)
        return policy
    }

    private var byFailures: OutlierDetection {
        policy {
            $0.failurePercentageEjection = .init()
            $0.failurePercentageEjection?.requestVolume = 10
        }
    }

    private func channel(_ count: Int, _ policy: OutlierDetection) throws -> VirtualChannel {
        var channel = VirtualChannel(policy)
        try channel.update(Endpoint.many(count), policy)
        for subchannel in channel.live { channel.change(subchannel, to: .ready) }
        return channel
    }

    /// Ends `count` calls on each endpoint that gets calls. The given percentage of the calls to the
    /// endpoints `failing` fails.
    private func call(
        _ channel: VirtualChannel, _ count: Int = 20, failing: [String: Int] = ["10.0.0.1:80": 100]
    ) {
        var callCounts: [String: Int] = [:]
        for _ in 0..<(count * channel.live.count) {
            guard case .subchannel(let subchannel, let trackers) = channel.pick(),
                let address = channel.endpoints[subchannel]?.addresses.first?.description
            else { continue }
            let number = callCounts[address, default: 0]
            callCounts[address] = number + 1
            let fails = number % 100 * 7 % 100 < failing[address] ?? 0
            trackers.callEnded(CallOutcome(code: fails ? .unavailable : .ok))
        }
    }

    private func isUsed(_ address: String, _ channel: VirtualChannel) -> Bool {
        channel.shares(of: 100)[address] != nil
    }

    @Test("tells metrics what it found, of what service, and why it ejected nothing (A91)")
    func metrics() throws {
        var policy = byFailures
        policy.successRateEjection = .init()
        policy.successRateEjection?.enforcementPercentage = 0
        policy.successRateEjection?.requestVolume = 10
        var channel = VirtualChannel(policy)
        let labels = BackendLabels(service: "shop", locality: "here")
        let endpoints = try Endpoint.many(10).map { endpoint in
            var endpoint = endpoint
            endpoint.attributes.labels = labels
            return endpoint
        }
        try channel.update(endpoints, policy)
        for subchannel in channel.live { channel.change(subchannel, to: .ready) }
        call(channel)
        channel.advance(by: .seconds(10))
        #expect(
            channel.decisions == [
                .outlier(.init(.successRate, .keptByChance), labels),
                .outlier(.init(.failurePercentage, .ejected), labels),
            ])
        // While one of ten is ejected, which is the limit now.
        policy.maxEjectionPercent = 10
        try channel.update(endpoints, policy)
        channel.decisions = []
        call(channel, failing: ["10.0.0.2:80": 100])
        channel.advance(by: .seconds(10))
        #expect(
            channel.decisions == [
                .outlier(.init(.successRate, .keptByLimit), labels),
                .outlier(.init(.failurePercentage, .keptByLimit), labels),
            ])
    }

    @Test("works above priority (A75), whose children make their subchannels late")
    func abovePriority() throws {
        var policy = byFailures
        policy.maxEjectionPercent = 100
        policy.failurePercentageEjection?.minimumHosts = 1
        policy.policy = Priority(
            children: ["a": .init(policy: RoundRobin()), "b": .init(policy: RoundRobin())],
            priorities: ["a", "b"])
        var channel = VirtualChannel(policy)
        let endpoints = try Endpoint.many(3).enumerated().map { index, endpoint in
            var endpoint = endpoint
            endpoint.attributes.path = [index == 0 ? "a" : "b"]
            return endpoint
        }
        try channel.update(endpoints, policy)
        channel.change("10.0.0.1:80", to: .ready)
        #expect(channel.made.count == 1)
        call(channel)
        // The ejection of the only endpoint makes the second priority, outside of an update.
        channel.advance(by: .seconds(10))
        #expect(channel.made.count == 3)
        channel.change("10.0.0.2:80", to: .ready)
        channel.change("10.0.0.3:80", to: .ready)
        #expect(channel.shares(of: 100) == ["10.0.0.2:80": 50, "10.0.0.3:80": 50])
        // Its endpoints are counted and ejected, too.
        call(channel, failing: ["10.0.0.2:80": 100])
        channel.advance(by: .seconds(10))
        #expect(channel.shares(of: 100) == ["10.0.0.3:80": 100])
        // After their ejections, the first priority is used again.
        channel.advance(by: .seconds(60))
        #expect(channel.shares(of: 100) == ["10.0.0.1:80": 100])
    }

    @Test("ejects an endpoint whose failure percentage is above the threshold")
    func failurePercentage() throws {
        var channel = try channel(5, byFailures)
        call(channel)
        #expect(isUsed("10.0.0.1:80", channel))
        channel.advance(by: .seconds(10))
        #expect(!isUsed("10.0.0.1:80", channel))
        #expect(channel.shares(of: 100).count == 4)
        #expect(channel.connectivity == .ready && channel.dropped.isEmpty)
    }

    @Test("ejects nothing over pick_first, whose only connection it would take away (A61)")
    func pickFirst() throws {
        var policy = OutlierDetection(policy: PickFirst())
        policy.failurePercentageEjection = .init()
        policy.failurePercentageEjection?.requestVolume = 1
        policy.failurePercentageEjection?.minimumHosts = 1
        var channel = VirtualChannel(policy)
        try channel.update(Endpoint.many(1), policy)
        channel.change("10.0.0.1:80", to: .ready)
        for _ in 0..<20 {
            guard case .subchannel(_, let trackers) = channel.pick() else { break }
            trackers.callEnded(CallOutcome(code: .unavailable))
        }
        channel.advance(by: .seconds(60))
        #expect(channel.connectivity == .ready)
        #expect(isUsed("10.0.0.1:80", channel))
    }

    @Test("un-ejects it after base_ejection_time, and again after twice that time")
    func unejection() throws {
        var channel = try channel(5, byFailures)
        call(channel)
        channel.advance(by: .seconds(10))
        channel.advance(by: .seconds(30))
        #expect(!isUsed("10.0.0.1:80", channel))
        channel.advance(by: .seconds(10))
        #expect(isUsed("10.0.0.1:80", channel))
        call(channel)
        channel.advance(by: .seconds(10))
        channel.advance(by: .seconds(60))
        #expect(!isUsed("10.0.0.1:80", channel))
        channel.advance(by: .seconds(10))
        #expect(isUsed("10.0.0.1:80", channel))
    }

    @Test("when an endpoint is un-ejected, another one can be ejected")
    func roomAfterUnejection() throws {
        var policy = byFailures
        policy.maxEjectionPercent = 20
        var channel = try channel(5, policy)
        call(channel)
        channel.advance(by: .seconds(10))
        channel.advance(by: .seconds(40))
        #expect(channel.shares(of: 100).count == 5)
        call(channel, failing: ["10.0.0.2:80": 100])
        channel.advance(by: .seconds(10))
        #expect(!isUsed("10.0.0.2:80", channel))
    }

    @Test(
        "the ejection time grows with the multiplier up to max_ejection_time",
        arguments: [
            (30, nil, 1, 30), (30, nil, 3, 90), (30, nil, 100, 300), (400, nil, 5, 400),
            (30, 60, 5, 60), (30, 10, 2, 30), (0, nil, 7, 0),
            (1, 315_576_000_000, .max, 315_576_000_000),
        ] as [(Int, Int?, Int, Int)])
    func ejectionTime(base: Int, longest: Int?, multiplier: Int, seconds: Int) {
        let policy = policy {
            $0.baseEjectionTime = .seconds(base)
            $0.maxEjectionTime = longest.map { .seconds($0) }
        }
        #expect(policy.ejectionTime(multiplier: multiplier) == .seconds(seconds))
    }

    @Test("ejects an endpoint whose success rate is far below the mean")
    func successRate() throws {
        let policy = policy { $0.successRateEjection = .init() }
        var channel = try channel(10, policy)
        call(channel, 100, failing: ["10.0.0.3:80": 40, "10.0.0.4:80": 5])
        channel.advance(by: .seconds(10))
        #expect(!isUsed("10.0.0.3:80", channel))
        #expect(channel.shares(of: 900).count == 9)
    }

    @Test("stops when the percentage of ejected addresses is at max_ejection_percent")
    func maximum() throws {
        var policy = byFailures
        policy.maxEjectionPercent = 40
        let channelPolicy = policy
        var channel = try channel(5, channelPolicy)
        let failing = Dictionary(uniqueKeysWithValues: (1...5).map { ("10.0.0.\($0):80", 100) })
        call(channel, failing: failing)
        channel.advance(by: .seconds(10))
        #expect(channel.shares(of: 100).count == 3)
    }

    @Test(
        "treats a percentage outside of 0 to 100 as the nearest of the two",
        arguments: [(Int.max, 1), (.min, 4)])
    func maximumOutOfRange(percent: Int, usedCount: Int) throws {
        var policy = byFailures
        policy.maxEjectionPercent = percent
        var channel = try channel(5, policy)
        let failing = Dictionary(uniqueKeysWithValues: (1...4).map { ("10.0.0.\($0):80", 100) })
        call(channel, failing: failing)
        channel.advance(by: .seconds(10))
        #expect(channel.shares(of: 100).count == usedCount)
    }

    @Test("ejects at least one address regardless of max_ejection_percent")
    func atLeastOne() throws {
        var policy = byFailures
        policy.maxEjectionPercent = 0
        var channel = try channel(5, policy)
        call(channel)
        channel.advance(by: .seconds(10))
        #expect(channel.shares(of: 100).count == 4)
    }

    @Test("does nothing with too few hosts, too few calls, or a chance of 0")
    func conditions() throws {
        typealias Rule = OutlierDetection.FailurePercentageEjection
        let cases: [(count: Int, configure: (inout Rule) -> Void)] = [
            (4, { _ in }), (5, { $0.requestVolume = 21 }), (5, { $0.enforcementPercentage = 0 }),
            (5, { $0.threshold = 100 }),
        ]
        for (count, configure) in cases {
            var rule = Rule()
            rule.requestVolume = 10
            configure(&rule)
            let policy = policy { $0.failurePercentageEjection = rule }
            var channel = try channel(count, policy)
            call(channel)
            channel.advance(by: .seconds(10))
            #expect(channel.shares(of: 100).count == count)
        }
    }

    @Test("calls that were not sent do not count")
    func notSent() throws {
        var channel = try channel(5, byFailures)
        for _ in 0..<200 {
            guard case .subchannel(_, let trackers) = channel.pick() else { continue }
            var outcome = CallOutcome(code: .unavailable)
            outcome.wasSent = false
            trackers.callEnded(outcome)
        }
        channel.advance(by: .seconds(10))
        #expect(channel.shares(of: 100).count == 5)
    }

    @Test("the state of an ejected subchannel is reported when it is un-ejected")
    func hiddenStates() throws {
        var channel = try channel(5, byFailures)
        call(channel)
        channel.advance(by: .seconds(10))
        let connectCount = channel.connectRequests.count
        channel.change("10.0.0.1:80", to: .idle)
        #expect(channel.connectRequests.count == connectCount)
        channel.advance(by: .seconds(40))
        #expect(channel.connectRequests.count == connectCount + 1)
        channel.change("10.0.0.1:80", to: .ready)
        #expect(isUsed("10.0.0.1:80", channel))
    }

    @Test("a config without algorithms un-ejects all endpoints, and counts no calls")
    func disabled() throws {
        var channel = try channel(5, byFailures)
        call(channel)
        channel.advance(by: .seconds(10))
        try channel.update(Endpoint.many(5), policy())
        #expect(channel.shares(of: 100).count == 5)
        guard case .subchannel(_, let trackers) = channel.pick(), trackers.isEmpty else {
            Issue.record("the picker counts calls")
            return
        }
        channel.advance(by: .seconds(100))
    }

    @Test("ejections outlive an update of the endpoints; those of removed endpoints do not")
    func updates() throws {
        var channel = try channel(5, byFailures)
        call(channel)
        channel.advance(by: .seconds(10))
        try channel.update(Endpoint.many(5).reversed(), byFailures)
        #expect(!isUsed("10.0.0.1:80", channel))
        try channel.update(Array(Endpoint.many(5).dropFirst()), byFailures)
        try channel.update(Endpoint.many(5), byFailures)
        channel.change("10.0.0.1:80", to: .ready)
        #expect(isUsed("10.0.0.1:80", channel))
    }

    @Test("the tracker of the child policy receives each call, too")
    func nestedTracker() throws {
        var policy = byFailures
        policy.policy = LeastRequest(choiceCount: 10)
        var channel = try channel(5, policy)
        call(channel)
        channel.advance(by: .seconds(10))
        #expect(channel.shares(of: 100).count == 4)
    }

    @Test("closing drops everything, and later states change nothing")
    func close() throws {
        var channel = try channel(5, byFailures)
        let subchannels = channel.live
        channel.close()
        #expect(channel.live.isEmpty)
        for subchannel in subchannels { channel.change(subchannel, to: .idle) }
        channel.advance(by: .seconds(100))
        #expect(channel.connectRequests.count == 5)
    }

    @Test("adopts 100,000 endpoints")
    func manyEndpoints() throws {
        var channel = VirtualChannel(byFailures)
        try channel.update(Endpoint.many(100_000), byFailures)
        channel.change(channel.made[7], to: .ready)
        channel.advance(by: .seconds(10))
        #expect(channel.outcome() == "10.0.0.8:80")
    }
}
