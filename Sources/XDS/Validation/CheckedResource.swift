import SwiftletMessages

/// A resource that was checked.
enum Resource: Hashable, Sendable {
    case listener(Listener)
    case routeConfiguration(RouteConfiguration)
    case cluster(Cluster)
    case endpoints(Endpoints)
}

/// A resource of a response, valid or not.
struct CheckedResource: Sendable {
    /// Nil if the resource is so wrong that its name is not known.
    let name: ResourceName?
    /// Nil if the resource is not valid.
    let resource: Resource?
    /// What is wrong; empty for a valid resource.
    let problems: [String]
    /// The resource as it was received, without its wrapper.
    let bytes: [UInt8]

    init(
        _ any: Google.Protobuf.AnyMessage, of type: ResourceType, _ context: ValidationContext
    ) {
        var violations = Violations()
        var any = any
        var wrapperName = ""
        if any.holds(Envoy.Discovery.Resource.self) {
            let wrapper = violations.decode(nil, any.value, as: Envoy.Discovery.Resource.self)
            wrapperName = wrapper?.name ?? ""
            any = wrapper?.resource ?? .init()
        }
        bytes = any.value
        let checked = Self.check(any, wrapperName, type, context, &violations)
        name = checked?.name
        resource = violations.isEmpty ? checked?.resource : nil
        problems = violations.texts
    }

    /// What is wrong, in one text; empty for a valid resource.
    var problem: String { problems.joined(separator: "; ") }

    private static func check(
        _ any: Google.Protobuf.AnyMessage, _ wrapperName: String, _ type: ResourceType,
        _ context: ValidationContext, _ violations: inout Violations
    ) -> (name: ResourceName?, resource: Resource?)? {
        guard violations.isEmpty else { return nil }
        func decode<M: Message>(_ message: M.Type) -> M? {
            if any.holds(message) { return violations.decode(nil, any.value, as: message) }
            violations.add(nil, "is of type '\(any.typeURL.prefix(200))', not '\(type.typeURL)'")
            return nil
        }
        func name(_ own: String?) -> ResourceName? {
            guard wrapperName.isEmpty else {
                return violations.name("name", wrapperName, of: type)
            }
            return own.flatMap { violations.name("name", $0, of: type) }
        }
        switch type {
        case .listener:
            let message = decode(Envoy.Listeners.Listener.self)
            let name = name(message?.name)
            let value = message.flatMap { Listener($0, context, &violations) }
            return (name, value.map { .listener($0) })
        case .routeConfiguration:
            let message = decode(Envoy.Routes.RouteConfiguration.self)
            let name = name(message?.name)
            let value = message.map { RouteConfiguration($0, context, &violations) }
            return (name, value.map { .routeConfiguration($0) })
        case .cluster:
            let message = decode(Envoy.Clusters.Cluster.self)
            guard let name = name(message?.name) else { return (nil, nil) }
            let value = message.flatMap { Cluster($0, name, context, &violations) }
            return (name, value.map { .cluster($0) })
        case .endpoints:
            let message = decode(Envoy.Endpoints.ClusterLoadAssignment.self)
            let name = name(message?.clusterName)
            let value = message.map { Endpoints($0, &violations) }
            return (name, value.map { .endpoints($0) })
        }
    }
}
