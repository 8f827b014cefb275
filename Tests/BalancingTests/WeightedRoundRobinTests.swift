import SwiftletTransport
import Synchronization
import Testing

@testable import SwiftletBalancing
@testable import SwiftletCore

@Suite("weighted_round_robin (A58)")
struct WeightedRoundRobinTests {
    private func load(
        qps: Double, utilization: Double, eps: Double = 0, application: Double = 0
    ) -> LoadReport {
        var load = LoadReport()
        load.requestsPerSecond = qps
        load.cpuUtilization = utilization
        load.errorsPerSecond = eps
        load.applicationUtilization = application
        return load
    }

    private func policy(
        _ configure: (inout WeightedRoundRobin) -> Void = { _ in }
    ) -> WeightedRoundRobin {
        var policy = WeightedRoundRobin()
        configure(&policy)
        return policy
    }

    private func channel(_ count: Int, _ policy: WeightedRoundRobin) throws -> VirtualChannel {
        var channel = VirtualChannel(policy)
        try channel.update(Endpoint.many(count), policy)
        for subchannel in channel.live { channel.change(subchannel, to: .ready) }
        return channel
    }

    /// Ends one call on each endpoint with a load report.
    ///
    /// - Parameter between: What happens after the calls were sent.
    private func report(
        _ loads: [String: LoadReport], to channel: VirtualChannel, after between: () -> Void = {}
    ) throws {
        var missing = Set(loads.keys)
        var calls: [(trackers: CallTrackers, load: LoadReport?)] = []
        for _ in 0..<1_000 where !missing.isEmpty {
            guard case .subchannel(let subchannel, let trackers) = channel.pick(),
                let address = channel.endpoints[subchannel]?.addresses.first?.description
            else { continue }
            guard missing.remove(address) != nil else { continue }
            calls.append((trackers, loads[address]))
        }
        try #require(missing.isEmpty)
        between()
        for call in calls { call.trackers.callEnded(CallOutcome(code: .ok, load: call.load)) }
    }

    private var threeToOne: [String: LoadReport] {
        [
            "10.0.0.1:80": load(qps: 30, utilization: 0.1),
            "10.0.0.2:80": load(qps: 10, utilization: 0.1),
        ]
    }

    @Test("counts fallbacks, and weights that are not yet usable or stale (A78)")
    func metrics() throws {
        var channel = try channel(2, policy())
        // The policy has made a new picker each time an endpoint became READY.
        #expect(channel.weightUpdates.last?.weights == [0, 0])
        #expect(channel.weightUpdates.last?.notYetUsableCount == 2)
        #expect(channel.weightUpdates.last?.isFallback == true)
        try report(threeToOne, to: channel)
        channel.decisions = []
        channel.advance(by: .seconds(2))
        // Within the blackout period.
        #expect(channel.weightUpdates.count == 2)
        #expect(channel.weightUpdates.allSatisfy { $0.notYetUsableCount == 2 })
        channel.advance(by: .seconds(10))
        let usable = try #require(channel.weightUpdates.last)
        #expect(usable.weights.sorted() == [100, 300])
        #expect(usable.notYetUsableCount + usable.staleCount == 0)
        #expect(!usable.isFallback)
        channel.advance(by: .seconds(180))
        for update in channel.weightUpdates.suffix(2) {
            #expect(update.weights == [0, 0])
            #expect(update.staleCount == 2)
            #expect(update.notYetUsableCount == 0)
            #expect(update.isFallback)
        }
    }

    @Test("weight = qps / (utilization + eps / qps × error_utilization_penalty)")
    func formula() throws {
        let load = load(qps: 10, utilization: 0.5, eps: 5)
        #expect(load.weight(errorPenalty: 1) == 10)
        #expect(load.weight(errorPenalty: 0) == 20)
        #expect(load.weight(errorPenalty: -1) == 20)
    }

    @Test("application_utilization is used if set; otherwise cpu_utilization")
    func utilization() {
        #expect(load(qps: 10, utilization: 0.5, application: 0.25).weight(errorPenalty: 0) == 40)
        #expect(load(qps: 10, utilization: 0).weight(errorPenalty: 0) == nil)
        #expect(load(qps: 0, utilization: 1).weight(errorPenalty: 0) == nil)
        #expect(load(qps: 10, utilization: 0, eps: 5).weight(errorPenalty: 1) == nil)
    }

    @Test("a weight that is 0 or not finite is not used")
    func extremes() {
        let largest = Double.greatestFiniteMagnitude
        #expect(load(qps: largest, utilization: 0.1).weight(errorPenalty: 0) == nil)
        #expect(load(qps: 1, utilization: 1, eps: largest).weight(errorPenalty: 2) == nil)
    }

