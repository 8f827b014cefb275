import SwiftletCore
import SwiftletTransport
import Synchronization

/// Traces one call for its tracer, and measures it for the sinks of its channel.
final class CallTracing: EndMeter {
    private let span: any TraceSpan
    private let path: String
    private let metrics: MeasuredCall?
    private let attemptCount = Atomic(0)
    private let hasEnded = Atomic(false)

    init(_ span: any TraceSpan, path: String, _ metrics: MeasuredCall?) {
        self.span = span
        self.path = path
        self.metrics = metrics
    }

    func attempt(_ kind: AttemptKind) -> any AttemptMeter {
        AttemptTracing(self, kind, metrics?.attempt(kind))
    }

    func nameIsResolved() { add(TraceEvent("Delayed name resolution complete")) }

    func ended(_ error: RPCError?) {
        metrics?.ended(error)
        guard !hasEnded.exchange(true, ordering: .relaxed) else { return }
        span.end(error)
    }

    /// Begins the span of an attempt; nil after the end of the call.
    func begin(_ kind: AttemptKind) -> (any TraceSpan)? {
        let previous = attemptCount.add(1, ordering: .relaxed).oldValue
        guard !hasEnded.load(ordering: .relaxed) else { return nil }
        return span.begin(
            TracedAttempt(
                path: path, previousCount: previous, isTransparentRetry: kind == .transparent))
    }

    private func add(_ event: TraceEvent) {
        if !hasEnded.load(ordering: .relaxed) { span.add(event) }
    }
}

/// Traces the attempts of one `CallCore`. They have one span, because the headers that name it are sent with each: an
/// attempt that follows since a server did not process the one before is an event of the span.
final class AttemptTracing: AttemptMeter {
    private let call: CallTracing
    private let span: (any TraceSpan)?
    private let metrics: (any AttemptMeter)?
    private let sentCount = Atomic(0)
    private let receivedCount = Atomic(0)
    /// Nil before the end has arrived. The span ends when the observer has received all messages.
    private let timeline = Mutex<CallTimeline?>(nil)

    init(_ call: CallTracing, _ kind: AttemptKind, _ metrics: (any AttemptMeter)?) {
        self.call = call
        self.metrics = metrics
        span = call.begin(kind)
    }

    var measuresMessages: Bool { span != nil }

    func addHeaders(to metadata: inout Metadata) { span?.addHeaders(to: &metadata) }

    func started(at now: MonotonicInstant) { metrics?.started(at: now) }

    func isRouted(to labels: BackendLabels) { metrics?.isRouted(to: labels) }

    func sent(_ size: MessageSize) {
        let number = sentCount.add(1, ordering: .relaxed).oldValue
        span?.add(.message("Outbound message", number, size))
    }

    func received(_ size: MessageSize) {
        let number = receivedCount.add(1, ordering: .relaxed).oldValue
        span?.add(.message("Inbound message", number, size))
    }

    func isSentAgain(after error: RPCError, _ tally: CallTally) {
        metrics?.isSentAgain(after: error, tally)
        span?.add(
            TraceEvent("Transparent retry", [TraceAttribute("after", .text("\(error.code)"))]))
    }

    func ended(_ error: RPCError?, _ tally: CallTally) {
        metrics?.ended(error, tally)
        guard span != nil else { return }
        let times = tally.timeline
        timeline.withLock { $0 = $0 ?? times }
    }

    func endIsDelivered(_ error: RPCError?) {
        guard let span else { return }
        // The attempt has waited for the connection.
        if let times = timeline.withLock({ $0 }), let ready = times.secured ?? times.connected,
            ready > times.started
        {
            span.add(TraceEvent("Delayed LB pick complete", at: ready))
        }
        span.end(error)
    }
}

extension TraceEvent {
    fileprivate static func message(
        _ name: String, _ number: Int, _ size: MessageSize
    ) -> TraceEvent {
        var attributes = [
            TraceAttribute("sequence-number", .number(number)),
            TraceAttribute("message-size", .number(size.byteCount)),
        ]
        if size.wireByteCount != size.byteCount {
            attributes.append(
                TraceAttribute("message-size-compressed", .number(size.wireByteCount)))
        }
        return TraceEvent(name, attributes)
    }
}
