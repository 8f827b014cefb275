import SwiftletCore
import SwiftletMessages
import SwiftletTransport
import SwiftletWellKnown

extension RouteConfiguration {
    init(
        _ message: Envoy.Routes.RouteConfiguration, _ context: ValidationContext,
        _ violations: inout Violations
    ) {
        let plugins = SpecifierPlugins(message.clusterSpecifierPlugins, &violations)
        virtualHosts = violations.each("virtual_hosts", message.virtualHosts) { host, violations in
            VirtualHost(host, plugins, context, &violations)
        }
    }
}

/// The extensions that choose clusters. This client has none, so routes that name one are left out, if they may be.
struct SpecifierPlugins {
    private var names: Set<ByteText> = []

    fileprivate init(
        _ plugins: [Envoy.Routes.ClusterSpecifierPlugin], _ violations: inout Violations
    ) {
        for (index, plugin) in plugins.enumerated() {
            violations.within("cluster_specifier_plugins", index) { violations in
                let name = violations.nonempty("extension.name", plugin.plugin?.name ?? "")
                if !names.insert(name).inserted {
                    violations.add("extension.name", "'\(name)' is repeated")
                }
                if !plugin.isOptional {
                    let type = plugin.plugin?.typedConfig?.typeURL ?? ""
                    violations.add("extension.typed_config", "the type '\(type)' is not known")
                }
            }
        }
    }

    func contains(_ name: String) -> Bool { names.contains(ByteText(name)) }
}

extension VirtualHost {
    fileprivate init(
        _ message: Envoy.Routes.VirtualHost, _ plugins: SpecifierPlugins,
        _ context: ValidationContext, _ violations: inout Violations
    ) {
        if message.domains.isEmpty { violations.add("domains", "is empty") }
        domains = violations.each("domains", message.domains) { text, violations in
            let domain = Domain(text)
            if domain == nil {
                violations.add(nil, "'\(text.prefix(80))' is no pattern of a domain")
            }
            return domain
        }
        filterOverrides = FilterOverride.all(message.typedPerFilterConfig, &violations)
        let retry = violations.within("retry_policy") { violations in
            message.retryPolicy.flatMap { RetryPolicy($0, &violations) }
        }
        routes = violations.each("routes", message.routes) { route, violations in
            Route(route, plugins, hostRetry: retry, context, &violations)
        }
    }
}

extension Route {
    /// Nil also, without a violation, for a route that is left out.
    fileprivate init?(
        _ message: Envoy.Routes.Route, _ plugins: SpecifierPlugins, hostRetry: RetryPolicy?,
        _ context: ValidationContext, _ violations: inout Violations
    ) {
        guard let match = message.match else {
            violations.add("match", "is required")
            return nil
        }
        guard match.queryParameters.isEmpty else { return nil }
        guard let match = violations.within("match", nil, { Match(match, &$0) }) else { return nil }
        var action = Action.other
        if case .route(let forwarding)? = message.action {
            let checked = violations.within("route") { violations in
                Forwarding(forwarding, plugins, hostRetry: hostRetry, context, &violations)
            }
            guard let checked else { return nil }
            action = .forward(checked)
        }
        self.init(
            match: match, action: action,
            filterOverrides: FilterOverride.all(message.typedPerFilterConfig, &violations))
    }
}

extension Route.Match {
    fileprivate init?(_ message: Envoy.Routes.RouteMatch, _ violations: inout Violations) {
        let ignoresCase = message.caseSensitive.map { !$0.value } ?? false
        let path: TextMatcher.Pattern?
        switch message.pathSpecifier {
        case .prefix(let text)?:
            path = .prefix(TextMatcher.bytes(text, ignoringCase: ignoresCase))
        case .path(let text)?: path = .exact(TextMatcher.bytes(text, ignoringCase: ignoresCase))
        case .safeRegex(let message)?:
            path = violations.regex("safe_regex", message).map { .regex($0) }
        case nil:
            violations.add("path_specifier", "is required: prefix, path or safe_regex")
            path = nil
        }
        let headers = violations.each("headers", message.headers) { HeaderMatcher($0, &$1) }
        let millionths = message.runtimeFraction?.defaultValue
            .map { violations.millionths("runtime_fraction", $0) }
        guard let path else { return nil }
        self.init(
            path: TextMatcher(pattern: path, ignoresCase: ignoresCase), headers: headers,
            millionths: millionths)
    }
}

// MARK: - Actions

extension Forwarding {
    /// Nil also, without a violation, if the route is left out.
    fileprivate init?(
        _ message: Envoy.Routes.RouteAction, _ plugins: SpecifierPlugins,
        hostRetry: RetryPolicy?, _ context: ValidationContext, _ violations: inout Violations
    ) {
        let destination: Destination
        switch message.clusterSpecifier {
        case .cluster(let name)?:
            destination = .cluster(violations.nonempty("cluster", name))
        case .weightedClusters(let message)?:
            destination = .weighted(
                violations.within("weighted_clusters") { Self.clusters(message, &$0) })
        case .clusterSpecifierPlugin(let name)?:
            if !plugins.contains(name) {
                violations.add("cluster_specifier_plugin", "'\(name.prefix(80))' is not listed")
            }
            return nil
        case nil: return nil
        }
        maxDuration = violations.within("max_stream_duration") { violations in
            let limits = message.maxStreamDuration
            let header = violations.duration(
                "grpc_timeout_header_max", limits?.grpcTimeoutHeaderMax)
            let stream = violations.duration("max_stream_duration", limits?.maxStreamDuration)
            return header ?? stream
        }
        let own = violations.within("retry_policy") { violations in
            message.retryPolicy.map { RetryPolicy($0, &violations) }
        }
        retry = own ?? hostRetry
        hashPolicies = violations.each("hash_policy", message.hashPolicy) { HashPolicy($0, &$1) }
        rewritesAuthority =
            context.features.contains(.trusted)
            && message.hostRewriteSpecifier == .autoHostRewrite(.init(true))
        self.destination = destination
    }

