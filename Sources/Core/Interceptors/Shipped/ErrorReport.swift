/// Is told of the errors of calls, in one place for a whole client.
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
    /// A call has ended with an error. Called once for each such call, before its caller is told, on the
    /// thread that brings the end.
    func callFailed(_ error: RPCError, _ call: CallDescription)
}

extension InterceptorFactory {
    /// Reports every call that ends with an error. As the first of the interceptors it reports what the
    /// caller gets; behind one that retries it reports each attempt.
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
