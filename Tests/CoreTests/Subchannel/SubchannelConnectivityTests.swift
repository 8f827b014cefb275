import SwiftletTransport
import Testing

@testable import SwiftletCore

/// The states of a subchannel and its attempts to connect, in virtual time.
@Suite("A subchannel")
struct SubchannelConnectivityTests {
    private static func lesson(
        winner: UInt16? = nil, silent: [UInt16] = [], untried: [UInt16] = [], started: [UInt16]
    ) -> AddressOrder.Lesson {
        func addresses(_ ports: [UInt16]) -> Set<SocketAddress> {
            Set(ports.map { .ipv4Loopback(port: $0) })
        }
        return AddressOrder.Lesson(
            winner: winner.map { .ipv4Loopback(port: $0) }, silent: addresses(silent),
            untried: addresses(untried), started: addresses(started))
    }

    @Test("connects when it is wanted, once, and reports each state once")
    func states() throws {
        let trial = SubchannelTrial()
        #expect(try trial.connectivity == .idle)
        #expect(try trial.handle(.wanted) == ["report connecting", "connect 1"])
        #expect(try trial.handle(.wanted) == [])
        let link = FakeLink(port: 1, at: trial.now)
        #expect(try trial.connected(to: link) == ["report ready", "adopt 1", "links"])
        #expect(try trial.handle(.wanted) == [])
        link.carry(1)
        #expect(try trial.ends(link) == ["report idle", "links", "end of use"])
        #expect(try trial.handle(.wanted) == ["report connecting", "connect 1"])
    }

    @Test("that has failed stays in TRANSIENT_FAILURE until it is connected (A62)")
    func sticky() throws {
        let trial = SubchannelTrial()
        try trial.handle(.wanted)
        #expect(
            try trial.failed(after: .milliseconds(300))
                == ["report transientFailure", "timer in 700 ms"])
        #expect(try trial.handle(.wanted) == [])
        #expect(try trial.handle(.timerFired, after: .milliseconds(700)) == ["connect 1"])
        #expect(try trial.connectivity == .transientFailure)
        #expect(trial.failure?.attemptNumber == 1)
        #expect(try trial.failed() == ["report transientFailure", "timer in 1600 ms"])
        #expect(trial.failure?.attemptNumber == 2)
        #expect(try trial.handle(.timerFired, after: .milliseconds(1_600)) == ["connect 1"])
        let link = FakeLink(port: 1, at: trial.now)
        #expect(try trial.connected(to: link) == ["report ready", "adopt 1", "links"])
        #expect(trial.failure == nil)
    }

    @Test("waits longer after each failure, and again for the initial delay after a success")
    func backoff() throws {
        let trial = SubchannelTrial()
        try trial.handle(.wanted)
        for delay in [1_000, 1_600, 2_560] {
            #expect(try trial.failed() == ["report transientFailure", "timer in \(delay) ms"])
            try trial.handle(.timerFired, after: .milliseconds(delay))
        }
        let link = FakeLink(port: 1, at: trial.now)
        _ = try trial.connected(to: link)
        link.carry(1)
        _ = try trial.ends(link)
        try trial.handle(.wanted)
        #expect(try trial.failed() == ["report transientFailure", "timer in 1000 ms"])
    }

    @Test("gives an attempt as much time as its backoff lasts, and at least the connect timeout")
    func timeLimit() throws {
        let trial = SubchannelTrial(
            backoff: .init(initial: .seconds(15), maximum: .seconds(120), jitter: 0))
        try trial.handle(.wanted)
        for seconds in [20, 24, 38, 61] {
            #expect(trial.attempt.map { Int($0.timeLimit / .seconds(1)) } == seconds)
            _ = try trial.failed(after: .seconds(200))
            try trial.handle(.timerFired)
        }
    }

    @Test("whose attempt took longer than its delay connects again at once")
    func slowFailure() throws {
        let trial = SubchannelTrial()
        try trial.handle(.wanted)
        #expect(
            try trial.failed(after: .seconds(20)) == ["report transientFailure", "timer in 0 ms"])
    }

    @Test("ignores a timer that was set for an earlier failure")
    func staleTimer() throws {
        let trial = SubchannelTrial()
        #expect(try trial.handle(.timerFired) == [])
        try trial.handle(.wanted)
        #expect(try trial.handle(.timerFired) == [])
        _ = try trial.failed()
        #expect(try trial.handle(.timerFired, after: .milliseconds(400)) == ["timer in 600 ms"])
        try trial.handle(.timerFired, after: .milliseconds(600))
        _ = try trial.connected(to: FakeLink(port: 1, at: trial.now))
        #expect(try trial.handle(.timerFired, after: .seconds(1)) == [])
    }

    @Test("tries a silent address last, and the one that answered first")
    func order() throws {
        let trial = SubchannelTrial([1, 2, 3])
        #expect(try trial.handle(.wanted) == ["report connecting", "connect 1,2,3"])
        let link = FakeLink(port: 2, at: trial.now)
        _ = try trial.connected(to: link, Self.lesson(winner: 2, silent: [1], started: [1, 2]))
        link.carry(1)
        _ = try trial.ends(link)
        #expect(try trial.handle(.wanted) == ["report connecting", "connect 2,3,1"])
        _ = try trial.failed(Self.lesson(silent: [2], started: [2, 3]))
        #expect(try trial.handle(.timerFired, after: .seconds(1)) == ["connect 3,1,2"])
    }

    @Test("after many addresses have failed has the causes of the last ones")
    func manyAddresses() throws {
        let failure = ConnectionFailure(
            phase: .connect,
            attempts: (1...1_000).map { .init(address: "\($0)", cause: "\($0) refused") })
        let error = failure.error(target: try Target("a.test"), nextAttempt: nil)
        #expect(error.message == "1000 refused")
        #expect(error.causes.count == 16)
        #expect(error.causes.first == "999 refused")
        #expect(error.causes.last == "984 earlier attempts failed, too")
        #expect(error.attempts.map(\.address) == (985...1_000).map { "\($0)" })
    }
}

