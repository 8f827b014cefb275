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
    /// A call has ended with an error. Called once for each such call, before its caller receives
    /// the error, on the thread that delivers the end.
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

    init(_ delegate: any ClientErrorDelegate) { self.delegate = delegate }

    func close(_ end: CallEnd, _ call: InterceptedCall) {
        if let error = end.error { delegate.callFailed(error, call.description) }
        call.close(end)
    }
}
