import SwiftletTransport
import Testing

@testable import SwiftletCore

@Suite("A connection of a subchannel")
struct SubchannelDrainTests {
    @Test("that carries no call and ends within the initial delay counts as a failed attempt")
    func earlyEnd() throws {
        let trial = SubchannelTrial()
        let link = try trial.connect()
        #expect(
            try trial.ends(link, after: .milliseconds(400))
                == ["report transientFailure", "timer in 600 ms", "links", "end of use"])
        let failure = try #require(trial.failure)
        #expect(failure.causes == ["connect \(link.peer): lost"])
        #expect(failure.attemptNumber == 1)
    }

    @Test("that has carried a call, or was open for the initial delay, does not")
    func success() throws {
        let trial = SubchannelTrial()
        let short = try trial.connect()
        short.carry(1)
        short.carry(0)
        #expect(try trial.ends(short) == ["report idle", "links", "end of use"])
        let long = try trial.connect()
        #expect(
            try trial.ends(long, after: .seconds(1)) == ["report idle", "links", "end of use"])
    }

    @Test("that this side ends early is no failure, although it has carried no call")
    func ownEnd() throws {
        let trial = SubchannelTrial()
        let link = try trial.connect()
        let loss = LinkError(phase: .http2, cause: "the call was cancelled", kind: .ownEnd)
        #expect(
            try trial.handle(.ended(link, loss)) == ["report idle", "links", "end of use"])
    }

    @Test("may be drained early once, but the second time in a row counts as a failed attempt")
    func gracefulDrains() throws {
        let trial = SubchannelTrial()
        let first = try trial.connect()
        #expect(try trial.drains(first) == ["report idle", "links"])
        #expect(try trial.ends(first) == ["end of use"])
        let second = try trial.connect()
        #expect(
            try trial.drains(second) == ["report transientFailure", "timer in 1600 ms", "links"])
    }

    @Test("may be drained with the server's first SETTINGS once, as just after them")
    func drainedAttempts() throws {
        let trial = SubchannelTrial()
        try trial.handle(.wanted)
        #expect(try trial.failed(wasDrained: true) == ["connect 1"])
        #expect(
            try trial.failed(wasDrained: true) == ["report transientFailure", "timer in 1600 ms"])
        #expect(try trial.handle(.timerFired, after: .milliseconds(1600)) == ["connect 1"])
        let link = FakeLink(port: 1, at: trial.now)
        _ = try trial.connected(to: link)
        #expect(try trial.drains(link) == ["report idle", "links"])
        try trial.handle(.wanted)
        #expect(
            try trial.failed(wasDrained: true) == ["report transientFailure", "timer in 4096 ms"])
    }

    @Test("that is drained early after another one has succeeded is the first in a row")
    func drainsNotInARow() throws {
        let trial = SubchannelTrial()
        for _ in 0..<2 {
            let early = try trial.connect()
            #expect(try trial.drains(early) == ["report idle", "links"])
            let useful = try trial.connect()
            useful.carry(1)
            #expect(try trial.drains(useful) == ["report idle", "links"])
        }
    }

    @Test("that is drained for an error before it has carried a call counts as a failed attempt")
    func drainWithError() throws {
        let trial = SubchannelTrial()
        let link = try trial.connect()
        #expect(
            try trial.drains(link, .enhanceYourCalm)
                == ["report transientFailure", "timer in 1000 ms", "links"])
    }

    @Test("that ends with the machine's network is no failure, and ends the earlier delays")
    func networkLoss() throws {
        let trial = SubchannelTrial()
        try trial.handle(.wanted)
        _ = try trial.failed()
        try trial.handle(.timerFired, after: .seconds(1))
        let link = FakeLink(port: 1, at: trial.now)
        _ = try trial.connected(to: link)
        #expect(
            try trial.ends(link, isNetworkLoss: true) == ["report idle", "links", "end of use"])
        try trial.handle(.wanted)
        #expect(try trial.failed() == ["report transientFailure", "timer in 1000 ms"])
    }

    @Test("may report its end twice, also after a drain")
    func endedTwice() throws {
        let trial = SubchannelTrial()
        let link = try trial.connect()
        link.carry(1)
        #expect(try trial.drains(link) == ["report idle", "links"])
        #expect(try trial.drains(link) == [])
        #expect(try trial.ends(link) == ["end of use"])
        #expect(try trial.ends(link) == [])
        #expect(trial.actions.isEmpty)
        #expect(try trial.drains(link) == [])
        #expect(trial.links.counts.connectionCount == 1)
        #expect(trial.links.pastCounts.connectionCount == 1)
    }

    @Test("is counted for the metrics when it is drained and when it has ended")
    func metrics() throws {
        let trial = SubchannelTrial()
        let link = try trial.connect()
        link.carry(1)
        _ = try trial.drains(link)
        #expect(Self.notes(trial.actions) == ["goAway(NO_ERROR)"])
        _ = try trial.ends(link)
        #expect(Self.notes(trial.actions) == ["ended: lost"])
        try trial.handle(.wanted)
        _ = try trial.failed()
        #expect(Self.notes(trial.actions) == ["failed"])
        try trial.handle(.timerFired, after: .seconds(1))
        _ = try trial.connected(to: FakeLink(port: 1, at: trial.now))
        try trial.handle(.drainAll)
        #expect(Self.notes(trial.actions) == ["ownEnd"])
    }

    private static func notes(_ actions: [SubchannelTrial.Life.Action]) -> [String] {
        actions.compactMap { action in
            switch action {
            case .noteFailedAttempt: "failed"
            case .noteDisconnected(let kind, _): "\(kind)"
            case .noteEnd(_, let cause): "ended: \(cause)"
            default: nil
            }
        }
    }

    @Test("is left for a new one when the program asks for that, and its calls continue")
    func drainAll() throws {
        let trial = SubchannelTrial()
        let link = try trial.connect()
        link.carry(1)
        #expect(try trial.handle(.drainAll) == ["report idle", "leave 1", "links"])
        #expect(trial.linkForCall() == nil)
        #expect(trial.links.all.count == 1)
        #expect(try trial.handle(.drainAll) == [])
    }
}

@Suite("A subchannel that is dropped")
struct SubchannelDropTests {
    @Test("while it connects ends the attempt, and closes a connection that comes too late")
    func connecting() throws {
        let trial = SubchannelTrial()
        try trial.handle(.wanted)
        #expect(try trial.handle(.dropped) == ["no timer", "cancel", "end of use"])
        #expect(trial.isOver)
        #expect(try trial.connected(to: FakeLink(port: 1, at: trial.now)) == ["give up 1"])
        #expect(try trial.failed() == [])
        #expect(try trial.handle(.wanted) == [])
    }

    @Test("after a failure does not connect again")
    func failed() throws {
        let trial = SubchannelTrial()
        try trial.handle(.wanted)
        _ = try trial.failed()
        #expect(try trial.handle(.dropped) == ["no timer", "end of use"])
        #expect(try trial.handle(.timerFired, after: .seconds(1)) == [])
        #expect(try trial.handle(.endpoint(SubchannelTrial.endpoint([2]))) == [])
    }

    @Test("is over when the last call on its connections has ended")
    func connected() throws {
        let trial = SubchannelTrial()
        let link = try trial.connect()
        link.carry(1)
        #expect(try trial.handle(.dropped) == ["no timer", "leave 1"])
        #expect(trial.linkForCall() == nil)
        #expect(trial.onlyLink == nil)
        #expect(!trial.isOver)
        #expect(try trial.ends(link) == ["end of use"])
        #expect(trial.isOver)
    }
}
