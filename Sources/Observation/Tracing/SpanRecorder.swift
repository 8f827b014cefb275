public import SwiftletCore
import SwiftletTransport
import Synchronization

/// A tracer that makes spans itself, and passes each one on when it has ended.
///
/// Spans have IDs of W3C's Trace Context, and each attempt sends its own to the server in the header `traceparent`.
///
/// ```swift
/// arguments.tracer = SpanRecorder { span in exporter.add(span) }
/// ```
public final class SpanRecorder: CallTracer {
    private let maxEventCount: Int
    private let parent: @Sendable () -> TraceParent?
    private let record: @Sendable (RecordedSpan) -> Void

    /// - Parameters:
    ///   - maxEventCount: How many events a span keeps: each message of a call is one. Later ones are only counted, in
    ///     ``RecordedSpan/droppedEventCount``. The default, 128, is OpenTelemetry's.
    ///   - parent: The caller's span; nil begins a new trace. Called on the thread and in the task that makes the
    ///     call. The default is ``TraceParent/current``. A call whose parent is not sampled sends its IDs, and is not
    ///     recorded.
    ///   - record: Receives each span at its end, on the threads of calls and connections.
    public init(
        maxEventCount: Int = 128,
        parent: @escaping @Sendable () -> TraceParent? = { TraceParent.current },
        record: @escaping @Sendable (RecordedSpan) -> Void
    ) {
        self.maxEventCount = maxEventCount
        self.parent = parent
        self.record = record
    }

    public func begin(_ call: TracedCall) -> (any TraceSpan)? {
        let parent = parent()
        return OpenSpan(
            call.name, (parent ?? TraceParent()).child(), parentID: parent?.spanID,
            call.attributes, maxEventCount: maxEventCount, record)
    }
}

/// A span that has ended.
public struct RecordedSpan: Hashable, Sendable {
    /// `Sent.helloworld.Greeter.SayHello` or `Attempt.helloworld.Greeter.SayHello`.
    public let name: String
    /// The trace, and the ID of the span.
    public let context: TraceParent
    /// The ID of the span that this one is a part of; nil for the first of a trace.
    public let parentID: [UInt8]?
    /// When it began, counted from the start of 1970 in UTC.
    public let began: Duration
    /// The time from the beginning of the span to its end, measured with `ContinuousClock`.
    public let duration: Duration
    /// The attributes of the call or the attempt: ``TracedCall/attributes`` or ``TracedAttempt/attributes``.
    public let attributes: [TraceAttribute]
    /// The first ones, in the order of their time.
    public let events: [TraceEvent]
    /// How many more there were.
    public let droppedEventCount: Int
    /// The moment of ``began`` on the clock of the events.
    public let instant: ContinuousClock.Instant
    /// The status code of the call or the attempt.
    public let code: StatusCode
    /// The status message; empty for OK.
    public let message: String
}

extension RecordedSpan: CustomStringConvertible {
    /// One line: `Sent.helloworld.Greeter.SayHello OK after 1.20 ms, 2 events`.
    public var description: String {
        "\(name) \(code) after \(duration.inMilliseconds), \(events.count) events"
    }
}

/// A span that has not ended.
private final class OpenSpan: TraceSpan {
    private let name: String
    private let context: TraceParent
    private let parentID: [UInt8]?
    private let attributes: [TraceAttribute]
    private let began = WallClock.now
    private let instant = ContinuousClock.now
    private let record: @Sendable (RecordedSpan) -> Void
    private let maxEventCount: Int
    private let events = Mutex(EventList())

    init(
        _ name: String, _ context: TraceParent, parentID: [UInt8]?,
        _ attributes: [TraceAttribute], maxEventCount: Int,
        _ record: @escaping @Sendable (RecordedSpan) -> Void
    ) {
        self.maxEventCount = maxEventCount
        self.name = name
        self.context = context
        self.parentID = parentID
        self.attributes = attributes
        self.record = record
    }

    func begin(_ attempt: TracedAttempt) -> (any TraceSpan)? {
        OpenSpan(
            attempt.name, context.child(), parentID: context.spanID, attempt.attributes,
            maxEventCount: maxEventCount, record)
    }

    func addHeaders(to metadata: inout Metadata) {
        metadata.removeAll(TraceParent.headerName)
        metadata.append(context.header, for: TraceParent.headerName)
    }

    func add(_ event: TraceEvent) {
        guard context.isSampled else { return }
        events.withLock { $0.add(event, maxCount: maxEventCount) }
    }

    func end(_ error: RPCError?) {
        guard context.isSampled else { return }
        let duration = instant.duration(to: .now)
        let events = events.withLock { $0 }
        record(
            RecordedSpan(
                name: name, context: context, parentID: parentID, began: began,
                duration: duration, attributes: attributes,
                events: events.kept.sorted { $0.instant < $1.instant },
                droppedEventCount: events.droppedCount, instant: instant,
                code: error?.code ?? .ok, message: error?.message ?? ""))
    }
}

/// The events of a span. Bounded, because a stream may have messages for days.
private struct EventList {
    private(set) var kept: [TraceEvent] = []
    private(set) var droppedCount = 0

    /// The end of a wait is added when the call has ended, and may be earlier than what was kept last.
    mutating func add(_ event: TraceEvent, maxCount: Int) {
        guard kept.count >= maxCount else { return kept.append(event) }
        droppedCount += 1
        guard let last = kept.last, event.instant < last.instant else { return }
        kept[kept.count - 1] = event
    }
}
