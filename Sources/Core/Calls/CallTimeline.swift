import SwiftletTransport

/// When what happened in the course of a call. Readable once the call has ended.
///
/// ```swift
/// let response = try await channel.unaryResponse(method, request)
/// print(response.timeline)  // 127.0.0.1:50051, 1 stream: sent after 0.1 ms, answered after …
/// ```
public struct CallTimeline: Hashable, Sendable {
    /// A moment of a clock that only goes forward: good for differences, and no date.
    public typealias Instant = ContinuousClock.Instant

    /// The call was started.
    public var started: Instant
    /// The name of the server had been looked up for the connection that carried the call. This
    /// and the next two lie before ``started`` when the connection was there already.
    public var resolved: Instant?
    /// The server had taken the TCP connection.
    public var connected: Instant?
    /// The TLS handshake was done.
    public var secured: Instant?
    /// The headers were given to the connection; the last time, when more than once.
    public var headersSent: Instant?
    /// The first of the answer was there.
    public var firstByte: Instant?
    /// The call had ended.
    public var lastByte: Instant?
    /// Streams that the call was given; more than one when servers did not look at it.
    public var streamCount = 0
    /// Attempts to connect that failed before the connection came about.
    public var failedAttemptCount = 0
    /// Who was at the other end.
    public var peer: String?
    /// Octets of messages with their prefixes, as they went over the wire.
    public var sentByteCount = 0
    /// Octets of the server's messages, in the same way.
    public var receivedByteCount = 0

    /// From the start to the end.
    public var duration: Duration? { lastByte.map { started.duration(to: $0) } }
}

extension CallTimeline: CustomStringConvertible {
    public var description: String {
        func after(_ instant: Instant?) -> String? {
            instant.map { started.duration(to: $0).inMilliseconds }
        }
        let steps = [
            connected.flatMap { $0 >= started ? after($0).map { "connected after \($0)" } : nil },
            after(headersSent).map { "sent after \($0)" },
            after(firstByte).map { "answered after \($0)" },
            after(lastByte).map { "ended after \($0)" },
        ]
        let streams = "\(streamCount) \(streamCount == 1 ? "stream" : "streams")"
        let way = [peer, streams].compactMap(\.self).joined(separator: ", ")
        return "\(way): \(steps.compactMap(\.self).joined(separator: ", "))"
            + "; \(sentByteCount) octets out, \(receivedByteCount) in"
    }
}

/// What a call notes while it is under way. Of the connection it keeps the record alone.
struct CallTimes {
    var started: MonotonicInstant?
    var headersSent: MonotonicInstant?
    var firstByte: MonotonicInstant?
    var lastByte: MonotonicInstant?
    var streamCount = 0
    var connection: ConnectionRecord?
    var sentByteCount = 0
    var receivedByteCount = 0
}

extension CallTimes {
    mutating func attached(to record: ConnectionRecord) {
        connection = record
        streamCount += 1
        // Where the connection was there already, the headers left with the start.
        let wasReady = started.flatMap { start in record.times.ready.map { $0 <= start } } ?? false
        headersSent = wasReady && streamCount == 1 ? started : .now
    }

    var timeline: CallTimeline? {
        guard let started else { return nil }
        typealias Instant = CallTimeline.Instant
        var timeline = CallTimeline(started: Instant(started))
        if let connection {
            timeline.resolved = connection.times.resolved.map { Instant($0) }
            timeline.connected = connection.times.connected.map { Instant($0) }
            timeline.secured = connection.times.secured.map { Instant($0) }
            timeline.failedAttemptCount = connection.times.failedAttemptCount
            timeline.peer = connection.peer
        }
        timeline.headersSent = headersSent.map { Instant($0) }
        timeline.firstByte = firstByte.map { Instant($0) }
        timeline.lastByte = lastByte.map { Instant($0) }
        timeline.streamCount = streamCount
        // What was written and never got a stream has gone nowhere.
        timeline.sentByteCount = streamCount > 0 ? sentByteCount : 0
        timeline.receivedByteCount = receivedByteCount
        return timeline
    }
}

/// How the connection that carries a call came about, and whom it leads to. Outlives it.
package final class ConnectionRecord: Sendable {
    package let peer: String
    package let times: ConnectionTimes

    package init(peer: String, _ times: ConnectionTimes) {
        self.peer = peer
        self.times = times
    }
}
