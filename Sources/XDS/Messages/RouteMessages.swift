import SwiftletMessages
import SwiftletWellKnown

// The messages of envoy.config.route.v3, with the fields that a client of gRPC needs.
extension Envoy.Routes {
    /// Routes by virtual host.
    struct RouteConfiguration: DropsUnknownFields {
        var name = ""
        var virtualHosts: [Envoy.Routes.VirtualHost] = []
        var clusterSpecifierPlugins: [Envoy.Routes.ClusterSpecifierPlugin] = []

        static var messageName: String { "envoy.config.route.v3.RouteConfiguration" }

        static let layout = Layout<Self> { field in
            field.string(1, \.name)
            field.message(2, \.virtualHosts)
            field.message(12, \.clusterSpecifierPlugins)
        }
    }

    /// The routes of some domains.
    struct VirtualHost: DropsUnknownFields {
        var name = ""
        var domains: [String] = []
        var routes: [Envoy.Routes.Route] = []
        var typedPerFilterConfig: [String: Google.Protobuf.AnyMessage] = [:]
        var retryPolicy: Envoy.Routes.RetryPolicy?

        static var messageName: String { "envoy.config.route.v3.VirtualHost" }

        static let layout = Layout<Self> { field in
            field.string(1, \.name)
            field.string(2, \.domains)
            field.message(3, \.routes)
            field.map(
                15, \.typedPerFilterConfig, .string, .message(Google.Protobuf.AnyMessage.self))
            field.message(16, \.retryPolicy)
        }
    }

    /// Which calls go where.
    struct Route: DropsUnknownFields {
        enum Action: Hashable, Sendable {
            case route(Envoy.Routes.RouteAction)
            case nonForwardingAction(Envoy.Routes.NonForwardingAction)
        }

        var match: Envoy.Routes.RouteMatch?
        var action: Action?
        var typedPerFilterConfig: [String: Google.Protobuf.AnyMessage] = [:]

        static var messageName: String { "envoy.config.route.v3.Route" }

        static let layout = Layout<Self> { field in
            field.message(1, \.match)
            field.oneof(2, \.action, .message(Envoy.Routes.RouteAction.self), Action.route) {
                if case .route(let it) = $0 { it } else { nil }
            }
            field.map(
                13, \.typedPerFilterConfig, .string, .message(Google.Protobuf.AnyMessage.self))
            field.oneof(
                18, \.action, .message(Envoy.Routes.NonForwardingAction.self),
                Action.nonForwardingAction
            ) {
                if case .nonForwardingAction(let it) = $0 { it } else { nil }
            }
        }
    }

    /// Which calls a route is for.
    struct RouteMatch: DropsUnknownFields {
        enum PathSpecifier: Hashable, Sendable {
            case prefix(String)
            case path(String)
            case safeRegex(Envoy.Matcher.RegexMatcher)
        }

        var pathSpecifier: PathSpecifier?
        var caseSensitive: Google.Protobuf.BoolValue?
        var headers: [Envoy.Routes.HeaderMatcher] = []
        var queryParameters: [Envoy.Routes.QueryParameterMatcher] = []
        var runtimeFraction: Envoy.Core.RuntimeFractionalPercent?

        static var messageName: String { "envoy.config.route.v3.RouteMatch" }

        static let layout = Layout<Self> { field in
            field.oneof(1, \.pathSpecifier, .string, PathSpecifier.prefix) {
                if case .prefix(let it) = $0 { it } else { nil }
            }
            field.oneof(2, \.pathSpecifier, .string, PathSpecifier.path) {
                if case .path(let it) = $0 { it } else { nil }
            }
            field.message(4, \.caseSensitive)
            field.message(6, \.headers)
            field.message(7, \.queryParameters)
            field.message(9, \.runtimeFraction)
            field.oneof(
                10, \.pathSpecifier, .message(Envoy.Matcher.RegexMatcher.self),
                PathSpecifier.safeRegex
            ) {
                if case .safeRegex(let it) = $0 { it } else { nil }
            }
        }
    }

    /// A condition on the query of a URL.
    struct QueryParameterMatcher: DropsUnknownFields {
        static var messageName: String { "envoy.config.route.v3.QueryParameterMatcher" }

        static let layout = Layout<Self> { _ in }
    }

    /// A condition on a header.
    struct HeaderMatcher: DropsUnknownFields {
        enum HeaderMatchSpecifier: Hashable, Sendable {
            case exactMatch(String)
            case rangeMatch(Envoy.Types.Int64Range)
            case presentMatch(Bool)
            case prefixMatch(String)
            case suffixMatch(String)
            case safeRegexMatch(Envoy.Matcher.RegexMatcher)
            case containsMatch(String)
            case stringMatch(Envoy.Matcher.StringMatcher)
        }

