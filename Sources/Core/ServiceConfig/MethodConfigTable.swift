/// Finds the entry of a service config for a method. Made once for each config. A look-up allocates no
/// memory.
struct MethodConfigTable: Sendable {
    private let entries: [CallRules]
    /// Indices in `entries`, by the path without its first slash: `package.Service/Method`.
    private var methods: [Substring: Int] = [:]
    private var services: [Substring: Int] = [:]
    private var fallback: Int?

    /// If two entries have the same name, the first one is used.
    init(_ configs: [MethodConfig], _ throttle: RetryThrottle? = nil) {
        entries = configs.map { CallRules($0, throttle: throttle) }
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

    /// The most specific entry for the method with this path, `/package.Service/Method`; nil when there
    /// is none.
    func rules(for path: String) -> CallRules? {
        guard !entries.isEmpty else { return nil }
        let name = path.utf8.first == UInt8(ascii: "/") ? path.dropFirst() : path[...]
        if let index = methods[name] { return entries[index] }
        if let slash = name.utf8.lastIndex(of: UInt8(ascii: "/")),
            let index = services[name[..<slash]]
        {
            return entries[index]
        }
        return fallback.map { entries[$0] }
    }
}
