import SwiftletTransport
import Testing

@testable import SwiftletCore

/// The attempts of a subchannel, on a queue that no thread turns.
@Suite("A subchannel that has failed")
struct SubchannelRetryTests {
    private final class Owner: SubchannelOwner {
        let log = ChannelLog()
        var requestAuthority: RequestAuthority {
            RequestAuthority(authority: "a", scheme: "http", userAgent: "test")
        }

        func subchannelChanged(_ subchannel: SubchannelCore) {}
        func subchannelLinksChanged(_ subchannel: SubchannelCore) {}
        func begin(_ call: CallCore) {}
        func subchannel(_ subchannel: SubchannelCore, reported load: LoadReport) {}
        func subchannelUseEnded(_ subchannel: SubchannelCore) {}
    }

    private static func subchannel(on queue: CompletionQueue) throws -> SubchannelCore {
        let plan = ConnectionPlan(
            try Target("127.0.0.1:1"), credentials: .insecure, arguments: ChannelArguments(),
            queues: [queue], sockets: nil, proxy: nil)
        return SubchannelCore(
            id: 1, Endpoint([try ServerAddress("127.0.0.1:1")]), plan: plan, maxConnectionCount: 1,
            owner: Owner())
    }

    @Test("while the network came back still connects again")
    func networkIsBackDuringFailure() throws {
        let queue = try CompletionQueue(.byHand)
        defer { queue.shutdown() }
        let subchannel = try Self.subchannel(on: queue)
        #expect(subchannel.report.connectivity == .idle)
        // Stands for a failure that another thread records after `resetBackoff()` has read the state, and
        // before it cancels the timer.
        subchannel.scheduleRetry(at: .now + .seconds(3_600))
        subchannel.resetBackoff()
        #expect(queue.loop.timerCount == 1)
        subchannel.drop()
        #expect(queue.loop.timerCount == 0)
    }
}