        var name = ""
        var headerMatchSpecifier: HeaderMatchSpecifier?
        var invertMatch = false

        static var messageName: String { "envoy.config.route.v3.HeaderMatcher" }

        static let layout = Layout<Self> { field in
            field.string(1, \.name)
            field.oneof(4, \.headerMatchSpecifier, .string, HeaderMatchSpecifier.exactMatch) {
                if case .exactMatch(let it) = $0 { it } else { nil }
            }
            field.oneof(
                6, \.headerMatchSpecifier, .message(Envoy.Types.Int64Range.self),
                HeaderMatchSpecifier.rangeMatch
            ) {
                if case .rangeMatch(let it) = $0 { it } else { nil }
            }
            field.oneof(7, \.headerMatchSpecifier, .bool, HeaderMatchSpecifier.presentMatch) {
                if case .presentMatch(let it) = $0 { it } else { nil }
            }
            field.bool(8, \.invertMatch)
            field.oneof(9, \.headerMatchSpecifier, .string, HeaderMatchSpecifier.prefixMatch) {
                if case .prefixMatch(let it) = $0 { it } else { nil }
            }
            field.oneof(10, \.headerMatchSpecifier, .string, HeaderMatchSpecifier.suffixMatch) {
                if case .suffixMatch(let it) = $0 { it } else { nil }
            }
            field.oneof(
                11, \.headerMatchSpecifier, .message(Envoy.Matcher.RegexMatcher.self),
                HeaderMatchSpecifier.safeRegexMatch
            ) {
                if case .safeRegexMatch(let it) = $0 { it } else { nil }
            }
            field.oneof(12, \.headerMatchSpecifier, .string, HeaderMatchSpecifier.containsMatch) {
                if case .containsMatch(let it) = $0 { it } else { nil }
            }
            field.oneof(
                13, \.headerMatchSpecifier, .message(Envoy.Matcher.StringMatcher.self),
                HeaderMatchSpecifier.stringMatch
            ) {
                if case .stringMatch(let it) = $0 { it } else { nil }
            }
        }
    }

    /// Where a route sends calls.
    struct RouteAction: DropsUnknownFields {
        /// The time limits of calls.
        struct MaxStreamDuration: DropsUnknownFields {
            var maxStreamDuration: Google.Protobuf.Duration?
            var grpcTimeoutHeaderMax: Google.Protobuf.Duration?

            static var messageName: String { "envoy.config.route.v3.RouteAction.MaxStreamDuration" }

            static let layout = Layout<Self> { field in
                field.message(1, \.maxStreamDuration)
                field.message(2, \.grpcTimeoutHeaderMax)
            }
        }

        /// A part of the hash of a call.
        struct HashPolicy: DropsUnknownFields {
            /// Hashes a header.
            struct Header: DropsUnknownFields {
                var headerName = ""
                var regexRewrite: Envoy.Matcher.RegexMatchAndSubstitute?

                static var messageName: String {
                    "envoy.config.route.v3.RouteAction.HashPolicy.Header"
                }

                static let layout = Layout<Self> { field in
                    field.string(1, \.headerName)
                    field.message(2, \.regexRewrite)
                }
            }

            /// Hashes a value of the channel.
            struct FilterState: DropsUnknownFields {
                var key = ""

                static var messageName: String {
                    "envoy.config.route.v3.RouteAction.HashPolicy.FilterState"
                }

                static let layout = Layout<Self> { field in
                    field.string(1, \.key)
                }
            }

            enum PolicySpecifier: Hashable, Sendable {
                case header(Envoy.Routes.RouteAction.HashPolicy.Header)
                case filterState(Envoy.Routes.RouteAction.HashPolicy.FilterState)
            }

            var policySpecifier: PolicySpecifier?
            var terminal = false

            static var messageName: String { "envoy.config.route.v3.RouteAction.HashPolicy" }

            static let layout = Layout<Self> { field in
                field.oneof(
                    1, \.policySpecifier, .message(Envoy.Routes.RouteAction.HashPolicy.Header.self),
                    PolicySpecifier.header
                ) {
                    if case .header(let it) = $0 { it } else { nil }
                }
                field.bool(4, \.terminal)
                field.oneof(
                    6, \.policySpecifier,
                    .message(Envoy.Routes.RouteAction.HashPolicy.FilterState.self),
                    PolicySpecifier.filterState
                ) {
                    if case .filterState(let it) = $0 { it } else { nil }
                }
            }
        }

        enum ClusterSpecifier: Hashable, Sendable {
            case cluster(String)
            case weightedClusters(Envoy.Routes.WeightedCluster)
            case clusterSpecifierPlugin(String)
        }

