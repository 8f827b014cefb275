import Swiftlet
import SwiftletTransport
import Synchronization

/// Ends a round trip that takes too long, by closing its channel. The deadline of a call would end
/// streams that are to be held, and a timer for each would lie in the memory that is measured.
final class Patience: Sendable {
    private static let limit = Duration.seconds(30)

    private struct RoundTrip {
        let channel: Channel
        let deadline: MonotonicInstant
        /// What it fails with instead of the error that the end of its channel brings.
        var lateness: RPCError?
    }

    private let current = Mutex<RoundTrip?>(nil)

    /// Looks for a round trip that is late, until the task is cancelled.
    func watch() async {
        while (try? await Task.sleep(for: .seconds(1))) != nil {
            guard let channel = lateChannel else { continue }
            // A channel that is closed has forgotten what its server allows.
            let error = Self.lateness(on: channel)
            current.withLock { $0?.lateness = error }
            await channel.close()
        }
    }

    /// Makes a round trip, one at a time, which has an end within the limit.
    func limit(_ channel: Channel, _ roundTrip: () async throws -> Void) async throws {
        let deadline = MonotonicInstant.now + Self.limit
        current.withLock { $0 = RoundTrip(channel: channel, deadline: deadline) }
        do {
            try await roundTrip()
            current.withLock { $0 = nil }
        } catch {
            throw current.withLock(\.?.lateness) ?? error
        }
    }

    private var lateChannel: Channel? {
        current.withLock { trip in
            trip.flatMap { MonotonicInstant.now >= $0.deadline ? $0.channel : nil }
        }
    }

    private static func lateness(on channel: Channel) -> RPCError {
        let counts = channel.counts
        var text = "no answer within \(limit)"
        if let most = counts.streamLimit, counts.mostStreamCount >= most {
            text += "; the server allows \(most) streams at once, and so many are open"
        }
        return RPCError(.deadlineExceeded, text)
    }
}
