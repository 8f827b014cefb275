import SwiftletMessages

/// A checked listener.
struct Listener: Hashable, Sendable {
    enum Routes: Hashable, Sendable {
        case named(ResourceName)
        case inline(RouteConfiguration)
        /// None: the listener is one of servers.
        case ofServer
    }

    struct Filter: Hashable, Sendable {
        let name: ByteText
        let config: FilterConfig
        /// Whether the filter is off unless an override configures it.
        let isDisabled: Bool
    }

    let routes: Routes
    /// In the order in which a call passes them. The last one is the router.
    let filters: [Filter]
    /// The longest time of a call whose route has no limit; nil or zero for none.
    let maxDuration: Duration?
}

extension Listener {
    init?(
        _ message: Envoy.Listeners.Listener, _ context: ValidationContext,
        _ violations: inout Violations
    ) {
        let field: StaticString = "api_listener"
        guard let any = message.apiListener?.apiListener else {
            guard message.apiListener == nil, case .socketAddress? = message.address?.address else {
                violations.add(field, "is required, or the address of a listener of servers")
                return nil
            }
            self.init(routes: .ofServer, filters: [], maxDuration: nil)
            return
        }
        let type = Envoy.ConnectionManager.HttpConnectionManager.self
        guard let manager = violations.unpack(field, any, as: type) else { return nil }
        guard
            let listener = violations.within(field, nil, { Listener(manager, context, &$0) })
        else { return nil }
        self = listener
    }

    private init?(
        _ message: Envoy.ConnectionManager.HttpConnectionManager, _ context: ValidationContext,
        _ violations: inout Violations
    ) {
        if message.xffNumTrustedHops != 0 {
            violations.add("xff_num_trusted_hops", "is \(message.xffNumTrustedHops), not 0")
        }
        if !message.originalIpDetectionExtensions.isEmpty {
            violations.add("original_ip_detection_extensions", "is not supported")
        }
        maxDuration = violations.duration(
            "common_http_protocol_options.max_stream_duration",
            message.commonHTTPProtocolOptions?.maxStreamDuration)
        filters = Self.filters(message.httpFilters, &violations)
        switch message.routeSpecifier {
        case .rds(let rds)?:
            violations.checkSource("rds.config_source", rds.configSource)
            let name = violations.name(
                "rds.route_config_name", rds.routeConfigName, of: .routeConfiguration)
            guard let name else { return nil }
            routes = .named(name)
        case .routeConfig(let message)?:
            routes = .inline(
                violations.within("route_config") { RouteConfiguration(message, context, &$0) })
        case .scopedRoutes?, nil:
            violations.add("route_specifier", "must be 'rds' or 'route_config'")
            return nil
        }
    }

    private static func filters(
        _ messages: [Envoy.ConnectionManager.HttpFilter], _ violations: inout Violations
    ) -> [Filter] {
        var names: Set<ByteText> = []
        let filters = violations.each("http_filters", messages) { message, violations in
            let name = violations.nonempty("name", message.name)
            if !names.insert(name).inserted { violations.add("name", "'\(name)' is repeated") }
            return Self.filter(message, name, &violations)
        }
        let terminal = filters.firstIndex { $0.config == .router }
        if terminal == nil {
            violations.add("http_filters", "has no router")
        } else if terminal != filters.count - 1 {
            violations.add(
                "http_filters", "the router '\(filters[terminal ?? 0].name)' is not the last one")
        }
        return filters
    }

    /// Nil also, without a violation, for an unknown filter that is optional.
    private static func filter(
        _ message: Envoy.ConnectionManager.HttpFilter, _ name: ByteText,
        _ violations: inout Violations
    ) -> Filter? {
        guard case .typedConfig(let any)? = message.configType else {
            if !message.isOptional { violations.add("typed_config", "is required for '\(name)'") }
            return nil
        }
        var isKnown = false
        guard let config = ExtensionConfig("typed_config", any, &violations) else { return nil }
        guard let checked = FilterConfig(config, isKnown: &isKnown, &violations) else {
            if !isKnown, !message.isOptional {
                violations.add(
                    "typed_config",
                    "the type '\(config.typeName.prefix(200))' of '\(name)' is not known")
            }
            return nil
        }
        return Filter(name: name, config: checked, isDisabled: message.disabled)
    }
}
