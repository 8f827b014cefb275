import SwiftletTransport
import TestSupport
import Testing

@testable import SwiftletCore

/// Random inputs, in any order. After each, what must always be true is checked.
@Suite("A subchannel, whatever happens in any order")
struct SubchannelRandomTests {
    struct Story {
        let trial: SubchannelTrial
        let chance: Chance
        var links: [FakeLink] = []
        var attempts: [Int] = []
        /// How often each call was handed out.
        var handedOut: [ObjectIdentifier: Int] = [:]
        var calls: [CallCore] = []
        var pendingBegin = 0
        var endNotes: [ObjectIdentifier: Int] = [:]
        var isDropped = false
        var lastReport = ConnectivityState.idle

        init(seed: UInt64) {
            chance = Chance(seed)
            trial = SubchannelTrial(
                [1, 2, 3], maxConnectionCount: Int(chance.next() % 3) + 1,
                backoff: .init(initial: .seconds(1), jitter: 0.2),
                healthService: chance.next() % 2 == 0 ? "s" : nil)
        }
    }

    @Test("keeps its invariants", arguments: 1...300)
    func invariants(seed: Int) throws {
        var story = Story(seed: UInt64(seed))
        for _ in 0..<150 {
            try story.step()
            try story.check()
        }
        try story.finish()
    }
}

extension SubchannelRandomTests.Story {
    private func pick(_ count: Int) -> Int { Int(chance.next() % UInt64(count)) }

    private func anyLink() -> FakeLink? { links.isEmpty ? nil : links[pick(links.count)] }

    mutating func step() throws {
        let delay = Duration.milliseconds([0, 1, 50, 700, 3_000, 40_000][pick(6)])
        trial.now = trial.now + delay
        guard let input = try nextInput() else { return }
        try trial.handle(input)
        try note()
    }

    /// Nil if there is nothing that the input could be about.
    private mutating func nextInput() throws -> SubchannelTrial.Life.Input? {
        let attempt =
            attempts.isEmpty ? 0 : attempts[attempts.count - 1 - pick(min(3, attempts.count))]
        let healths: [HealthResult] = [
            .healthy, .unknown, .unhealthy(RPCError(.unavailable, "sick")),
        ]
        switch pick(22) {
        case 0, 1: return .wanted
        case 2, 3, 4:
            let link = FakeLink(port: UInt16(pick(4) + 1), at: trial.now)
            return .connected(
                link, named: pick(9) == 0 ? "x" : nil, .init(winner: link.address),
                attempt: attempt)
        case 5:
            return .failed(
                ConnectionFailure(
                    phase: .connect, attempts: [.init(address: "a", cause: "refused")],
                    wasDrained: pick(3) == 0), .init(), attempt: attempt)
        case 6: return .timerFired
        case 7: return .networkIsBack
        case 8:
            let code = pick(2) == 0 ? ErrorCode.noError : .protocolError
            let loss = LinkError(phase: .http2, cause: "x", kind: .goAway(code))
            return anyLink().map { .draining($0, loss) }
        case 9, 10:
            let loss = LinkError(phase: .http2, cause: "x", isNetworkLoss: pick(4) == 0)
            return anyLink().map { .ended($0, loss) }
        case 11:
            return .endpoint(
                SubchannelTrial.endpoint([[1, 2, 3], [2], [3, 4], [1, 4]][pick(4)]))
        case 12: return .maxConnectionCount(pick(4))
        case 13: return pick(4) == 0 ? .drainAll : .drainSpares
        case 14:
            guard pick(40) == 0 else { return nil }
            isDropped = true
            return .dropped
        case 15: return anyLink().map { .room($0, streamCount: pick(3)) }
        case 16, 17, 18:
            guard trial.linkForCall() == nil, !trial.links.open.isEmpty
            else { return nil }
            let call = try SubchannelTrial.call()
            calls.append(call)
            return .waits(call)
        case 19:
            if let link = anyLink() { link.carry(pick(3), limit: 1) }
            return nil
        case 20: return anyLink().map { .health(healths[pick(3)], service: "s", $0) }
        default:
            guard pendingBegin > 0 else { return nil }
            defer { pendingBegin = 0 }
            return .begun(callCount: pendingBegin)
        }
    }

    private mutating func note() throws {
        for (index, action) in trial.actions.enumerated() {
            switch action {
            case .report:
                try #require(index == 0, "the balancer gets the state before anything else happens")
                lastReport = try trial.connectivity
            case .adopt(let link): if let link = link as? FakeLink { links.append(link) }
            case .connect(let addresses, _, let attempt):
                try #require(attempts.last.map { $0 < attempt } ?? true)
                try #require(!addresses.list.isEmpty)
                attempts.append(attempt)
            case .setTimer(let time):
                try #require(try trial.connectivity == .transientFailure)
                try #require(!trial.isConnecting)
                try #require(time >= trial.now)
            case .begin(let calls):
                pendingBegin += calls.count
                for call in calls { handedOut[ObjectIdentifier(call), default: 0] += 1 }
            case .noteEnd(let link, _): endNotes[ObjectIdentifier(link), default: 0] += 1
            default: break
            }
        }
    }

    func check() throws {
        let links = trial.links
        let connectivity = try trial.connectivity
        let open = Set(links.open.map { ObjectIdentifier($0) })
        let draining = Set(links.draining.map { ObjectIdentifier($0) })
        try #require(open.count == links.open.count && draining.count == links.draining.count)
        try #require(open.isDisjoint(with: draining))
        let addresses = trial.addresses
        try #require(links.open.allSatisfy { addresses.contains($0.address) })
        // READY only with a connection, and a failure only without one.
        if connectivity == .ready { try #require(!open.isEmpty) }
        if !open.isEmpty { try #require(trial.failure == nil) }
        if open.isEmpty {
            let expected: ConnectivityState =
                trial.failure != nil
                ? .transientFailure : trial.isConnecting ? .connecting : .idle
            try #require(connectivity == expected)
            try #require(
                !calls.contains { handedOut[ObjectIdentifier($0)] == nil }, "none waits here")
        }
        try #require(isDropped || lastReport == connectivity, "the balancer has the state")
        try #require(handedOut.values.allSatisfy { $0 == 1 })
        try #require(endNotes.values.allSatisfy { $0 == 1 })
        if isDropped { try #require(open.isEmpty && !trial.isConnecting) }
        let all = open.union(draining)
        try #require(links.counts.connectionCount == all.count + endNotes.count)
    }

    /// The subchannel is dropped, and everything ends.
    mutating func finish() throws {
        try trial.handle(.dropped)
        try note()
        for link in links {
            _ = try trial.ends(link)
            try note()
        }
        try trial.handle(.begun(callCount: pendingBegin))
        try #require(trial.isOver)
        try #require(calls.allSatisfy { handedOut[ObjectIdentifier($0)] == 1 })
        try #require(links.allSatisfy { endNotes[ObjectIdentifier($0)] == 1 })
    }
}
