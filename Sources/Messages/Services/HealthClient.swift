public import Swiftlet

/// Requests the state of a server's services: `grpc.health.v1.Health`.
///
/// ```swift
/// let health = HealthClient(channel: channel)
/// print(try await health.check("helloworld.Greeter") == .serving)
/// ```
public struct HealthClient: ServiceClient {
    public typealias ServingStatus = GRPC.Health.HealthCheckResponse.ServingStatus

    public static let check = Method<
        GRPC.Health.HealthCheckRequest, GRPC.Health.HealthCheckResponse
    >("/grpc.health.v1.Health/Check", .unary)
    public static let watch = Method<
        GRPC.Health.HealthCheckRequest, GRPC.Health.HealthCheckResponse
    >("/grpc.health.v1.Health/Watch", .serverStreaming)
    public static let list = Method<
        GRPC.Health.HealthListRequest, GRPC.Health.HealthListResponse
    >("/grpc.health.v1.Health/List", .unary)

    public let channel: Channel

    public init(channel: Channel) { self.channel = channel }

    /// The state of a service; the empty name means the whole server. Fails with NOT_FOUND if the
    /// server does not know the service.
    public func check(
        _ service: String = "", options: CallOptions = CallOptions()
    ) async throws(RPCError) -> ServingStatus {
        try await unary(
            Self.check, GRPC.Health.HealthCheckRequest(service: service), options: options
        ).status
    }

    /// Returns the state of a service now and after each change, for as long as the stream is read. If the
    /// server does not know the service, the state is `.serviceUnknown`.
    public func watch(
        _ service: String = "", options: CallOptions = CallOptions()
    ) async throws(RPCError) -> ResponseStream<GRPC.Health.HealthCheckResponse> {
        try await serverStreaming(
            Self.watch, GRPC.Health.HealthCheckRequest(service: service), options: options)
    }

    /// The states of all services that the server knows. Fails with UNIMPLEMENTED on older servers.
    public func list(
        options: CallOptions = CallOptions()
    ) async throws(RPCError) -> [String: ServingStatus] {
        try await unary(Self.list, GRPC.Health.HealthListRequest(), options: options)
            .statuses.mapValues(\.status)
    }
}