    @Test("behaves the same as round_robin until weights are known")
    func withoutWeights() throws {
        let channel = try channel(3, policy())
        #expect(channel.shares(of: 300).values.sorted() == [100, 100, 100])
    }

    @Test("a weight is used when its endpoint reported for the blackout period")
    func blackout() throws {
        var channel = try channel(2, policy())
        try report(threeToOne, to: channel)
        channel.advance(by: .seconds(2))
        #expect(channel.shares(of: 400).values.sorted() == [200, 200])
        channel.advance(by: .seconds(10))
        let shares = channel.shares(of: 4_000)
        #expect(abs((shares["10.0.0.1:80"] ?? 0) - 3_000) <= 20)
    }

    @Test("weights are computed again after a time without READY endpoints")
    func readyAgain() throws {
        var channel = try channel(
            2,
            policy {
                $0.enableOutOfBandLoadReport = true
                $0.blackoutPeriod = .zero
            })
        for state in [ConnectivityState.transientFailure, .ready] {
            for subchannel in channel.live { channel.change(subchannel, to: state) }
            channel.advance(by: .seconds(5))
        }
        for (address, load) in threeToOne { channel.report(load, of: address) }
        channel.advance(by: .seconds(1))
        #expect(abs((channel.shares(of: 4_000)["10.0.0.1:80"] ?? 0) - 3_000) <= 20)
    }

    @Test("tells metrics the locality of its endpoints only if they share it")
    func labels() throws {
        for (localities, expected) in [(["a", "a"], "a"), (["a", "b"], "")] {
            let endpoints = zip(try Endpoint.many(2), localities).map { endpoint, locality in
                var endpoint = endpoint
                endpoint.attributes.labels = BackendLabels(service: "shop", locality: locality)
                return endpoint
            }
            var channel = VirtualChannel(policy())
            try channel.update(endpoints, policy())
            for subchannel in channel.live { channel.change(subchannel, to: .ready) }
            guard case .weights(_, let labels)? = channel.decisions.last else {
                Issue.record("no weights were recorded")
                continue
            }
            #expect(labels == BackendLabels(service: "shop", locality: expected))
        }
    }

    @Test("uses a shorter update period at once")
    func shorterPeriod() throws {
        var channel = try channel(2, policy { $0.weightUpdatePeriod = .seconds(3_600) })
        // A longer period begins after the next update.
        for (period, count) in [(Duration.seconds(1), 7), (.seconds(3), 3)] {
            try channel.update(Endpoint.many(2), policy { $0.weightUpdatePeriod = period })
            channel.decisions = []
            channel.advance(by: .seconds(7))
            #expect(channel.weightUpdates.count == count)
        }
    }

    @Test("a weight is not used once its endpoint has not reported for the expiration period")
    func expiration() throws {
        var channel = try channel(2, policy())
        try report(threeToOne, to: channel)
        channel.advance(by: .seconds(20))
        #expect(channel.shares(of: 400)["10.0.0.1:80"] ?? 0 > 250)
        channel.advance(by: .seconds(180))
        #expect(channel.shares(of: 400).values.sorted() == [200, 200])
    }

    @Test("a subchannel that becomes READY again has its blackout period again")
    func reconnected() throws {
        var channel = try channel(2, policy())
        try report(threeToOne, to: channel)
        channel.advance(by: .seconds(20))
        channel.change("10.0.0.1:80", to: .idle)
        channel.change("10.0.0.1:80", to: .ready)
        #expect(channel.shares(of: 400).values.sorted() == [200, 200])
    }

    @Test("the times of a weight are those of the reports, however rarely weights are computed")
    func reportTimes() throws {
        let clock = Mutex(MonotonicInstant(nanoseconds: 0))
        var weight = EndpointWeight { clock.withLock { $0 } }
        func wait(_ duration: Duration) { clock.withLock { $0 = $0 + duration } }
        func value() -> EndpointWeight.Current {
            let now = MonotonicInstant(nanoseconds: 0).duration(to: clock.withLock { $0 })
            weight.collect(at: now)
            return weight.weight(at: now, policy())
        }
        func report(qps: Double) {
            weight.reports.callEnded(CallOutcome(code: .ok, load: load(qps: qps, utilization: 0.1)))
        }
        #expect(value() == .notYetUsable)
        wait(.seconds(1))
        report(qps: 10)
        wait(.seconds(4))
        report(qps: 20)
        // Ten seconds after the first of them.
        wait(.seconds(6))
        #expect(value() == .usable(200))
        report(qps: 30)
        // Three minutes after the last.
        wait(.seconds(180))
        #expect(value() == .stale)
        report(qps: 30)
        wait(.seconds(10))
        #expect(value() == .usable(300))
    }

