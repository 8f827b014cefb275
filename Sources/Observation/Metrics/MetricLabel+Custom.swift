extension MetricLabel {
    /// The key of a label that the program sets for its calls, `grpc.client.call.custom` (proposal A108).
    public static let custom = "grpc.client.call.custom"

    /// Not a property with the attribute: that needs a plug-in of the compiler.
    private static let ofTask = TaskLocal(wrappedValue: "")

    /// The value for calls that are made now; empty if there is none.
    static var currentCustomValue: String { ofTask.get() }

    /// Runs `body`, whose calls have this value in the label `grpc.client.call.custom` of their metrics, for sinks whose
    /// ``MetricSink/optionalLabels`` contains ``custom``.
    ///
    /// ```swift
    /// let reply = try await MetricLabel.withCustomValue("checkout") {
    ///     try await greeter.sayHello(request)
    /// }
    /// ```
    ///
    /// Tasks that the body makes inherit the value, except detached ones. Each value is another time series, so use few.
    public static func withCustomValue<Value>(
        _ value: String, _ body: () async throws -> Value
    ) async rethrows -> Value {
        try await ofTask.withValue(value, operation: body)
    }

    /// Runs `body`, whose calls have this value in the label `grpc.client.call.custom`. See the function of the same name
    /// for tasks.
    public static func withCustomValue<Value>(
        _ value: String, _ body: () throws -> Value
    ) rethrows -> Value {
        try ofTask.withValue(value, operation: body)
    }
}