@Suite("A subchannel whose network is back")
struct SubchannelNetworkTests {
    @Test("does nothing while it is idle or connected")
    func idle() throws {
        let trial = SubchannelTrial()
        #expect(try trial.handle(.networkIsBack) == [])
        _ = try trial.connect()
        #expect(try trial.handle(.networkIsBack) == [])
    }

    @Test("begins a running attempt again, and ignores the end of the former one")
    func connecting() throws {
        let trial = SubchannelTrial()
        try trial.handle(.wanted)
        let former = try #require(trial.attempt?.number)
        #expect(try trial.handle(.networkIsBack) == ["cancel", "connect 1"])
        let failure = ConnectionFailure(phase: .connect)
        #expect(try trial.handle(.failed(failure, .init(), attempt: former)) == [])
        let late = FakeLink(port: 1, at: trial.now)
        #expect(
            try trial.handle(.connected(late, named: nil, .init(), attempt: former))
                == ["give up 1"])
        #expect(try trial.connectivity == .connecting)
        #expect(
            try trial.connected(to: FakeLink(port: 1, at: trial.now))
                == ["report ready", "adopt 1", "links"])
    }

    @Test("connects at once instead of at the end of the delay, which begins again")
    func failed() throws {
        let trial = SubchannelTrial()
        try trial.handle(.wanted)
        _ = try trial.failed()
        try trial.handle(.timerFired, after: .seconds(1))
        _ = try trial.failed()
        #expect(try trial.handle(.networkIsBack) == ["connect 1"])
        #expect(try trial.failed() == ["report transientFailure", "timer in 1000 ms"])
    }

    @Test("may add a connection at once, although the last attempt to do so has failed")
    func extra() throws {
        let trial = SubchannelTrial(maxConnectionCount: 2)
        let link = try trial.connect()
        link.carry(1, limit: 1)
        try trial.handle(.waits(try SubchannelTrial.call()))
        _ = try trial.failed()
        #expect(trial.linkForCall() === link)
        try trial.handle(.networkIsBack)
        #expect(trial.linkForCall() == nil)
    }

    @Test("does nothing after it was dropped")
    func dropped() throws {
        let trial = SubchannelTrial()
        try trial.handle(.wanted)
        try trial.handle(.dropped)
        #expect(try trial.handle(.networkIsBack) == [])
    }
}
