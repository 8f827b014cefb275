import SwiftletTransport
import Testing

@testable import SwiftletCore

@Suite("A subchannel whose addresses change")
struct SubchannelAddressTests {
    @Test("keeps a running attempt, to which it gives the addresses, and begins the delays again")
    func connecting() throws {
        let trial = SubchannelTrial([1])
        try trial.handle(.wanted)
        _ = try trial.failed()
        try trial.handle(.timerFired, after: .seconds(1))
        #expect(
            try trial.handle(
                .endpoint(SubchannelTrial.endpoint([1, 2])), after: .milliseconds(100))
                == ["redirect 1,2"])
        #expect(
            try trial.failed(after: .milliseconds(100))
                == ["report transientFailure", "timer in 800 ms"])
        #expect(trial.failure?.attemptNumber == 1)
    }

    @Test("keeps the delay of a running attempt if no address is new")
    func fewer() throws {
        let trial = SubchannelTrial([1, 2])
        try trial.handle(.wanted)
        _ = try trial.failed()
        try trial.handle(.timerFired, after: .seconds(1))
        #expect(try trial.handle(.endpoint(SubchannelTrial.endpoint([2]))) == ["redirect 2"])
        #expect(try trial.failed() == ["report transientFailure", "timer in 1600 ms"])
    }

    @Test("does not use a connection to an address that was removed while it became ready")
    func removedWinner() throws {
        let trial = SubchannelTrial([1, 2])
        try trial.handle(.wanted)
        try trial.handle(.endpoint(SubchannelTrial.endpoint([2])))
        let link = FakeLink(port: 1, at: trial.now)
        #expect(try trial.connected(to: link) == ["give up 1", "connect 2"])
        #expect(try trial.connectivity == .connecting)
        #expect(trial.links.isEmpty)
    }

    @Test("does not use a connection whose certificate was checked for another name")
    func renamed() throws {
        let trial = SubchannelTrial([1])
        try trial.handle(.wanted)
        try trial.handle(.endpoint(SubchannelTrial.endpoint([1], named: "b.test")))
        #expect(
            try trial.connected(to: FakeLink(port: 1, at: trial.now))
                == ["give up 1", "connect 1"])
        #expect(trial.attempt?.serverNames == [.ipv4Loopback(port: 1): "b.test"])
        let link = FakeLink(port: 1, at: trial.now)
        #expect(
            try trial.connected(to: link, named: "b.test") == ["report ready", "adopt 1", "links"])
    }

    @Test("drains the connections to addresses that are gone")
    func gone() throws {
        let trial = SubchannelTrial([1, 2])
        let link = try trial.connect(to: 2)
        #expect(try trial.handle(.endpoint(SubchannelTrial.endpoint([3, 2]))) == [])
        #expect(
            try trial.handle(.endpoint(SubchannelTrial.endpoint([3])))
                == ["report idle", "leave 2", "links"])
        #expect(trial.links.draining.first === link)
        #expect(try trial.ends(link) == ["end of use"])
    }

    @Test("connects at once to a new address after a failure, and not to the old ones")
    func failed() throws {
        let trial = SubchannelTrial([1, 2])
        try trial.handle(.wanted)
        _ = try trial.failed()
        #expect(try trial.handle(.endpoint(SubchannelTrial.endpoint([2]))) == [])
        #expect(try trial.handle(.endpoint(SubchannelTrial.endpoint([2]))) == [])
        #expect(try trial.handle(.endpoint(SubchannelTrial.endpoint([2, 3]))) == ["connect 2,3"])
        #expect(try trial.connectivity == .transientFailure)
    }

    @Test("stays idle")
    func idle() throws {
        let trial = SubchannelTrial([1])
        #expect(try trial.handle(.endpoint(SubchannelTrial.endpoint([2]))) == [])
        #expect(try trial.handle(.wanted) == ["report connecting", "connect 2"])
    }

    @Test("and which has none at the moment does not connect")
    func none() throws {
        let trial = SubchannelTrial([])
        #expect(try trial.handle(.wanted) == [])
        #expect(try trial.connectivity == .idle)
    }
}
