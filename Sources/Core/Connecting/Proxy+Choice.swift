import SwiftletTransport

// Whether a target is reached through a proxy, and through which.

extension ProxyChoice {
    /// The proxy for a target; nil for none.
    ///
    /// - Parameter environment: The value of a variable; nil when it is not set.
    func proxy(
        for target: Target, environment: (String) -> String? = { Environment.value(of: $0) }
    ) throws(RPCError) -> ProxyServer? {
        guard target.canBeProxied else { return nil }
        switch self {
        case .none: return nil
        case .server(let server): return server
        case .environment:
            guard !target.isLocal, let (name, url) = Self.variable(in: environment) else {
                return nil
            }
            let exceptions = environment("no_grpc_proxy") ?? environment("no_proxy") ?? ""
            guard !ProxyExceptions(exceptions).contains(target.host) else { return nil }
            do throws(RPCError) {
                return try ProxyServer(url)
            } catch {
                throw .refused(
                    .invalidArgument, "the environment variable \(name): \(error.message)")
            }
        }
    }
}

extension ProxyChoice {
    /// The variable that names the proxy. An empty one counts as not set.
    private static func variable(in environment: (String) -> String?) -> (String, String)? {
        for name in ["grpc_proxy", "https_proxy", "http_proxy", "all_proxy"] {
            if let url = environment(name), !url.isEmpty { return (name, url) }
        }
        return nil
    }
}

extension Target {
    /// The host and port of the one server; nil for several addresses, and where no proxy can reach it.
    var destination: (host: String, port: UInt16)? {
        switch resolution {
        case .name(let host, let port): (host, port)
        case .addresses(let all): all.count > 1 ? nil : all[0].port.map { (host, $0) }
        case .registered: nil
        }
    }

    fileprivate var canBeProxied: Bool {
        if case .addresses(let all) = resolution, all.count > 1 { true } else { destination != nil }
    }
}
