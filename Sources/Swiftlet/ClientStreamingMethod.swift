/// A client-streaming method of a client, as a value that is called like a function.
///
/// ```swift
/// struct RouteGuide: ServiceClient {
///     static let recordRoute = Method<Point, RouteSummary>("/routeguide.RouteGuide/RecordRoute", .clientStreaming)
///     let channel: Channel
///     var recordRoute: ClientStreamingMethod<Point, RouteSummary> { .init(self, Self.recordRoute) }
/// }
///
/// let summary = try await guide.recordRoute { route in
///     for point in points { try await route.write(point) }
/// }
/// ```
///
/// The closure runs in the isolation of the calling code. If your function forwards such a closure, write
/// `nonisolated(nonsending)` before `func` and before the closure's type. A property of this type needs no
/// annotation.
public struct ClientStreamingMethod<Request: Sendable, Reply: Sendable>: Sendable {
    private let client: any ServiceClient
    private let method: Method<Request, Reply>

    public init(_ client: any ServiceClient, _ method: Method<Request, Reply>) {
        self.client = client
        self.method = method
    }

    /// Sends the messages that `produce` writes, and waits for the response. When `produce` returns, the
    /// request ends. If `produce` throws, the call is cancelled.
    public func callAsFunction(
        options: CallOptions = CallOptions(),
        _ produce: (RequestWriter<Request>) async throws -> Void
    ) async throws -> Reply {
        try await client.clientStreaming(method, options: options, produce)
    }

    /// Does the same as calling the method, and returns the response together with its metadata.
    public func response(
        options: CallOptions = CallOptions(),
        _ produce: (RequestWriter<Request>) async throws -> Void
    ) async throws -> Response<Reply> {
        try await client.clientStreamingResponse(method, options: options, produce)
    }
}
