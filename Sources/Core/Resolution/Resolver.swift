/// Finds the endpoints of a target, and reports them whenever they change.
///
/// A channel makes a resolver when it leaves idle mode and stops it when it enters idle mode again.
/// All methods may be called on any thread, and must not block.
public protocol Resolver: Sendable {
    /// Begins. The resolver reports at least one result to `results`, and more as things change.
    func start(_ results: ResolverResults)

    /// The channel requests a fresh result, because a connection failed. The resolver decides when
    /// it looks again: a resolver that is notified of changes may ignore the request.
    func requestResolution()

    /// The machine's network is back: a resolver that waits after a failure looks at once. By
    /// default it calls ``requestResolution()``.
    func resetBackoff()

    /// Ends. The resolver releases what it holds; later results are ignored.
    func stop()
}

extension Resolver {
    public func resetBackoff() { requestResolution() }
}

/// The result of a resolver.
public struct ResolverResult: Sendable {
    /// The endpoints, or why there are none. An error leaves the endpoints of an earlier result in use.
    public var endpoints: Result<[Endpoint], RPCError>

    /// The service config that came with the endpoints, or why the config is not valid; nil when
    /// there is none.
    public var serviceConfig: Result<ServiceConfig, RPCError>?

    /// Makes a result.
    public init(
        endpoints: Result<[Endpoint], RPCError>,
        serviceConfig: Result<ServiceConfig, RPCError>? = nil
    ) {
        self.endpoints = endpoints
        self.serviceConfig = serviceConfig
    }

    /// Makes a result of endpoints alone.
    public init(_ endpoints: [Endpoint]) { self.init(endpoints: .success(endpoints)) }
}

/// Takes the results of one resolver, from any thread, in the order in which they are reported.
public struct ResolverResults: Sendable {
    private let receive: @Sendable (ResolverResult) -> Void

    /// Makes a receiver of results. A test of a resolver makes its own.
    public init(_ receive: @escaping @Sendable (ResolverResult) -> Void) { self.receive = receive }

    /// Reports a result to the channel.
    public func report(_ result: ResolverResult) { receive(result) }
}
