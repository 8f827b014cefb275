public import SwiftletCore

// Interceptors that change the start of a call.

extension InterceptorFactory {
    /// Changes the options of each call at its start: metadata, deadline, compression.
    ///
    /// ```swift
    /// let region = InterceptorFactory.options("region") { options, call in
    ///     options.metadata.append("eu-1", for: "x-region")
    /// }
    /// ```
    public static func options(
        _ name: String,
        _ change: @escaping @Sendable (inout CallOptions, CallDescription) -> Void
    ) -> InterceptorFactory {
        InterceptorFactory(name) { _ in OptionsInterceptor(change) }
    }

    /// Adds headers to each call.
    ///
    /// ```swift
    /// let channel = try Channel(target, credentials: .insecure, interceptors: [.all(.headers(["x-tenant": "7"]))])
    /// ```
    public static func headers(_ headers: Metadata) -> InterceptorFactory {
        var factory = options("headers") { options, _ in
            options.metadata.append(contentsOf: headers)
        }
        factory.sendsCredentials = headers.contains { MetadataRules.isHidden($0.name) }
        return factory
    }

    /// Sets a deadline for calls that have none.
    ///
    /// ```swift
    /// let channel = try Channel(target, credentials: .insecure, interceptors: [.all(.defaultDeadline(.seconds(10)))])
    /// ```
    public static func defaultDeadline(_ timeout: Duration) -> InterceptorFactory {
        options("default deadline") { options, _ in
            guard options.absoluteDeadline == .never, options.timeout == nil else { return }
            // Counted from here, even if the call is sent several times.
            options.absoluteDeadline = .after(timeout)
        }
    }
}

private final class OptionsInterceptor: Interceptor {
    private let change: @Sendable (inout CallOptions, CallDescription) -> Void

    init(_ change: @escaping @Sendable (inout CallOptions, CallDescription) -> Void) {
        self.change = change
    }

    func start(_ options: CallOptions, _ call: InterceptedCall) {
        var options = options
        change(&options, call.description)
        call.start(options)
    }
}
