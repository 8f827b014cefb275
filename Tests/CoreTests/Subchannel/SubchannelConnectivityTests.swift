import SwiftletTransport
import Testing

@testable import SwiftletCore

/// The states of a subchannel, in virtual time.
@Suite("The connectivity of a subchannel")
struct SubchannelConnectivityTests {
    private static let begin = MonotonicInstant.now

    private static func idle() -> SubchannelCore.State {
        SubchannelCore.State(
            addresses: [.ipv4Loopback(port: 1)],
            backoff: Backoff(.init(initial: .seconds(1), jitter: 0)), maxConnectionCount: 1,
            streams: SubchannelStreams(healthService: nil))
    }

    private static func report(
        _ state: SubchannelCore.State
    ) throws -> (connectivity: ConnectivityState, cause: String?) {
        let report = state.report(target: try Target("a.test"))
        return (report.connectivity, report.failure?.message)
    }

    @Test("is reported once for each change")
    func changes() throws {
        var state = Self.idle()
        for (connectivity, changeCount): (ConnectivityState, UInt32) in [
            (.idle, 0), (.connecting, 1), (.connecting, 1), (.ready, 2), (.ready, 2), (.idle, 3),
        ] {
            state.move(to: connectivity)
            #expect(try Self.report(state) == (connectivity, nil))
            #expect(state.changeCount == changeCount)
        }
    }

    @Test("after a failure is TRANSIENT_FAILURE until the delay since the attempt has passed")
    func failure() throws {
        var state = Self.idle()
        // An attempt begins. Its delay is a second.
        let (delay, _) = state.backoff.nextAttempt(connectTimeout: .seconds(20))
        state.nextAttempt = Self.begin + delay
        state.move(to: .connecting)
        let changeCount = state.changeCount
        let failure = ConnectionFailure(phase: .connect, attempts: [("a", "refused")])
        let next = state.backOff(after: failure, now: Self.begin + .milliseconds(300))
        #expect(next == Self.begin + .seconds(1))
        #expect(state.nextAttempt == next)
        #expect(try Self.report(state) == (.transientFailure, "refused"))
        #expect(state.changeCount != changeCount)
        #expect(state.lastFailure?.attemptNumber == 1)
    }

    @Test("after a failure that took longer than its delay allows an attempt at once")
    func slowFailure() throws {
        var state = Self.idle()
        state.nextAttempt = Self.begin + .seconds(1)
        let late = Self.begin + .seconds(20)
        let failure = ConnectionFailure(phase: .connect, attempts: [("a", "no answer")])
        #expect(state.backOff(after: failure, now: late) == late)
        // Without a new attempt, as after the loss of a connection.
        state.nextAttempt = nil
        #expect(state.backOff(after: failure, now: late) == late)
    }

    @Test("is reported for each failure, so that callers get the last cause")
    func failures() throws {
        var state = Self.idle()
        for (number, cause) in ["refused", "unreachable", "unreachable"].enumerated() {
            _ = state.backoff.next(chance: 0.5)
            let changeCount = state.changeCount
            let failure = ConnectionFailure(phase: .connect, attempts: [("a", cause)])
            _ = state.backOff(after: failure, now: Self.begin)
            #expect(try Self.report(state) == (.transientFailure, cause))
            #expect(state.changeCount != changeCount)
            #expect(state.lastFailure?.attemptNumber == number + 1)
        }
        // Other states do not include the failure.
        state.move(to: .ready)
        #expect(try Self.report(state) == (.ready, nil))
    }

    @Test("after many addresses have failed has the causes of the last ones")
    func manyAddresses() throws {
        let failure = ConnectionFailure(
            phase: .connect, attempts: (1...1_000).map { ("\($0)", "\($0) refused") })
        let error = failure.error(target: try Target("a.test"), nextAttempt: nil)
        #expect(error.message == "1000 refused")
        #expect(error.causes.count == 16)
        #expect(error.causes.first == "999 refused")
        #expect(error.causes.last == "984 earlier attempts failed, too")
        #expect(error.attempts.map(\.address) == (985...1_000).map { "\($0)" })
    }
}
