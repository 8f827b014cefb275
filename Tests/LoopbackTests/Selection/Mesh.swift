import SwiftletLoopback
import SwiftletTransport
import Synchronization

@testable import Swiftlet
@testable import SwiftletCore

/// A resolver that sends each call to the cluster that its header `x-cluster` names, as the resolver of a
/// control plane does. A cluster that the routes no longer name stays in the tree while a call needs it.
final class Mesh: Resolver {
    struct Cluster: Sendable {
        var servers: [LoopbackServer]
        var policy: any BalancingPolicy = RoundRobin()
        var method = MethodConfig([])
        var filter: (any CallFilter)?
        var responseFilter: (any ResponseFilter)?
        /// How the connections to the servers are secured; nil for the credentials of the channel.
        var security: EndpointSecurity?
        /// The authority that the picker sets; nil for none.
        var authority: String?
        /// The tracker that the picker sets; nil for that of the policy.
        var tracker: (any CallTracker)?
    }

    /// What a selector and its calls keep of a cluster.
    final class Use: Sendable {
        let name: String
        private let whenReleased: @Sendable (String) -> Void

        init(_ name: String, whenReleased: @escaping @Sendable (String) -> Void) {
            self.name = name
            self.whenReleased = whenReleased
        }

        deinit {
            HeldLocks.assertNone(calling: "cluster")
            whenReleased(name)
        }
    }

    /// What the picker reads.
    final class Route: CallAttributes {
        let name: String
        let cluster: Cluster

        init(_ name: String, _ cluster: Cluster) { (self.name, self.cluster) = (name, cluster) }
    }

    fileprivate struct State {
        /// The clusters in the tree.
        var clusters: [String: Cluster] = [:]
        /// The clusters that the routes name.
        var routed: [String: Use] = [:]
        var results: ResolverResults?
        var whenStopped: (@Sendable () -> Void)?
    }

    let scheme: String
    /// Reports results in their order.
    private let queue: CompletionQueue
    private let state = Mutex(State())

    /// - Parameter scheme: Must be used by no other test.
    init(_ scheme: String, _ clusters: [String: Cluster]) throws {
        self.scheme = scheme
        queue = try CompletionQueue.orShared(nil)
        for (name, cluster) in clusters { set(name, cluster) }
        Resolvers.register(forModule: scheme) { [self] _ in self }
    }

    func channel(
        _ arguments: ChannelArguments = ChannelArguments(),
        credentials: ChannelCredentials = .insecure
    ) throws -> Channel {
        try Channel("\(scheme):///mesh", credentials: credentials, arguments: arguments)
    }

    func start(_ results: ResolverResults) {
        state.withLock { $0.results = results }
        report()
    }

    func requestResolution() {}
    func stop() {
        let (_, whenStopped) = state.withLock { ($0.results.take(), $0.whenStopped.take()) }
        whenStopped?()
    }

    /// What happens while the channel stops its resolver for the next time.
    func whenStopped(_ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.whenStopped = body }
    }

    /// The clusters in the tree.
    var clusters: Set<String> { state.withLock { Set($0.clusters.keys) } }

    /// Adds or changes a cluster that calls are sent to.
    func set(_ name: String, _ cluster: Cluster) {
        let use = Use(name) { [weak self] in self?.wasReleased($0) }
        // Servers end outside the lock, here and below.
        let old = state.withLock { state in
            (
                state.clusters.updateValue(cluster, forKey: name),
                state.routed.updateValue(use, forKey: name)
            )
        }
        withExtendedLifetime(old) { report() }
    }

    /// Changes the servers of a cluster in the tree.
    func changeServers(of name: String, to servers: [LoopbackServer]) {
        let old = state.withLock { state in
            let old = state.clusters[name]
            state.clusters[name]?.servers = servers
            return old
        }
        withExtendedLifetime(old) { report() }
    }

    /// Sends no more calls to a cluster.
    func remove(_ name: String) {
        let old = state.withLock { $0.routed.removeValue(forKey: name) }
        withExtendedLifetime(old) { report() }
    }

    private func wasReleased(_ name: String) {
        let old = state.withLock { state in
            state.routed[name] == nil ? state.clusters.removeValue(forKey: name) : nil
        }
        withExtendedLifetime(old) { report() }
    }

    private func report() {
        queue.loop.run { [self] in
            let (results, result) = state.withLock { ($0.results, $0.result) }
            results?.report(result)
        }
    }
}

