import Swiftlet
import SwiftletTransport
import Synchronization

/// Ends a round trip that lasts too long, by closing its channel. A deadline for each call would end streams
/// that must stay open, and its timer would add to the measured memory.
final class RoundTripLimit: Sendable {
    private static let limit = Duration.seconds(30)

    private struct RoundTrip {
        let channel: Channel
        let deadline: MonotonicInstant
        /// The error that replaces the error of the closed channel.
        var lateness: RPCError?
    }

    private let current = Mutex<RoundTrip?>(nil)

    /// Checks for a late round trip until the task is cancelled.
    func watch() async {
        while (try? await Task.sleep(for: .seconds(1))) != nil {
            guard let channel = lateChannel else { continue }
            // Before close(), because a closed channel does not report its server's limits.
            let error = Self.lateness(on: channel)
            current.withLock { $0?.lateness = error }
            await channel.close()
        }
    }

    /// Makes a round trip, and fails if it does not end within the limit. Only one may run at a time.
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
