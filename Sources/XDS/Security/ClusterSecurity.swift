import SwiftletCore

/// The security of the endpoints of one cluster. An endpoint keeps its connections as long as the settings, and the name
/// that is sent to it, are the same.
struct ClusterSecurity: Sendable {
    private let providers: [ByteText: XDS.Bootstrap.FileWatcher]
    private var settings: UpstreamTLS?
    private var sessions: UpstreamSessions?
    /// By the name that is sent; empty for none.
    private var securities: [ByteText: EndpointSecurity] = [:]
    /// Those of the endpoints before the update, as far as none of the new endpoints has used them.
    private var former: [ByteText: EndpointSecurity] = [:]

    /// - Parameter providers: The certificate providers of the bootstrap.
    init(_ providers: [ByteText: XDS.Bootstrap.FileWatcher]) { self.providers = providers }
}

extension ClusterSecurity {
    /// Begins an update: uses the settings of a cluster from now on, and forgets the names of endpoints that are gone.
    mutating func use(_ settings: UpstreamTLS?) {
        former = settings == self.settings ? securities : [:]
        securities = [:]
        guard settings != self.settings else { return }
        self.settings = settings
        sessions = settings.map { UpstreamSessions($0, providers) }
    }

    /// The security of an endpoint; nil if the cluster has no settings.
    mutating func security(of endpoint: Endpoints.Endpoint) -> EndpointSecurity? {
        guard let settings, let sessions else { return nil }
        let name = settings.sentName(to: endpoint)
        if let security = securities[name] { return security }
        if let security = former.removeValue(forKey: name) {
            securities[name] = security
            return security
        }
        let names = CertificateNames(settings, sentName: name.isEmpty ? nil : name)
        let security = EndpointSecurity(
            sessions, indicating: name.isEmpty ? nil : name.string,
            checkingNames: { names.refusal(of: $0) })
        securities[name] = security
        return security
    }
}

extension UpstreamTLS {
    /// The name that is sent to an endpoint as SNI (A101); empty for none.
    fileprivate func sentName(to endpoint: Endpoints.Endpoint) -> ByteText {
        guard sendsHostName else { return sni }
        var host = endpoint.hostName.string.utf8[...]
        if let colon = host.lastIndex(of: UInt8(ascii: ":")),
            host[host.index(after: colon)...].allSatisfy({ 0x30...0x39 ~= $0 })
        {
            host = host[..<colon]
        }
        return host.isEmpty ? sni : ByteText(String(Substring(host)))
    }
}
