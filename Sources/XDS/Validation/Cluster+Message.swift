import SwiftletBalancing
import SwiftletMessages
import SwiftletWellKnown

extension Cluster {
    init?(
        _ message: Envoy.Clusters.Cluster, _ name: ResourceName, _ context: ValidationContext,
        _ violations: inout Violations
    ) {
        let discovery = Self.discovery(message, name, &violations)
        let policy: ClusterPolicy? =
            // An aggregate cluster has no use for its own: the clusters below it have theirs (A75).
            if case .aggregate? = discovery { .roundRobin } else {
                ClusterPolicy(message, context, &violations)
            }
        outliers = violations.within("outlier_detection") { violations in
            message.outlierDetection.map { Outliers($0, &violations) }
        }
        let thresholds = message.circuitBreakers?.thresholds.first { $0.priority == .default }
        maxRequests = thresholds?.maxRequests?.value ?? 1_024
        loadServer = Self.loadServer(message.lrsServer, context, &violations)
        reportedMetrics = ReportedMetrics(message.lrsReportEndpointMetrics)
        sessionStates = Self.sessionStates(message.commonLBConfig?.overrideHostStatus)
        idleTimeout = Self.idleTimeout(message.upstreamConfig, &violations) ?? .seconds(3_600)
        if !message.transportSocketMatches.isEmpty {
            violations.add("transport_socket_matches", "is not supported")
        }
        (tls, usesProxies) = violations.within("transport_socket") { violations in
            UpstreamTLS.ofSocket(message.transportSocket, context, &violations)
        }
        guard let discovery, let policy else { return nil }
        self.discovery = discovery
        let isEndpoints = if case .endpoints = discovery { true } else { false }
        serviceName = ByteText(isEndpoints ? message.edsClusterConfig?.serviceName ?? "" : "")
        self.policy = policy
    }

    private static func loadServer(
        _ source: Envoy.Core.ConfigSource?, _ context: ValidationContext,
        _ violations: inout Violations
    ) -> XDS.Bootstrap.Server? {
        guard let source else { return nil }
        if case .selfSource? = source.configSourceSpecifier { return context.server }
        violations.add("lrs_server", "must be 'self'")
        return nil
    }

    private static func sessionStates(_ set: Envoy.Core.HealthStatusSet?) -> EndpointStates {
        guard let set else { return [.unknown, .healthy] }
        var states: EndpointStates = []
        for status in set.statuses {
            if status == .unknown { states.insert(.unknown) }
            if status == .healthy { states.insert(.healthy) }
            if status == .draining { states.insert(.draining) }
        }
        return states
    }

    private static func idleTimeout(
        _ config: Envoy.Core.TypedExtensionConfig?, _ violations: inout Violations
    ) -> Duration? {
        guard let config else { return nil }
        let field: StaticString = "upstream_config.typed_config"
        let type = Envoy.Upstreams.HttpProtocolOptions.self
        let options = violations.unpack(field, config.typedConfig, as: type)
        return violations.duration(
            "upstream_config.typed_config.common_http_protocol_options.idle_timeout",
            options?.commonHTTPProtocolOptions?.idleTimeout)
    }
}

// MARK: - Discovery

extension Cluster {
    private static func discovery(
        _ message: Envoy.Clusters.Cluster, _ name: ResourceName, _ violations: inout Violations
    ) -> Discovery? {
        switch message.clusterDiscoveryType {
        case .clusterType(let custom)?: return aggregate(custom, &violations)
        case .type(.eds)?: return endpoints(message.edsClusterConfig, name, &violations)
        case .type(.logicalDns)?:
            return violations.within("load_assignment") { dns(message.loadAssignment, &$0) }
        case .type(let type)?:
            violations.add("type", "'\(type)' is not supported")
            return nil
        case nil:
            violations.add("type", "'STATIC' is not supported")
            return nil
        }
    }

    private static func endpoints(
        _ config: Envoy.Clusters.Cluster.EdsClusterConfig?, _ name: ResourceName,
        _ violations: inout Violations
    ) -> Discovery? {
        violations.checkSource("eds_cluster_config.eds_config", config?.edsConfig)
        let field: StaticString = "eds_cluster_config.service_name"
        guard let service = config?.serviceName, !service.isEmpty else {
            guard name.authority == nil else {
                violations.add(
                    field, "is required, because the cluster's name begins with 'xdstp:'")
                return nil
            }
            return ResourceName(name.text.string, of: .endpoints).map { .endpoints($0) }
        }
        return violations.name(field, service, of: .endpoints).map { .endpoints($0) }
    }

