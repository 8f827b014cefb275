import SwiftletTransport
import Testing

@testable import SwiftletBalancing
@testable import SwiftletCore

@Suite("A subchannel's stream of reports (A17, A51)")
struct SubchannelStreamStateTests {
    private static let start = MonotonicInstant(nanoseconds: 1_000_000_000_000)

    private static func at(_ milliseconds: Int) -> MonotonicInstant {
        start + .milliseconds(milliseconds)
    }

    private static func open() -> SubchannelStreamState {
        var state = SubchannelStreamState(Backoff())
        #expect(state.start(now: start) == .open)
        return state
    }

    @Test("is opened once the subchannel is connected, and only once")
    func opens() {
        var state = Self.open()
        #expect(state.start(now: Self.start) == .nothing)
    }

    @Test("is opened again after growing delays, which count from the moment it was opened")
    func growingDelays() {
        var state = Self.open()
        #expect(
            state.ended(.unavailable, now: Self.at(400), chance: 0.5)
                == .wait(until: Self.at(1_000)))
        #expect(state.timeHasCome(now: Self.at(999)) == .wait(until: Self.at(1_000)))
        #expect(state.timeHasCome(now: Self.at(1_000)) == .open)
        #expect(
            state.ended(.unavailable, now: Self.at(1_001), chance: 0.5)
                == .wait(until: Self.at(2_600)))
        #expect(state.timeHasCome(now: Self.at(2_600)) == .open)
        #expect(
            state.ended(.ok, now: Self.at(2_600), chance: 0) == .wait(until: Self.at(4_648)))
    }

    @Test(
        "is opened again at once if it received a message and lasted longer than the first delay")
    func immediately() {
        var state = Self.open()
        _ = state.ended(.unavailable, now: Self.start, chance: 0.5)
        #expect(state.timeHasCome(now: Self.at(1_000)) == .open)
        state.received()
        #expect(state.ended(.unavailable, now: Self.at(2_001), chance: 0.5) == .open)
        #expect(
            state.ended(.unavailable, now: Self.at(2_002), chance: 0.5)
                == .wait(until: Self.at(3_601)))
    }

    @Test("of a server that answers and closes is not opened again without a pause")
    func noHotLoop() {
        var state = Self.open()
        for round in 0..<5 {
            state.received()
            let next = Self.at(1_000 * (round + 1))
            #expect(
                state.ended(.ok, now: Self.at(1_000 * round + 1), chance: 0.5)
                    == .wait(until: next))
            #expect(state.timeHasCome(now: next) == .open)
        }
    }

    @Test("that the server does not implement is never opened again")
    func unimplemented() {
        var state = Self.open()
        #expect(state.ended(.unimplemented, now: Self.at(5_000)) == .nothing)
        #expect(state.timeHasCome(now: Self.at(500_000)) == .nothing)
    }

    @Test("is not opened after it was stopped, while it is open and while it waits")
    func stopped() {
        var open = Self.open()
        // The caller opens the stream outside the lock, and then looks again.
        #expect(open.isOpen)
        open.stop()
        #expect(!open.isOpen)
        #expect(open.ended(.unavailable, now: Self.start) == .nothing)
        var waiting = Self.open()
        _ = waiting.ended(.unavailable, now: Self.start)
        waiting.stop()
        #expect(waiting.timeHasCome(now: Self.at(500_000)) == .nothing)
    }

    @Test(
        "is opened with the request of its service",
        arguments: [
            (SubchannelSubject.health(service: ""), []),
            (.health(service: "a.B"), [10, 3, 0x61, 0x2e, 0x42]),
            (.load(interval: .seconds(10)), [10, 2, 8, 10]),
            (.load(interval: .milliseconds(1_500)), [10, 8, 8, 1, 16, 128, 202, 181, 238, 1]),
        ] as [(SubchannelSubject, [UInt8])])
    func requests(subject: SubchannelSubject, expected: [UInt8]) {
        #expect(subject.request == expected)
    }

    @Test(
        "of health checks means READY for SERVING alone",
        arguments: [
            ([8, 1], nil), ([], "UNKNOWN"), ([8, 2], "NOT_SERVING"), ([8, 3], "SERVICE_UNKNOWN"),
            ([8, 77], "in the unknown state 77"), ([8, 1, 8, 2, 18, 1, 0], "NOT_SERVING"),
        ] as [([UInt8], String?)])
    func healthResults(bytes: [UInt8], word: String?) throws {
        let result = try HealthResult(decoding: bytes, service: "a.B", peer: "1.2.3.4:5")
        let state = result.subchannelState
        guard let word else {
            #expect(result == .healthy)
            #expect(state.connectivity == .ready)
            return
        }
        #expect(state.connectivity == .transientFailure)
        #expect(state.failure?.message == "1.2.3.4:5 reports that 'a.B' is \(word)")
    }

    @Test(
        "of health checks fails with bytes that are not a message",
        arguments: [[8], [0xff], [18, 5]])
    func malformedHealth(bytes: [UInt8]) {
        #expect(throws: RPCError(.internal, "1.2.3.4:5 sent a malformed health check response")) {
            try HealthResult(decoding: bytes, service: "", peer: "1.2.3.4:5")
        }
    }
}