    private static func clusters(
        _ message: Envoy.Routes.WeightedCluster, _ violations: inout Violations
    ) -> [WeightedCluster] {
        var sum: UInt64 = 0
        let clusters = violations.each("clusters", message.clusters) { cluster, violations in
            let weight = cluster.weight?.value ?? 0
            guard weight > 0 else { return nil as WeightedCluster? }
            sum += UInt64(weight)
            return WeightedCluster(
                name: violations.nonempty("name", cluster.name), weight: weight,
                filterOverrides: FilterOverride.all(cluster.typedPerFilterConfig, &violations))
        }
        if clusters.isEmpty { violations.add("clusters", "none has a weight above 0") }
        if sum > UInt64(UInt32.max) {
            violations.add("clusters", "the sum of the weights, \(sum), is above \(UInt32.max)")
        }
        return clusters
    }
}

extension HashPolicy {
    /// Nil also, without a violation, for a source that clients do not have.
    fileprivate init?(
        _ message: Envoy.Routes.RouteAction.HashPolicy, _ violations: inout Violations
    ) {
        let source: Source
        switch message.policySpecifier {
        case .header(let header)?:
            let rewrite = violations.within("header") { violations in
                Self.rewrite(header.regexRewrite, &violations)
            }
            let name = violations.nonempty("header.header_name", header.headerName)
            source = .header(
                name: ByteText(
                    String(decoding: name.string.utf8.map(TextMatcher.lowercased), as: UTF8.self)),
                rewrite: rewrite)
        case .filterState(let state)?:
            guard state.key.hasBytes(of: "io.grpc.channel_id") else { return nil }
            source = .channelID
        case nil: return nil
        }
        self.init(source: source, isTerminal: message.terminal)
    }

    private static func rewrite(
        _ message: Envoy.Matcher.RegexMatchAndSubstitute?, _ violations: inout Violations
    ) -> RegexRewrite? {
        guard let message else { return nil }
        guard let pattern = message.pattern else {
            violations.add("regex_rewrite.pattern", "is required")
            return nil
        }
        guard let expression = violations.regex("regex_rewrite.pattern", pattern) else {
            return nil
        }
        do throws(RegexError) {
            return try RegexRewrite(expression, substitution: message.substitution)
        } catch {
            violations.add("regex_rewrite.substitution", error.message)
            return nil
        }
    }
}

extension RetryPolicy {
    /// Nil also, without a violation, if no code of a client is listed: calls are then not sent again.
    fileprivate init?(_ message: Envoy.Routes.RetryPolicy, _ violations: inout Violations) {
        let retries = message.numRetries?.value ?? 1
        if retries < 1 { violations.add("num_retries", "\(retries) is below 1") }
        var codes: Set<StatusCode> = []
        for word in message.retryOn.utf8.split(separator: UInt8(ascii: ",")) {
            if let code = Self.code(word) { codes.insert(code) }
        }
        self.init(maxAttempts: Int(min(UInt64(retries) + 1, 5)), retryableCodes: codes)
        initialBackoff = .milliseconds(25)
        maxBackoff = .milliseconds(250)
        backoffMultiplier = 2
        if let backoff = message.retryBackOff {
            violations.within("retry_back_off") { setBackoff(backoff, &$0) }
        }
        if codes.isEmpty { return nil }
    }

    private mutating func setBackoff(
        _ message: Envoy.Routes.RetryPolicy.RetryBackOff, _ violations: inout Violations
    ) {
        guard message.baseInterval != nil else {
            return violations.add("base_interval", "is required")
        }
        guard let base = violations.duration("base_interval", message.baseInterval) else { return }
        let max = violations.duration("max_interval", message.maxInterval)
        if base <= .zero { violations.add("base_interval", "\(base) is not above zero") }
        if let max, max <= .zero || max < base {
            violations.add("max_interval", "\(max) is not above zero and at least \(base)")
        }
        let shortest = Duration.milliseconds(1)
        initialBackoff = Swift.max(base, shortest)
        maxBackoff = Swift.max(max ?? base * 10, shortest)
    }

    private static func code(_ word: Substring.UTF8View) -> StatusCode? {
        var word = word
        while word.first == 0x20 { word.removeFirst() }
        while word.last == 0x20 { word.removeLast() }
        let codes: [(StaticString, StatusCode)] = [
            ("cancelled", .cancelled), ("deadline-exceeded", .deadlineExceeded),
            ("internal", .internal), ("resource-exhausted", .resourceExhausted),
            ("unavailable", .unavailable),
        ]
        let bytes = ContiguousArray(word)
        return codes.first { bytes.span.equals($0.0) }?.1
    }
}