    private static func dns(
        _ assignment: Envoy.Endpoints.ClusterLoadAssignment?, _ violations: inout Violations
    ) -> Discovery? {
        let localities = assignment?.endpoints ?? []
        guard localities.count == 1 else {
            violations.add("endpoints", "has \(localities.count) localities, not 1")
            return nil
        }
        let endpoints = localities[0].lbEndpoints
        guard endpoints.count == 1 else {
            violations.add("endpoints[0].lb_endpoints", "has \(endpoints.count) endpoints, not 1")
            return nil
        }
        let field: StaticString = "endpoints[0].lb_endpoints[0].endpoint.address.socket_address"
        guard case .endpoint(let endpoint)? = endpoints[0].hostIdentifier,
            case .socketAddress(let address)? = endpoint.address?.address
        else {
            violations.add(field, "is required")
            return nil
        }
        return violations.within(field) { violations in
            if !address.resolverName.isEmpty { violations.add("resolver_name", "is not supported") }
            let host = violations.nonempty("address", address.address)
            // The longest name of DNS.
            if !host.string.isVisibleASCII(upTo: 255) {
                violations.add("address", "'\(host)' is no host name")
            }
            guard case .portValue(let value)? = address.portSpecifier else {
                violations.add("port_value", "is required")
                return nil
            }
            guard let port = violations.number("port_value", value, in: 0...65_535) else {
                return nil
            }
            return .dns(host: host, port: UInt16(port))
        }
    }

    private static func aggregate(
        _ custom: Envoy.Clusters.Cluster.CustomClusterType, _ violations: inout Violations
    ) -> Discovery? {
        let type = Envoy.Aggregate.ClusterConfig.self
        let config = violations.unpack("cluster_type.typed_config", custom.typedConfig, as: type)
        guard let config else { return nil }
        if config.clusters.isEmpty {
            violations.add("cluster_type.typed_config.clusters", "is empty")
        }
        let names = violations.within("cluster_type.typed_config") { violations in
            violations.each("clusters", config.clusters) { text, violations in
                let name = ResourceName(text, of: .cluster)
                if name == nil {
                    violations.add(nil, "'\(text.prefix(200))' is not the name of a cluster")
                }
                return name
            }
        }
        return .aggregate(names)
    }
}

// MARK: - Outlier detection (A50)

extension Cluster.Outliers {
    fileprivate init(_ message: Envoy.Clusters.OutlierDetection, _ violations: inout Violations) {
        func percent(_ field: StaticString, _ value: UInt32?) -> Int? {
            value.flatMap { violations.number(field, $0, in: 0...100) }
        }
        func count(_ value: UInt32?) -> Int? { value.map { Int($0) } }
        interval = violations.duration("interval", message.interval) ?? interval
        baseEjectionTime =
            violations.duration("base_ejection_time", message.baseEjectionTime)
            ?? baseEjectionTime
        maxEjectionTime = violations.duration("max_ejection_time", message.maxEjectionTime)
        maxEjectionPercent =
            percent("max_ejection_percent", message.maxEjectionPercent?.value)
            ?? maxEjectionPercent
        var rate = OutlierDetection.SuccessRateEjection()
        rate.enforcementPercentage =
            percent("enforcing_success_rate", message.enforcingSuccessRate?.value)
            ?? rate.enforcementPercentage
        rate.minimumHosts =
            count(message.successRateMinimumHosts?.value) ?? rate.minimumHosts
        rate.requestVolume =
            count(message.successRateRequestVolume?.value) ?? rate.requestVolume
        rate.stdevFactor = count(message.successRateStdevFactor?.value) ?? rate.stdevFactor
        if rate.enforcementPercentage > 0 { successRate = rate }
        var failures = OutlierDetection.FailurePercentageEjection()
        failures.threshold =
            percent("failure_percentage_threshold", message.failurePercentageThreshold?.value)
            ?? failures.threshold
        failures.enforcementPercentage =
            percent("enforcing_failure_percentage", message.enforcingFailurePercentage?.value) ?? 0
        failures.minimumHosts =
            count(message.failurePercentageMinimumHosts?.value) ?? failures.minimumHosts
        failures.requestVolume =
            count(message.failurePercentageRequestVolume?.value) ?? failures.requestVolume
        if failures.enforcementPercentage > 0 { failurePercentage = failures }
    }
}
