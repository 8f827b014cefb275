/// Finds the entry of a service config for a method. Made once for each config. A look-up allocates no
/// memory.
final class MethodConfigTable: ConfigSelector {
    private let entries: [CallRules]
    /// For methods without an entry, whose calls count for the throttle. Nil if there is none.
    private let others: CallRules?
    private let places: Places

    /// If two entries have the same name, the first one is used.
    init(_ configs: [MethodConfig], _ throttle: RetryThrottle? = nil) {
        entries = configs.map { CallRules($0, throttle: throttle) }
        others = throttle.map { CallRules(throttle: $0) }
        places = Places(configs)
    }

    /// - Parameter serverName: The server name, which selects the retry throttle.
    convenience init(_ config: ServiceConfig, _ serverName: String) {
        self.init(
            config.methods,
            config.retryThrottling.map { RetryThrottles.shared.throttle(for: serverName, $0) })
    }

    func select(for path: String, _ metadata: Metadata) -> CallSelection {
        CallSelection(rules(for: path))
    }

    /// The most specific entry for the method with this path, `/package.Service/Method`. Nil when there
    /// is none, and no throttle.
    func rules(for path: String) -> CallRules? {
        places.place(of: path).map { entries[$0] } ?? others
    }
}

/// The places of the entries of a service config, by their names.
private struct Places: Sendable {
    /// By the path without its first slash: `package.Service/Method`.
    private var methods: [Substring: Int] = [:]
    private var services: [Substring: Int] = [:]
    private var fallback: Int?

    init(_ configs: [MethodConfig]) {
        for (index, config) in configs.enumerated() {
            for name in config.names { add(name, index) }
        }
    }

    private mutating func add(_ name: MethodConfig.Name, _ index: Int) {
        switch name {
        case .all: fallback = fallback ?? index
        case .service(let service):
            let key = Substring(service)
            services[key] = services[key] ?? index
        case .method(let service, let method):
            let key = Substring("\(service)/\(method)")
            methods[key] = methods[key] ?? index
        }
    }

    /// That of the most specific entry for a method.
    func place(of path: String) -> Int? {
        if methods.isEmpty && services.isEmpty { return fallback }
        let hasSlash = path.utf8.first == UInt8(ascii: "/")
        let name = Substring(path.utf8.dropFirst(hasSlash ? 1 : 0))
        if let place = methods[name] { return place }
        if !services.isEmpty, let slash = name.utf8.lastIndex(of: UInt8(ascii: "/")),
            let place = services[name[..<slash]]
        {
            return place
        }
        return fallback
    }
}