    @Test("a report of an earlier connection does not begin the blackout period of the next")
    func reportBeforeReconnecting() throws {
        var channel = try channel(2, policy())
        let started = channel
        try report(threeToOne, to: started) {
            for subchannel in channel.live { channel.change(subchannel, to: .idle) }
        }
        for subchannel in channel.live { channel.change(subchannel, to: .ready) }
        channel.advance(by: .seconds(20))
        #expect(channel.shares(of: 400).values.sorted() == [200, 200])
    }

    @Test("an endpoint whose weight is not known is picked with the average weight")
    func average() throws {
        var channel = try channel(3, policy { $0.blackoutPeriod = .zero })
        try report(threeToOne, to: channel)
        channel.advance(by: .seconds(1))
        let shares = channel.shares(of: 6_000)
        #expect(abs((shares["10.0.0.3:80"] ?? 0) - 2_000) <= 30)
        #expect(abs((shares["10.0.0.1:80"] ?? 0) - 3_000) <= 30)
    }

    @Test("out-of-band reports are requested, used and ended as the config says")
    func outOfBand() throws {
        let outOfBand = policy {
            $0.enableOutOfBandLoadReport = true
            $0.outOfBandReportingPeriod = .seconds(3)
            $0.blackoutPeriod = .zero
        }
        var channel = try channel(2, outOfBand)
        #expect(channel.live.allSatisfy { channel.loadIntervals[$0] == .seconds(3) })
        guard case .subchannel(_, let trackers) = channel.pick(), trackers.isEmpty else {
            Issue.record("per-call reports are not parsed")
            return
        }
        for (address, load) in threeToOne { channel.report(load, of: address) }
        channel.advance(by: .seconds(1))
        #expect(abs((channel.shares(of: 4_000)["10.0.0.1:80"] ?? 0) - 3_000) <= 20)
        try channel.update(Endpoint.many(2), policy())
        #expect(channel.loadIntervals.isEmpty)
    }

    @Test(
        "invalid reports keep each share between a tenth of the average and ten times the average")
    func garbage() throws {
        var channel = try channel(4, policy { $0.blackoutPeriod = .zero })
        try report(
            [
                "10.0.0.1:80": load(qps: 1e308, utilization: 1e-308),
                "10.0.0.2:80": load(qps: .infinity, utilization: .nan),
                "10.0.0.3:80": load(qps: 1e300, utilization: 1e-9, eps: .infinity),
                "10.0.0.4:80": load(qps: 1e-300, utilization: 1e300),
            ], to: channel)
        channel.advance(by: .seconds(1))
        #expect(channel.shares(of: 4_000).count == 4)
    }
}

@Suite("The stride schedule")
struct StrideScheduleTests {
    @Test(
        "chooses in proportion to the weights",
        arguments: [[1.0, 2, 3, 4], [5, 5, 5], [1, 10], [0.001, 0.003], [2, 0, 4]])
    func proportion(weights: [Double]) throws {
        let schedule = try #require(StrideSchedule(weights))
        let turn = PickTurn(startingAt: 12_345)
        var counts = [Int](repeating: 0, count: weights.count)
        for _ in 0..<100_000 { counts[schedule.next(turn)] += 1 }
        let known = weights.filter { $0 > 0 }
        let average = known.reduce(0, +) / Double(known.count)
        let full = weights.map { $0 > 0 ? $0 : average }
        for (count, weight) in zip(counts, full) {
            let expected = 100_000 * weight / full.reduce(0, +)
            #expect(abs(Double(count) - expected) < expected * 0.02 + 10)
        }
    }

    @Test("needs two known weights", arguments: [[], [1], [0, 0, 0], [0, 3, 0], [-1, .nan, 2]])
    func unknown(weights: [Double]) {
        #expect(StrideSchedule(weights) == nil)
    }

    @Test("keeps weights between a tenth of the average and ten times the average")
    func bounds() throws {
        let weights = [Double](repeating: 1, count: 99) + [1e90]
        let schedule = try #require(StrideSchedule(weights))
        let turn = PickTurn(startingAt: 0)
        var counts = [Int](repeating: 0, count: 100)
        for _ in 0..<10_000 { counts[schedule.next(turn)] += 1 }
        #expect(counts.allSatisfy { $0 > 0 })
        // The largest weight is ten times the average and a hundred times each of the others.
        #expect(abs(counts[99] - 5_000) < 100)
    }
}

extension LoadReport {
    fileprivate func weight(errorPenalty: Double) -> Double? {
        var policy = WeightedRoundRobin()
        policy.errorUtilizationPenalty = errorPenalty
        return WeightRule(policy).weight(of: self)
    }
}