extension Mesh.State {
    fileprivate var result: ResolverResult {
        var endpoints: [Endpoint] = []
        var routes: [String: MeshSelector.Choice] = [:]
        for (name, cluster) in clusters {
            for server in cluster.servers {
                guard let address = try? ServerAddress(server.target) else { continue }
                var endpoint = Endpoint([address])
                endpoint.attributes.path = [name]
                endpoint.attributes.security = cluster.security
                endpoints.append(endpoint)
            }
            guard let use = routed[name] else { continue }
            routes[name] = MeshSelector.Choice(route: Mesh.Route(name, cluster), use: use)
        }
        let policy = MeshPolicy(clusters: clusters.mapValues { PolicyBox(policy: $0.policy) })
        var result = ResolverResult(
            endpoints: .success(endpoints),
            serviceConfig: .success(ServiceConfig(balancing: policy)))
        result.selector = MeshSelector(routes: routes)
        return result
    }
}

final class MeshSelector: ConfigSelector {
    struct Choice: Sendable {
        var route: Mesh.Route
        var use: Mesh.Use
    }

    let routes: [String: Choice]

    init(routes: [String: Choice]) { self.routes = routes }

    func select(for path: String, _ metadata: Metadata) throws(RPCError) -> CallSelection {
        guard let name = metadata["x-cluster"], let choice = routes[name] else {
            throw RPCError(.notFound, "no route to \(metadata["x-cluster"] ?? path)")
        }
        let cluster = choice.route.cluster
        let rules = CallRules(
            cluster.method, attributes: choice.route, filter: cluster.filter,
            responseFilter: cluster.responseFilter)
        return CallSelection(
            rules, requestHash: metadata["x-key"].flatMap { UInt64($0) }, cluster: choice.use)
    }
}

// MARK: - The tree

/// Has a child for each cluster. The selection of a call names the child.
struct MeshPolicy: BalancingPolicy {
    var clusters: [String: PolicyBox]
    var name: String { "mesh_test" }
    func makeBalancer() -> any Balancer { MeshBalancer() }
}

private final class MeshPicker: Picker {
    private let pickers: [String: any Picker]

    init(_ pickers: [String: any Picker]) { self.pickers = pickers }

    func pick(_ call: borrowing PickInfo) -> Pick {
        guard let route = call.attributes as? Mesh.Route,
            let picker = pickers[route.name]
        else { return .fail(RPCError(.internal, "the tree has no such cluster")) }
        let pick = picker.pick(call)
        switch consume pick {
        case .subchannel(var subchannel, let trackers):
            subchannel.authority = route.cluster.authority
            return .subchannel(
                subchannel, trackers: route.cluster.tracker.map { CallTrackers($0) } ?? trackers)
        case let pick: return pick
        }
    }
}

private struct MeshBalancer: Balancer {
    private var children: [String: GracefulSwitch] = [:]
    private var pickers: [String: any Picker] = [:]

    private mutating func run(
        _ name: String, _ context: inout BalancerContext,
        _ body: (inout GracefulSwitch, inout BalancerContext) -> Void
    ) {
        guard var child = children.removeValue(forKey: name) else { return }
        if let report = context.reportOf({ body(&child, &$0) }) { pickers[name] = report.picker }
        children[name] = child
    }

    private mutating func runAll(
        _ context: inout BalancerContext,
        _ body: (inout GracefulSwitch, inout BalancerContext) -> Void
    ) {
        for name in children.keys { run(name, &context, body) }
        context.report(.ready, MeshPicker(pickers))
    }

    mutating func update(
        _ update: BalancerUpdate, _ context: inout BalancerContext
    ) throws(RPCError) {
        guard let policy = update.policy as? MeshPolicy else { return }
        for name in children.keys where policy.clusters[name] == nil {
            run(name, &context) { $0.close(&$1) }
            children[name] = nil
            pickers[name] = nil
        }
        for (name, box) in policy.clusters {
            if children[name] == nil { children[name] = GracefulSwitch() }
            if pickers[name] == nil { pickers[name] = QueuePicker() }
            let endpoints = update.endpoints.filter { $0.attributes.path.first == name }
            run(name, &context) { child, context in
                try? child.update(
                    BalancerUpdate(endpoints: endpoints, policy: box.policy), &context)
            }
        }
        context.report(.ready, MeshPicker(pickers))
    }

    mutating func resolverFailed(_ error: RPCError, _ context: inout BalancerContext) {
        runAll(&context) { $0.resolverFailed(error, &$1) }
    }

    mutating func subchannel(
        _ subchannel: Subchannel, changedTo state: SubchannelState,
        _ context: inout BalancerContext
    ) { runAll(&context) { $0.subchannel(subchannel, changedTo: state, &$1) } }

    mutating func timeHasCome(_ context: inout BalancerContext) {
        runAll(&context) { $0.timeHasCome(&$1) }
    }

    mutating func exitIdle(_ context: inout BalancerContext) {
        runAll(&context) { $0.exitIdle(&$1) }
    }

    mutating func close(_ context: inout BalancerContext) {
        runAll(&context) { $0.close(&$1) }
    }
}
