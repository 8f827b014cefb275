import SwiftletMessages

// The messages of envoy.extensions.filters.network.http_connection_manager.v3, with the fields that a client of gRPC needs.
extension Envoy.ConnectionManager {
    /// Routes and filters of a listener.
    struct HttpConnectionManager: DropsUnknownFields {
        enum RouteSpecifier: Hashable, Sendable {
            case rds(Envoy.ConnectionManager.Rds)
            case routeConfig(Envoy.Routes.RouteConfiguration)
            case scopedRoutes(Envoy.ConnectionManager.ScopedRoutes)
        }

        var routeSpecifier: RouteSpecifier?
        var httpFilters: [Envoy.ConnectionManager.HttpFilter] = []
        var xffNumTrustedHops: UInt32 = 0
        var commonHTTPProtocolOptions: Envoy.Core.HttpProtocolOptions?
        var originalIpDetectionExtensions: [Envoy.Core.TypedExtensionConfig] = []

        static var messageName: String {
            "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager"
        }

        static let layout = Layout<Self> { field in
            field.oneof(
                3, \.routeSpecifier, .message(Envoy.ConnectionManager.Rds.self), RouteSpecifier.rds
            ) {
                if case .rds(let it) = $0 { it } else { nil }
            }
            field.oneof(
                4, \.routeSpecifier, .message(Envoy.Routes.RouteConfiguration.self),
                RouteSpecifier.routeConfig
            ) {
                if case .routeConfig(let it) = $0 { it } else { nil }
            }
            field.message(5, \.httpFilters)
            field.uint32(19, \.xffNumTrustedHops)
            field.oneof(
                31, \.routeSpecifier, .message(Envoy.ConnectionManager.ScopedRoutes.self),
                RouteSpecifier.scopedRoutes
            ) {
                if case .scopedRoutes(let it) = $0 { it } else { nil }
            }
            field.message(35, \.commonHTTPProtocolOptions)
            field.message(46, \.originalIpDetectionExtensions)
        }
    }

    /// The name of a route configuration.
    struct Rds: DropsUnknownFields {
        var configSource: Envoy.Core.ConfigSource?
        var routeConfigName = ""

        static var messageName: String {
            "envoy.extensions.filters.network.http_connection_manager.v3.Rds"
        }

        static let layout = Layout<Self> { field in
            field.message(1, \.configSource)
            field.string(2, \.routeConfigName)
        }
    }

    /// Route configurations that Envoy chooses by request; not supported by clients.
    struct ScopedRoutes: DropsUnknownFields {
        static var messageName: String {
            "envoy.extensions.filters.network.http_connection_manager.v3.ScopedRoutes"
        }

        static let layout = Layout<Self> { _ in }
    }

    /// A filter.
    struct HttpFilter: DropsUnknownFields {
        enum ConfigType: Hashable, Sendable {
            case typedConfig(Google.Protobuf.AnyMessage)
        }

        var name = ""
        var configType: ConfigType?
        var isOptional = false
        var disabled = false

        static var messageName: String {
            "envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter"
        }

        static let layout = Layout<Self> { field in
            field.string(1, \.name)
            field.oneof(
                4, \.configType, .message(Google.Protobuf.AnyMessage.self), ConfigType.typedConfig
            ) {
                if case .typedConfig(let it) = $0 { it } else { nil }
            }
            field.bool(6, \.isOptional)
            field.bool(7, \.disabled)
        }
    }
}
