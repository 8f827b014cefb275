/// An entry of a service config, or what a selector sets in its place. Calls share it, because it is large to copy.
package final class MethodSettings: Sendable {
    package let config: MethodConfig
    /// Nil for most entries.
    let retry: RetryPolicy?
    /// Makes the call of an ``AttemptPolicy``; nil for most entries. A function, because each call copies it, which
    /// costs more for a policy.
    let makeOther: (@Sendable (consuming NewCall, AttemptMaker) -> any CallRequests)?

    package init(_ config: MethodConfig) {
        self.config = config
        switch config.attempts {
        case .retry(let policy): (retry, makeOther) = (policy, nil)
        case .other(let policy): (retry, makeOther) = (nil, { policy.makeCall($0, $1) })
        case nil: (retry, makeOther) = (nil, nil)
        }
    }
}

/// Finds the entry of a service config for a method. Made once for each config. A look-up allocates no
/// memory.
struct MethodConfigTable: Sendable {
    private let configs: [MethodSettings]
    /// Indices in `configs`, by the path without its first slash: `package.Service/Method`.
    private var methods: [Substring: Int] = [:]
    private var services: [Substring: Int] = [:]
    private var fallback: Int?

    /// If two entries have the same name, the first one is used.
    init(_ configs: [MethodConfig]) {
        self.configs = configs.map { MethodSettings($0) }
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
    func settings(for path: String) -> MethodSettings? {
        guard !configs.isEmpty else { return nil }
        let name = path.utf8.first == UInt8(ascii: "/") ? path.dropFirst() : path[...]
        if let index = methods[name] { return configs[index] }
        if let slash = name.utf8.lastIndex(of: UInt8(ascii: "/")),
            let index = services[name[..<slash]]
        {
            return configs[index]
        }
        return fallback.map { configs[$0] }
    }
}
