public import Foundation
public import SwiftletCore
import SwiftletInterceptors

extension InterceptorFactory {
    /// What a `Progress` counts.
    public enum ProgressUnit: Hashable, Sendable {
        /// The bytes of the encoded messages, before compression.
        case bytes
        /// The messages.
        case messages
    }

    /// Reports to `progress` how much of a call's request has been sent. It belongs into the options of one call, of
    /// any shape and style.
    ///
    /// ```swift
    /// let progress = Progress(totalUnitCount: Int64(notes.count))
    /// let options = CallOptions.with {
    ///     $0.interceptors = [.uploadProgress(progress, counting: .messages)]
    /// }
    /// let summary = try await channel.clientStreaming(method, options: options) { requests in
    ///     for note in notes { try await requests.write(note) }
    /// }
    /// ```
    ///
    /// The total is that of the caller, who may change it during the call. If it is not positive, it is unknown: the
    /// progress is indeterminate. At the end of a call with OK the progress is complete, with the true total if it was
    /// unknown. A failed call leaves it as it is. Cancelling the progress ends the call with CANCELLED, also before its
    /// start.
    ///
    /// Whole messages are counted, so that the progress of a call with one message goes from nothing to complete. A request
    /// counts when the connection has accepted it and has room for the next one; its last bytes may not have reached the
    /// server. Metadata, prefixes, and attempts that are repeated below the interceptors do not count. Pausing the progress
    /// has no effect.
    ///
    /// The progress is updated on the threads of the call, one update at a time. On Linux, Foundation's `Progress` has no lock:
    /// if another thread uses it during the call, or if it is a child of one with other children, give a `context` that all
    /// of them use.
    ///
    /// - Parameters:
    ///   - progress: Belongs to this call. For both directions of a call, make two children of one progress.
    ///   - unit: What is counted.
    ///   - context: The thread on which the progress is updated. The call waits for it. The default is the thread that
    ///     delivers the event.
    public static func uploadProgress(
        _ progress: Progress, counting unit: ProgressUnit = .bytes, context: SerialContext = .inline
    ) -> InterceptorFactory {
        let report = ProgressReport(progress, unit)
        return InterceptorFactory("upload progress", context: context) { _ in
            UploadProgress(report)
        }
    }

    /// Reports to `progress` how much of a call's response the caller has received. A response counts when it is delivered
    /// to the caller. Everything else is as for ``uploadProgress(_:counting:context:)``.
    ///
    /// ```swift
    /// let progress = Progress(totalUnitCount: -1)
    /// let options = CallOptions.with { $0.interceptors = [.downloadProgress(progress)] }
    /// for try await note in try await channel.serverStreaming(method, request, options: options) {
    ///     print(note)
    /// }
    /// ```
    public static func downloadProgress(
        _ progress: Progress, counting unit: ProgressUnit = .bytes, context: SerialContext = .inline
    ) -> InterceptorFactory {
        let report = ProgressReport(progress, unit)
        return InterceptorFactory("download progress", context: context) { _ in
            DownloadProgress(report)
        }
    }
}

/// Updates the `Progress` of one call.
private struct ProgressReport {
    private let progress: Progress
    private let unit: InterceptorFactory.ProgressUnit
    private var count: Int64 = 0
    /// The handler that the progress had before the call.
    private var handler: (@Sendable () -> Void)?

    init(_ progress: Progress, _ unit: InterceptorFactory.ProgressUnit) {
        self.progress = progress
        self.unit = unit
    }

    func amount(_ message: RawMessage) -> Int64 {
        unit == .bytes ? Int64(message.byteCount) : 1
    }

    /// The call starts, or is repeated by an interceptor. False if the progress was cancelled.
    mutating func start(_ cancel: @escaping @Sendable () -> Void) -> Bool {
        if progress.totalUnitCount <= 0 { progress.totalUnitCount = -1 }
        progress.completedUnitCount = 0
        handler = progress.cancellationHandler
        progress.cancellationHandler = { [handler] in
            handler?()
            cancel()
        }
        return !progress.isCancelled
    }

    mutating func add(_ amount: Int64) {
        count += amount
        // A total that was estimated too low must not finish the progress several times.
        let total = progress.totalUnitCount
        progress.completedUnitCount = total > 0 ? min(count, total) : count
    }

    func end(isComplete: Bool) {
        progress.cancellationHandler = handler
        guard isComplete else { return }
        // A progress with a total of 0 never finishes, so a call without messages counts as one unit.
        if progress.totalUnitCount <= 0 { progress.totalUnitCount = max(1, count) }
        progress.completedUnitCount = progress.totalUnitCount
    }
}

// MARK: - Interceptors

private protocol ProgressInterceptor: Interceptor {
    var report: ProgressReport { get set }
}

extension ProgressInterceptor {
    func start(_ options: CallOptions, _ call: InterceptedCall) {
        let isWanted = report.start {
            call.perform(as: Self.self) { interceptor, call in
                interceptor.close(.ofCancelledProgress, call)
            }
        }
        if isWanted { call.start(options) } else { close(.ofCancelledProgress, call) }
    }

    func cancel(_ call: InterceptedCall) {
        report.end(isComplete: false)
        call.cancel()
    }

    func close(_ end: CallEnd, _ call: InterceptedCall) {
        report.end(isComplete: end.error == nil)
        call.close(end)
    }
}

private final class UploadProgress: ProgressInterceptor {
    var report: ProgressReport
    /// The amounts of the requests that have not been accepted yet.
    private var pending: [Int64] = []
    private var acceptedCount = 0

    init(_ report: ProgressReport) { self.report = report }

    func write(_ message: RawMessage, _ call: InterceptedCall) {
        pending.append(report.amount(message))
        call.write(message)
    }

    func writeDone(_ call: InterceptedCall) {
        if acceptedCount < pending.count {
            report.add(pending[acceptedCount])
            acceptedCount += 1
        }
        if acceptedCount == pending.count {
            pending.removeAll(keepingCapacity: true)
            acceptedCount = 0
        }
        call.deliverWriteDone()
    }
}

private final class DownloadProgress: ProgressInterceptor {
    var report: ProgressReport

    init(_ report: ProgressReport) { self.report = report }

    func receive(_ message: RawMessage, _ call: InterceptedCall) {
        report.add(report.amount(message))
        call.deliver(message)
    }
}

extension CallEnd {
    fileprivate static var ofCancelledProgress: CallEnd {
        CallEnd(error: RPCError(.cancelled, "the progress of the call was cancelled"))
    }
}
