/// Asks a server whether it serves: `grpc.health.v1.Health`.
///
/// ```swift
/// let health = HealthClient(channel: channel)
/// print(try await health.check("helloworld.Greeter") == .serving)
/// ```
public struct HealthClient: ServiceClient {
    public typealias ServingStatus = GRPC.Health.HealthCheckResponse.ServingStatus

    public static let serviceName = "grpc.health.v1.Health"
    public let channel: Channel

    public init(channel: Channel) { self.channel = channel }

    /// The state of a service; the empty name is the server as a whole. A server that knows
    /// nothing of the service answers NOT_FOUND.
    public func check(
        _ service: String = "", _ options: CallOptions = CallOptions()
    ) async throws(RPCError) -> ServingStatus {
        let reply: GRPC.Health.HealthCheckResponse = try await unary(
            "Check", GRPC.Health.HealthCheckRequest(service: service), options)
        return reply.status
    }

    /// The state of a service, now and whenever it changes, for as long as the stream is read. A
    /// service that the server knows nothing of is `.serviceUnknown`, and may come later.
    public func watch(
        _ service: String = "", _ options: CallOptions = CallOptions()
    ) async throws(RPCError) -> ResponseStream<GRPC.Health.HealthCheckResponse> {
        try await serverStreaming(
            "Watch", GRPC.Health.HealthCheckRequest(service: service), options)
    }

    /// The states of all services that the server knows. Older servers have no such method.
    public func list(
        _ options: CallOptions = CallOptions()
    ) async throws(RPCError) -> [String: ServingStatus] {
        let reply: GRPC.Health.HealthListResponse = try await unary(
            "List", GRPC.Health.HealthListRequest(), options)
        return reply.statuses.mapValues(\.status)
    }
}
