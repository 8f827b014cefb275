/// Finds the endpoints of a target, and reports them whenever they change.
///
/// A channel makes a resolver when it leaves idle mode and stops it when it enters idle mode again.
/// It calls the resolver on the thread of its queue, and only ``stop()`` also on the thread that closes the channel. No
/// method must block.
public protocol Resolver: Sendable {
    /// Starts the resolver. It reports at least one result to `results`, and another one after each change.
    func start(_ results: ResolverResults)

    /// Requests a fresh result: because a connection failed, or, after a delay that grows, because the channel did
    /// not accept the last one. The resolver decides when it looks up the target
    /// again. A resolver that is notified of changes may ignore the request.
    func requestResolution()

    /// Called when the machine's network is back. A resolver that waits after a failure must look up the
    /// target at once. The default implementation calls ``requestResolution()``.
    func resetBackoff()

    /// Stops the resolver, which releases its resources. Later results are ignored.
    func stop()
}

extension Resolver {
    public func resetBackoff() { requestResolution() }
}

/// The result of a resolver.
public struct ResolverResult: Sendable {
    /// The endpoints, or the error why there are none. After an error, the endpoints of an earlier result
    /// stay in use.
    public var endpoints: Result<[Endpoint], RPCError>

    /// The service config that was found with the endpoints, or the error why it is not valid. Nil if there
    /// is none. After an error, and in a result without endpoints if this is nil, the config of an earlier
    /// result stays in use.
    public var serviceConfig: Result<ServiceConfig, RPCError>?

    /// Chooses the settings of each call, in place of the methods of the service config; nil for none. It is
    /// used whenever the config is, after the balancer has received the endpoints.
    package var selector: (any ConfigSelector)?

    /// Makes a result.
    public init(
        endpoints: Result<[Endpoint], RPCError>,
        serviceConfig: Result<ServiceConfig, RPCError>? = nil
    ) {
        self.endpoints = endpoints
        self.serviceConfig = serviceConfig
    }

    /// Makes a result without a service config.
    public init(_ endpoints: [Endpoint]) { self.init(endpoints: .success(endpoints)) }
}

/// Receives the results of one resolver, from any thread, in the order in which they are reported.
public struct ResolverResults: Sendable {
    private let receive: @Sendable (ResolverResult) -> Void

    /// Makes a receiver of results, for the test of a resolver.
    public init(_ receive: @escaping @Sendable (ResolverResult) -> Void) { self.receive = receive }

    /// Reports a result to the channel, which uses it soon, on the thread of its queue.
    public func report(_ result: ResolverResult) { receive(result) }
}
