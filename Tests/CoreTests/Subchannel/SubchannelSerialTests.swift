import SwiftletTransport
import Testing

@testable import SwiftletCore

@Suite("A subchannel whose connections carry one call at a time")
struct SubchannelSerialTests {
    /// A subchannel with a busy connection, and a call that waits.
    private static func full(
        maxConnectionCount: Int? = nil
    ) throws -> (SubchannelTrial, FakeLink) {
        let trial = SubchannelTrial(maxConnectionCount: maxConnectionCount)
        let link = try trial.connect(isMultiplexed: false)
        link.carry(1, limit: 1)
        #expect(trial.linkForCall() == nil)
        return (trial, link)
    }

    /// The last attempt succeeds, and the calls that waited begin again: the first uses the connection.
    private static func addLink(_ trial: SubchannelTrial) throws -> FakeLink {
        let link = FakeLink(port: 1, at: trial.now, isMultiplexed: false)
        _ = try trial.connected(to: link)
        for case .begin(let calls) in trial.actions {
            link.carry(1, limit: 1)
            for call in calls.dropFirst() { try trial.handle(.waits(call)) }
            try trial.handle(.begun(callCount: calls.count))
        }
        return link
    }

    @Test("has up to six, unless another number is set", arguments: [nil, 1, 3])
    func limit(_ maximum: Int?) throws {
        let (trial, _) = try Self.full(maxConnectionCount: maximum)
        for _ in 0..<10 { try trial.handle(.waits(try SubchannelTrial.call())) }
        var count = 1
        while trial.isConnecting {
            _ = try Self.addLink(trial)
            count += 1
        }
        #expect(count == maximum ?? 6)
        #expect(trial.linkForCall() == nil)
    }

    @Test("queues no call on a connection, and has no direct route")
    func noQueue() throws {
        let (trial, link) = try Self.full(maxConnectionCount: 1)
        #expect(trial.onlyLink == nil)
        #expect(try trial.handle(.waits(try SubchannelTrial.call())) == [])
        link.carry(0, limit: 1)
        #expect(trial.linkForCall() === link)
        #expect(try trial.handle(.room(link, streamCount: 1)) == ["begin 1"])
    }

    @Test("connects for a call that waits when one of several connections has ended")
    func ended() throws {
        let (trial, first) = try Self.full(maxConnectionCount: 2)
        try trial.handle(.waits(try SubchannelTrial.call()))
        _ = try Self.addLink(trial)
        #expect(try trial.handle(.waits(try SubchannelTrial.call())) == [])
        #expect(try trial.ends(first) == ["links", "connect 1"])
    }

    @Test("connects for a call that waits after the delay of an additional connection that failed")
    func extraFailure() throws {
        let (trial, _) = try Self.full()
        let call = try SubchannelTrial.call()
        #expect(try trial.handle(.waits(call)) == ["connect 1"])
        #expect(try trial.failed(after: .milliseconds(400)) == ["begin 1"])
        #expect(trial.linkForCall() == nil)
        #expect(try trial.handle(.waits(call)) == ["timer in 600 ms"])
        #expect(try trial.handle(.timerFired, after: .milliseconds(600)) == ["connect 1"])
    }

    @Test("has the health of a connected one, because HTTP/1.1 has no health checks")
    func health() throws {
        let trial = SubchannelTrial(healthService: "s")
        _ = try trial.connect(isMultiplexed: false)
        #expect(try trial.connectivity == .ready)
    }

    @Test("queues calls on its connection when the next one carries several")
    func otherVersion() throws {
        let (trial, first) = try Self.full()
        first.carry(0)
        _ = try trial.ends(first)
        let link = try trial.connect()
        link.carry(1, limit: 1)
        #expect(trial.linkForCall() === link && trial.onlyLink === link)
    }
}