        enum HostRewriteSpecifier: Hashable, Sendable {
            case autoHostRewrite(Google.Protobuf.BoolValue)
        }

        var clusterSpecifier: ClusterSpecifier?
        var hostRewriteSpecifier: HostRewriteSpecifier?
        var retryPolicy: Envoy.Routes.RetryPolicy?
        var hashPolicy: [Envoy.Routes.RouteAction.HashPolicy] = []
        var maxStreamDuration: Envoy.Routes.RouteAction.MaxStreamDuration?

        static var messageName: String { "envoy.config.route.v3.RouteAction" }

        static let layout = Layout<Self> { field in
            field.oneof(1, \.clusterSpecifier, .string, ClusterSpecifier.cluster) {
                if case .cluster(let it) = $0 { it } else { nil }
            }
            field.oneof(
                3, \.clusterSpecifier, .message(Envoy.Routes.WeightedCluster.self),
                ClusterSpecifier.weightedClusters
            ) {
                if case .weightedClusters(let it) = $0 { it } else { nil }
            }
            field.oneof(
                7, \.hostRewriteSpecifier, .message(Google.Protobuf.BoolValue.self),
                HostRewriteSpecifier.autoHostRewrite
            ) {
                if case .autoHostRewrite(let it) = $0 { it } else { nil }
            }
            field.message(9, \.retryPolicy)
            field.message(15, \.hashPolicy)
            field.message(36, \.maxStreamDuration)
            field.oneof(37, \.clusterSpecifier, .string, ClusterSpecifier.clusterSpecifierPlugin) {
                if case .clusterSpecifierPlugin(let it) = $0 { it } else { nil }
            }
        }
    }

    /// Clusters that share the calls of a route.
    struct WeightedCluster: DropsUnknownFields {
        /// A cluster with its share.
        struct ClusterWeight: DropsUnknownFields {
            var name = ""
            var weight: Google.Protobuf.UInt32Value?
            var typedPerFilterConfig: [String: Google.Protobuf.AnyMessage] = [:]

            static var messageName: String { "envoy.config.route.v3.WeightedCluster.ClusterWeight" }

            static let layout = Layout<Self> { field in
                field.string(1, \.name)
                field.message(2, \.weight)
                field.map(
                    10, \.typedPerFilterConfig, .string, .message(Google.Protobuf.AnyMessage.self))
            }
        }

        var clusters: [Envoy.Routes.WeightedCluster.ClusterWeight] = []

        static var messageName: String { "envoy.config.route.v3.WeightedCluster" }

        static let layout = Layout<Self> { field in
            field.message(1, \.clusters)
        }
    }

    /// When calls are sent again.
    struct RetryPolicy: DropsUnknownFields {
        /// The delays between attempts.
        struct RetryBackOff: DropsUnknownFields {
            var baseInterval: Google.Protobuf.Duration?
            var maxInterval: Google.Protobuf.Duration?

            static var messageName: String { "envoy.config.route.v3.RetryPolicy.RetryBackOff" }

            static let layout = Layout<Self> { field in
                field.message(1, \.baseInterval)
                field.message(2, \.maxInterval)
            }
        }

        var retryOn = ""
        var numRetries: Google.Protobuf.UInt32Value?
        var retryBackOff: Envoy.Routes.RetryPolicy.RetryBackOff?

        static var messageName: String { "envoy.config.route.v3.RetryPolicy" }

        static let layout = Layout<Self> { field in
            field.string(1, \.retryOn)
            field.message(2, \.numRetries)
            field.message(8, \.retryBackOff)
        }
    }

    /// Another configuration of a filter.
    struct FilterConfig: DropsUnknownFields {
        var config: Google.Protobuf.AnyMessage?
        var isOptional = false
        var disabled = false

        static var messageName: String { "envoy.config.route.v3.FilterConfig" }

        static let layout = Layout<Self> { field in
            field.message(1, \.config)
            field.bool(2, \.isOptional)
            field.bool(3, \.disabled)
        }
    }

    /// An extension that chooses clusters.
    struct ClusterSpecifierPlugin: DropsUnknownFields {
        var plugin: Envoy.Core.TypedExtensionConfig?
        var isOptional = false

        static var messageName: String { "envoy.config.route.v3.ClusterSpecifierPlugin" }

        static let layout = Layout<Self> { field in
            field.message(1, \.plugin)
            field.bool(2, \.isOptional)
        }
    }

    /// The action of a route of a server.
    struct NonForwardingAction: DropsUnknownFields {
        static var messageName: String { "envoy.config.route.v3.NonForwardingAction" }

        static let layout = Layout<Self> { _ in }
    }
}
