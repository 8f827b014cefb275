import SwiftletTransport
import Testing

@testable import SwiftletCore

@Suite("A subchannel that may have several connections (A105)")
struct SubchannelScalingTests {
    /// A subchannel with a connection whose only stream is taken, and a call that waits.
    private static func full(
        maxConnectionCount: Int = 2
    ) throws -> (SubchannelTrial, FakeLink, CallCore) {
        let trial = SubchannelTrial(maxConnectionCount: maxConnectionCount)
        let link = try trial.connect()
        link.carry(1, limit: 1)
        let call = try SubchannelTrial.call()
        try trial.handle(.waits(call))
        return (trial, link, call)
    }

    private static func calls(_ trial: SubchannelTrial) -> [CallCore] {
        trial.actions.flatMap { action -> [CallCore] in
            if case .begin(let calls) = action { calls } else { [] }
        }
    }

    @Test("adds one only when all are full, and no more than the maximum")
    func maximum() throws {
        let trial = SubchannelTrial(maxConnectionCount: 3)
        var links = [try trial.connect()]
        #expect(trial.linkForCall() === links[0])
        while links.count < 3 {
            links.last?.carry(1, limit: 1)
            #expect(trial.linkForCall() == nil)
            #expect(try trial.handle(.waits(try SubchannelTrial.call())) == ["connect 1"])
            // A second call waits for the same attempt.
            #expect(try trial.handle(.waits(try SubchannelTrial.call())) == [])
            links.append(FakeLink(port: 1, at: trial.now))
            #expect(
                try trial.connected(to: links[links.count - 1]) == ["adopt 1", "links", "begin 2"])
            try trial.handle(.begun(callCount: 2))
            #expect(trial.linkForCall() === links.last)
        }
        // With the maximum, calls queue on the connection that has the fewest.
        links[2].carry(1, limit: 1)
        links[0].carry(2, limit: 1)
        #expect(trial.linkForCall() === links[1])
        #expect(trial.onlyLink == nil)
    }

    @Test("with a maximum of one has a direct route, and queues calls on its connection")
    func single() throws {
        let trial = SubchannelTrial()
        let link = try trial.connect()
        link.carry(1, limit: 1)
        #expect(trial.linkForCall() === link)
        #expect(trial.onlyLink === link)
        #expect(try trial.handle(.maxConnectionCount(2)) == ["links"])
        #expect(trial.onlyLink == nil)
        #expect(try trial.handle(.maxConnectionCount(2)) == [])
        #expect(try trial.handle(.maxConnectionCount(0)) == ["links"])
        #expect(trial.onlyLink === link)
    }

    @Test("stays connected when an additional one fails, and tries none again before its delay")
    func extraFailure() throws {
        let (trial, link, call) = try Self.full()
        #expect(try trial.failed(after: .milliseconds(400)) == ["begin 1"])
        #expect(Self.calls(trial).first === call)
        #expect(try trial.connectivity == .ready)
        #expect(trial.failure == nil)
        #expect(trial.linkForCall() === link)
        #expect(trial.linkForCall(after: .milliseconds(600)) == nil)
    }

    @Test("does not wait longer for an additional one while an open one has carried calls")
    func extraDelay() throws {
        let (trial, _, _) = try Self.full()
        for _ in 0..<3 {
            _ = try trial.failed()
            try trial.handle(.waits(try SubchannelTrial.call()), after: .milliseconds(999))
            #expect(!trial.isConnecting)
            let more = try trial.handle(
                .waits(try SubchannelTrial.call()), after: .milliseconds(1))
            #expect(more == ["connect 1"])
        }
    }

    @Test(
        "that loses its last connection while it adds one is CONNECTING, and waiting calls pick again"
    )
    func lostWhileAdding() throws {
        let (trial, link, call) = try Self.full()
        #expect(
            try trial.ends(link) == ["report connecting", "links", "begin 1", "end of use"])
        #expect(Self.calls(trial).first === call)
        #expect(
            try trial.failed() == ["report transientFailure", "timer in 1000 ms"])
    }

    @Test(
        "hands a waiting call out once: for a stream, a connection, a failure, a drain or its drop")
    func handedOutOnce() throws {
        for way in 0..<5 {
            let (trial, link, call) = try Self.full()
            #expect(trial.hasWaitingCalls(for: link))
            let actions =
                switch way {
                case 0: try trial.handle(.room(link, streamCount: 1))
                case 1: try trial.connected(to: FakeLink(port: 1, at: trial.now))
                case 2: try trial.failed()
                case 3: try trial.handle(.drainAll)
                default: try trial.handle(.dropped)
                }
            #expect(actions.contains("begin 1"))
            #expect(Self.calls(trial).first === call)
            // The released channel stays open until the call has begun again.
            #expect(trial.hasWaitingCalls)
            #expect(!trial.isOver)
            #expect(try trial.handle(.begun(callCount: 1)) == ["end of use"])
            #expect(!trial.hasWaitingCalls)
            try trial.handle(.dropped)
            #expect(Self.calls(trial).isEmpty)
        }
    }

    @Test("begins as many waiting calls as there are free streams, in order")
    func room() throws {
        let (trial, link, first) = try Self.full()
        let others = try (0..<3).map { _ in try SubchannelTrial.call() }
        for call in others { try trial.handle(.waits(call)) }
        #expect(try trial.handle(.room(link, streamCount: 2)) == ["begin 2"])
        #expect(Self.calls(trial).map { $0 === first } == [true, false])
        #expect(Self.calls(trial).last === others[0])
        #expect(trial.hasWaitingCalls(for: link))
        #expect(try trial.handle(.begun(callCount: 2)) == [])
        #expect(try trial.handle(.room(link, streamCount: 5)) == ["begin 2"])
        #expect(!trial.hasWaitingCalls(for: link))
    }

    @Test("gives no waiting call to a connection that is drained")
    func roomOfDrained() throws {
        let (trial, link, _) = try Self.full()
        let other = FakeLink(port: 1, at: trial.now)
        _ = try trial.connected(to: other)
        try trial.handle(.begun(callCount: 1))
        other.carry(1, limit: 1)
        try trial.handle(.maxConnectionCount(3))
        try trial.handle(.waits(try SubchannelTrial.call()))
        #expect(try trial.drains(link) == ["links"])
        #expect(try trial.handle(.room(link, streamCount: 1)) == [])
        #expect(!trial.hasWaitingCalls(for: link))
        #expect(trial.hasWaitingCalls)
    }

    @Test("does not hand out a call that was taken from the waiting ones")
    func taken() throws {
        let (trial, link, call) = try Self.full()
        let taken = trial.takeWaiting()
        #expect(taken.count == 1)
        #expect(taken.first === call)
        #expect(try trial.handle(.room(link, streamCount: 1)) == [])
        #expect(!trial.hasWaitingCalls)
    }

    @Test("drains those without calls when the channel is checked, but keeps one")
    func spares() throws {
        let (trial, link, _) = try Self.full()
        let other = FakeLink(port: 1, at: trial.now)
        _ = try trial.connected(to: other)
        #expect(try trial.handle(.drainSpares) == ["leave 1", "links"])
        #expect(trial.links.open.map { $0 === link } == [true])
        #expect(try trial.handle(.drainSpares) == [])
        link.carry(0)
        #expect(try trial.handle(.drainSpares) == [])
        #expect(trial.links.open.count == 1)
    }
}
