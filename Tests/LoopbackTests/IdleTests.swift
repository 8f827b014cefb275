import Foundation
import Swiftlet
import SwiftletLoopback
import SwiftletStyles
import Testing

@Suite("Waiting", .timeLimit(.minutes(5)))
struct IdleTests {
    /// A thread that polls in a loop uses more, even if it shares its processor with others.
    private static let allowedSeconds = 0.1

    /// The processor time of the calling thread, in seconds.
    private static func usedSeconds() -> Double {
        var time = timespec()
        // Safe: the structure is a local variable.
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    @Test("costs no processor time", arguments: [CompletionQueue.Mode.byHand, .ownThread])
    func idle(_ mode: CompletionQueue.Mode) async throws {
        let (event, waited, used) = try await onThread {
            let queue = try CompletionQueue(mode)
            defer { queue.shutdown() }
            let (began, usedBefore) = (ContinuousClock.now, Self.usedSeconds())
            let event = try queue.next(deadline: .after(.seconds(1)))
            return (event, began.duration(to: .now), Self.usedSeconds() - usedBefore)
        }
        #expect(event == .timeout)
        #expect(waited >= .seconds(1))
        #expect(used < Self.allowedSeconds)
    }

    @Test("for an answer costs no processor time on a queue that is turned by hand, either")
    func underWay() async throws {
        let peer = try RawPeer(.correct)
        peer.conduct = .hold
        let target = peer.target
        let (event, used) = try await onThread {
            let queue = try CompletionQueue(.byHand)
            let channel = try Channel(target, credentials: .insecure, queue: queue)
            let call = channel.blockingBidirectional(HostileTrial.talk)
            // After this message the call has its stream, and receives nothing more.
            _ = try call.next()
            let usedBefore = Self.usedSeconds()
            let event = try queue.next(deadline: .after(.seconds(1)))
            let used = Self.usedSeconds() - usedBefore
            call.cancel()
            queue.shutdown()
            return (event, used)
        }
        #expect(event == .timeout)
        #expect(used < Self.allowedSeconds)
    }
}
