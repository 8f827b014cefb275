public import SwiftletCore
import SwiftletInterceptors

/// Receives the errors of calls, in one place for a whole client.
///
/// ```swift
/// final class Reporter: ClientErrorDelegate {
///     func callFailed(_ error: RPCError, _ call: CallDescription) { print(call.path, error) }
/// }
///
/// let channel = try Channel(
///     target, credentials: .insecure, interceptors: [.all(.reportingErrors(to: Reporter()))])
/// ```
public protocol ClientErrorDelegate: Sendable {
    /// A call has ended with an error. Called once for each such call. An error that arrives from
    /// the network is reported before the caller receives it, on the thread that delivers the end.
    /// An error that is made on this side, such as a cancellation, may be reported afterwards.
    func callFailed(_ error: RPCError, _ call: CallDescription)
}

extension InterceptorFactory {
    /// Reports every call that ends with an error. As the first interceptor, it reports the errors
    /// that the caller receives. After an interceptor that retries, it reports the error of each
    /// attempt.
    public static func reportingErrors(
        to delegate: any ClientErrorDelegate
    ) -> InterceptorFactory {
        InterceptorFactory("error report") { _ in ErrorReport(delegate) }
    }
}

private final class ErrorReport: Interceptor {
    private let delegate: any ClientErrorDelegate
    private var isOver = false

    init(_ delegate: any ClientErrorDelegate) { self.delegate = delegate }

    /// The call has ended on this side.
    func cancel(_ call: InterceptedCall) {
        report(call.cancellation, call)
        call.cancel()
    }

    func close(_ end: CallEnd, _ call: InterceptedCall) {
        report(end.error, call)
        call.close(end)
    }

    /// Reports the end, unless it was reported before: the other end may have been on its way.
    private func report(_ error: RPCError?, _ call: InterceptedCall) {
        guard !isOver else { return }
        isOver = true
        if let error { delegate.callFailed(error, call.description) }
    }
}
