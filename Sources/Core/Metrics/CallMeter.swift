import SwiftletTransport
import Synchronization

/// Measures one call for the sinks of its channel: the call as a whole and each of its attempts.
package final class CallMeter: Sendable {
    struct State {
        var retryCount = 0
        var transparentRetryCount = 0
        var hedgeCount = 0
        /// Attempts that have not ended.
        var openCount = 0
        /// The time at which the last open attempt ended. Nil before the first attempt ends, and
        /// while an attempt is open.
        var pausedSince: MonotonicInstant?
        var retryDelay = Duration.zero
        var hasEnded = false
    }

    let metrics: ChannelMetrics
    /// The labels for the method and the target.
    let labels: CallLabels
    private let begun = MonotonicInstant.now
    private let state = Mutex(State())

    init(_ metrics: ChannelMetrics, _ method: MethodSignature) {
        self.metrics = metrics
        labels = metrics.labels(of: method)
    }
}

/// Why an attempt is made (proposal A96).
enum AttemptKind: Hashable, Sendable {
    case first
    case retry
    /// The previous attempt was not sent, or its server did not process it.
    case transparent
    case hedge
}

extension CallMeter {
    func attempt(_ kind: AttemptKind) -> AttemptMeter { AttemptMeter(self, kind) }

    func attemptStarted(_ kind: AttemptKind, at now: MonotonicInstant) {
        state.withLock { state in
            switch kind {
            case .first: break
            case .retry: state.retryCount += 1
            case .transparent: state.transparentRetryCount += 1
            case .hedge: state.hedgeCount += 1
            }
            state.openCount += 1
            if let since = state.pausedSince.take() { state.retryDelay += since.duration(to: now) }
        }
        metrics.add(1, to: .attemptStarted, labels)
    }

    func attemptEnded(at now: MonotonicInstant) {
        state.withLock { state in
            state.openCount -= 1
            if state.openCount == 0 { state.pausedSince = now }
        }
    }

    func labels(_ code: StatusCode) -> CallLabels {
        labels.adding(MetricLabel(MetricLabel.status, "\(code)"))
    }

    /// Records the metrics of the call. Called before the status is delivered to the observer.
    fileprivate func ended(_ code: StatusCode) {
        let ended: State? = state.withLock { state in
            guard !state.hasEnded else { return nil }
            state.hasEnded = true
            return state
        }
        guard let ended else { return }
        metrics.record(begun.duration(to: .now) / .seconds(1), in: .callDuration, labels(code))
        record(ended.retryCount, in: .callRetries)
        record(ended.transparentRetryCount, in: .callTransparentRetries)
        record(ended.hedgeCount, in: .callHedges)
        if ended.retryCount + ended.transparentRetryCount + ended.hedgeCount > 0 {
            metrics.record(ended.retryDelay / .seconds(1), in: .callRetryDelay, labels)
        }
    }

    /// "If there were no retries, 0 is not reported" (proposal A96).
    private func record(_ count: Int, in instrument: MetricInstrument) {
        if count > 0 { metrics.record(Double(count), in: instrument, labels) }
    }
}

/// Passes the events of a call to its observer, and measures the call.
final class MeasuredObserver: CallObserver {
    private let observer: any CallObserver
    private let meter: CallMeter

    init(_ observer: any CallObserver, _ meter: CallMeter) {
        self.observer = observer
        self.meter = meter
    }

    var keepsMessages: Bool { observer.keepsMessages }
    var acceptsWholeResponse: Bool { observer.acceptsWholeResponse }
    var runsHandlers: Bool { observer.runsHandlers }
    var isAwaited: Bool { observer.isAwaited }

    func receive(initialMetadata: Metadata) { observer.receive(initialMetadata: initialMetadata) }

    func receive(message: [UInt8], from call: any CallRequests) {
        observer.receive(message: message, from: call)
    }

    func receive(messages: inout MessageQueue, from call: any CallRequests) {
        observer.receive(messages: &messages, from: call)
    }

    func messageWasWritten(wasAccepted: Bool) {
        observer.messageWasWritten(wasAccepted: wasAccepted)
    }

    func receive(end: consuming CallEnd) {
        meter.ended(end.error?.code ?? .ok)
        observer.receive(end: end)
    }

    func receive(_ response: inout RawResponse, from call: any CallRequests) {
        meter.ended(response.end.error?.code ?? .ok)
        observer.receive(&response, from: call)
    }
}
