import SwiftletCore
import SwiftletTransport
import Synchronization

/// Measures one call for the sinks of its channel: the call as a whole and each of its attempts.
final class MeasuredCall: EndMeter {
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

    private let metrics: ChannelMetrics
    private let labels: MethodLabels
    private let customLabel: [MetricLabel]
    private let begun = MonotonicInstant.now
    private let state = Mutex(State())

    init(_ metrics: ChannelMetrics, _ method: MethodSignature) {
        self.metrics = metrics
        labels = metrics.labels(of: method)
        customLabel = metrics.customLabel
    }
}

extension MeasuredCall {
    var recordsPlaces: Bool { metrics.recordsPlaces }

    func attempt(_ kind: AttemptKind) -> any AttemptMeter { MeasuredAttempt(self, kind) }

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
        metrics.add(1, to: .attemptStarted, labels.running, optional: customLabel)
    }

    /// Records the metrics of an attempt.
    func attemptEnded(
        _ code: StatusCode, since begin: MonotonicInstant, at now: MonotonicInstant,
        sentByteCount: Int, receivedByteCount: Int, place: BackendLabels?
    ) {
        state.withLock { state in
            state.openCount -= 1
            if state.openCount == 0 { state.pausedSince = now }
        }
        let labels = labels.ended(code)
        let optional = place.map { $0.metricLabels + customLabel } ?? customLabel
        func record(_ value: Double, in instrument: MetricInstrument) {
            metrics.record(value, in: instrument, labels, optional: optional)
        }
        record(begin.duration(to: now) / .seconds(1), in: .attemptDuration)
        record(Double(sentByteCount), in: .attemptSentSize)
        record(Double(receivedByteCount), in: .attemptReceivedSize)
    }

    /// Records the metrics of the call. Called before the status is delivered to the observer.
    func ended(_ error: RPCError?) {
        let ended: State? = state.withLock { state in
            guard !state.hasEnded else { return nil }
            state.hasEnded = true
            return state
        }
        guard let ended else { return }
        record(
            begun.duration(to: .now) / .seconds(1), in: .callDuration,
            labels.ended(error?.code ?? .ok))
        record(ended.retryCount, in: .callRetries)
        record(ended.transparentRetryCount, in: .callTransparentRetries)
        record(ended.hedgeCount, in: .callHedges)
        if ended.retryCount + ended.transparentRetryCount + ended.hedgeCount > 0 {
            record(ended.retryDelay / .seconds(1), in: .callRetryDelay, labels.running)
        }
    }

    /// "If there were no retries, 0 is not reported" (proposal A96).
    private func record(_ count: Int, in instrument: MetricInstrument) {
        if count > 0 { record(Double(count), in: instrument, labels.running) }
    }

    private func record(_ value: Double, in instrument: MetricInstrument, _ labels: CallLabels) {
        metrics.record(value, in: instrument, labels, optional: customLabel)
    }
}
