package import SwiftletTransport

/// The times of a call's steps. Available after the end of the call.
///
/// ```swift
/// let response = try await channel.unaryResponse(method, request)
/// print(response.timeline)  // 127.0.0.1:50051, 1 stream: sent after 0.1 ms, answered after …
/// ```
public struct CallTimeline: Hashable, Sendable {
    /// A moment of a monotonic clock. Only differences have a meaning.
    public typealias Instant = ContinuousClock.Instant

    /// The start of the call.
    public var started: Instant
    /// The end of the name resolution for the connection that carried the call. This time and the next
    /// two are before ``started`` if the call used an existing connection.
    public var resolved: Instant?
    /// The server has accepted the TCP connection.
    public var connected: Instant?
    /// The end of the TLS handshake.
    public var secured: Instant?
    /// The headers were given to the connection, in the last attempt.
    public var headersSent: Instant?
    /// The first byte of the response has arrived.
    public var firstByte: Instant?
    /// The end of the call.
    public var lastByte: Instant?
    /// The streams that carried the call; more than one if it was sent again.
    public var streamCount = 0
    /// Failed attempts to connect before the connection was established.
    public var failedAttemptCount = 0
    /// The address of the server.
    public var peer: String?
    /// Bytes of the request's messages with their prefixes, as sent on the wire.
    public var sentByteCount = 0
    /// Bytes of the response's messages with their prefixes, as received from the wire.
    public var receivedByteCount = 0

    public init(started: Instant) { self.started = started }

    /// The time from the start to the end; nil before the end.
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
            + "; \(sentByteCount) bytes out, \(receivedByteCount) in"
    }
}

/// The times of a running call. Keeps only the record of the connection, not the connection.
///
/// The struct is small because the end of each call, with its times, is moved several times: the
/// compiler moves up to 128 bytes inline.
struct CallTimes {
    @InstantIfAny var started: MonotonicInstant?
    @InstantIfAny var headersSent: MonotonicInstant?
    @InstantIfAny var firstByte: MonotonicInstant?
    @InstantIfAny var lastByte: MonotonicInstant?
    var connection: ConnectionRecord?
    var sentByteCount = 0
    var receivedByteCount = 0
    var streamCount: Int32 = 0
}

/// An optional instant in 8 bytes, half the size of a Swift optional.
@propertyWrapper package struct InstantIfAny: Hashable, Sendable {
    private var nanoseconds: Int64

    package init(wrappedValue: MonotonicInstant?) {
        nanoseconds = wrappedValue?.nanoseconds ?? .min
    }

    package var wrappedValue: MonotonicInstant? {
        get { nanoseconds == .min ? nil : MonotonicInstant(nanoseconds: nanoseconds) }
        set { nanoseconds = newValue?.nanoseconds ?? .min }
    }
}

extension CallTimes {
    mutating func attached(to record: ConnectionRecord) {
        connection = record
        streamCount += 1
        // On an existing connection the headers are sent at the start.
        let wasReady = started.flatMap { start in record.times.ready.map { $0 <= start } } ?? false
        headersSent = wasReady && streamCount == 1 ? started : .now
    }

    /// The call is sent again on another stream.
    mutating func forgetAttempt() {
        headersSent = nil
        firstByte = nil
        connection = nil
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
        timeline.streamCount = Int(streamCount)
        // Messages of a call without a stream were not sent.
        timeline.sentByteCount = streamCount > 0 ? sentByteCount : 0
        timeline.receivedByteCount = receivedByteCount
        return timeline
    }
}
