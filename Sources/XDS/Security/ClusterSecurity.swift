import SwiftletCore

/// The security of the endpoints of one cluster. An endpoint keeps its connections as long as the settings, and the name
/// that is sent to it, are the same.
struct ClusterSecurity: Sendable {
    struct Entry: Sendable {
        weak var security: EndpointSecurity?
    }

    private let providers: [ByteText: XDS.Bootstrap.FileWatcher]
    private var settings: UpstreamTLS?
    private var sessions: UpstreamSessions?
    /// By the name that is sent; empty for none. The balancers hold the securities of their endpoints. Some hold those
    /// of endpoints that are gone, whose connections are used again if the endpoints come back.
    private(set) var securities: [ByteText: Entry] = [:]

    /// - Parameter providers: The certificate providers of the bootstrap.
    init(_ providers: [ByteText: XDS.Bootstrap.FileWatcher]) { self.providers = providers }
}

extension ClusterSecurity {
    /// Begins an update: uses the settings of a cluster from now on, and forgets the names that no balancer uses.
    mutating func use(_ settings: UpstreamTLS?) {
        guard settings != self.settings else {
            securities = securities.filter { $0.value.security != nil }
            return
        }
        self.settings = settings
        securities = [:]
        sessions = settings.map { UpstreamSessions($0, providers) }
    }

    /// The security of an endpoint; nil if the cluster has no settings.
    mutating func security(of endpoint: Endpoints.Endpoint) -> EndpointSecurity? {
        guard let settings, let sessions else { return nil }
        let name = settings.sentName(to: endpoint)
        if let security = securities[name]?.security { return security }
        let names = CertificateNames(settings, sentName: name.isEmpty ? nil : name)
        let security = EndpointSecurity(
            sessions, indicating: name.isEmpty ? nil : name.string,
            checkingNames: { names.refusal(of: $0) })
        securities[name] = Entry(security: security)
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
