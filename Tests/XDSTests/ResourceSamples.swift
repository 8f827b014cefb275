import SwiftletMessages
import SwiftletWellKnown

@testable import SwiftletXDS

/// Messages as a control plane sends them.
enum Sample {
    static func any(_ message: some Message) -> Google.Protobuf.AnyMessage {
        .init(packing: message)
    }

    static func check(
        _ message: some Message, _ type: ResourceType, _ context: ValidationContext = .init()
    ) -> CheckedResource {
        CheckedResource(any(message), of: type, context)
    }

    static var ads: Envoy.Core.ConfigSource { .with { $0.configSourceSpecifier = .ads(.init()) } }

    static func filter(_ name: String, _ config: some Message) -> Envoy.ConnectionManager.HttpFilter
    {
        .with {
            $0.name = name
            $0.configType = .typedConfig(any(config))
        }
    }

    static func listener(
        _ name: String, routes: String = "routes",
        _ change: (inout Envoy.ConnectionManager.HttpConnectionManager) -> Void = { _ in }
    ) -> Envoy.Listeners.Listener {
        var manager = Envoy.ConnectionManager.HttpConnectionManager()
        manager.routeSpecifier = .rds(
            .with {
                $0.configSource = ads
                $0.routeConfigName = routes
            })
        manager.httpFilters = [filter("router", Envoy.Filters.Router())]
        change(&manager)
        return .with {
            $0.name = name
            $0.apiListener = .with { $0.apiListener = any(manager) }
        }
    }

    static func route(
        prefix: String = "", to cluster: String,
        _ change: (inout Envoy.Routes.Route) -> Void = { _ in }
    ) -> Envoy.Routes.Route {
        var route = Envoy.Routes.Route()
        route.match = .with { $0.pathSpecifier = .prefix(prefix) }
        route.action = .route(.with { $0.clusterSpecifier = .cluster(cluster) })
        change(&route)
        return route
    }

    /// A route with a changed action.
    static func action(
        to cluster: String = "c", _ change: (inout Envoy.Routes.RouteAction) -> Void
    ) -> Envoy.Routes.Route {
        var action = Envoy.Routes.RouteAction()
        action.clusterSpecifier = .cluster(cluster)
        change(&action)
        return route(to: cluster) { $0.action = .route(action) }
    }

    /// A route with a changed condition.
    static func match(
        to cluster: String = "c", _ change: (inout Envoy.Routes.RouteMatch) -> Void
    ) -> Envoy.Routes.Route {
        route(to: cluster) { route in
            var match = route.match ?? .init()
            change(&match)
            route.match = match
        }
    }

    static func routes(
        _ name: String, _ routes: [Envoy.Routes.Route], domains: [String] = ["*"],
        _ change: (inout Envoy.Routes.RouteConfiguration) -> Void = { _ in }
    ) -> Envoy.Routes.RouteConfiguration {
        var message = Envoy.Routes.RouteConfiguration()
        message.name = name
        message.virtualHosts = [
            .with {
                $0.domains = domains
                $0.routes = routes
            }
        ]
        change(&message)
        return message
    }

    static func cluster(
        _ name: String, _ change: (inout Envoy.Clusters.Cluster) -> Void = { _ in }
    ) -> Envoy.Clusters.Cluster {
        var message = Envoy.Clusters.Cluster()
        message.name = name
        message.clusterDiscoveryType = .type(.eds)
        message.edsClusterConfig = .with { $0.edsConfig = ads }
        change(&message)
        return message
    }

    static func policy(_ message: some Message) -> Envoy.Clusters.LoadBalancingPolicy.Policy {
        .with { $0.typedExtensionConfig = .with { $0.typedConfig = any(message) } }
    }

    static func endpoint(
        _ address: String, _ port: UInt32 = 80,
        _ change: (inout Envoy.Endpoints.LbEndpoint) -> Void = { _ in }
    ) -> Envoy.Endpoints.LbEndpoint {
        var message = Envoy.Endpoints.LbEndpoint()
        message.hostIdentifier = .endpoint(
            .with { $0.address = self.address(address, port) })
        change(&message)
        return message
    }

    static func address(_ address: String, _ port: UInt32 = 80) -> Envoy.Core.Address {
        .with {
            $0.address = .socketAddress(
                .with {
                    $0.address = address
                    $0.portSpecifier = .portValue(port)
                })
        }
    }

    static func locality(
        _ zone: String, _ endpoints: [Envoy.Endpoints.LbEndpoint], weight: UInt32? = 1,
        priority: UInt32 = 0
    ) -> Envoy.Endpoints.LocalityLbEndpoints {
        .with {
            $0.locality = .with { $0.zone = zone }
            $0.lbEndpoints = endpoints
            $0.loadBalancingWeight = weight.map { .init($0) }
            $0.priority = priority
        }
    }

    static func endpoints(
        _ name: String, _ localities: [Envoy.Endpoints.LocalityLbEndpoints]
    ) -> Envoy.Endpoints.ClusterLoadAssignment {
        .with {
            $0.clusterName = name
            $0.endpoints = localities
        }
    }
}
