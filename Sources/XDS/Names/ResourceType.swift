/// A type of resources that the client subscribes to.
enum ResourceType: CaseIterable, Hashable, Sendable {
    case listener, routeConfiguration, cluster, endpoints

    /// The full name of the message.
    var messageName: String {
        switch self {
        case .listener: Envoy.Listeners.Listener.messageName
        case .routeConfiguration: Envoy.Routes.RouteConfiguration.messageName
        case .cluster: Envoy.Clusters.Cluster.messageName
        case .endpoints: Envoy.Endpoints.ClusterLoadAssignment.messageName
        }
    }

    var typeURL: String { "type.googleapis.com/" + messageName }

    /// The name of the service in errors.
    var shortName: String {
        switch self {
        case .listener: "LDS"
        case .routeConfiguration: "RDS"
        case .cluster: "CDS"
        case .endpoints: "EDS"
        }
    }

    /// Whether a response lists all resources that exist, so that a missing one was deleted.
    var responsesAreComplete: Bool { self == .listener || self == .cluster }
}
