public import SwiftletCore

extension ChannelCredentials {
    /// TLS as the control plane demands for each cluster (A29): certificates, authorities and names.
    ///
    /// ```swift
    /// let channel = try Channel("xds:///payments.prod", credentials: .xds(fallback: .tls()))
    /// ```
    ///
    /// The certificates are those of the bootstrap's `certificate_providers`, which are read again when the files
    /// change. A connection whose certificates are missing or not valid fails, and is never made without TLS.
    ///
    /// - Parameter fallback: Secures the connections to clusters for which the control plane has no settings of
    ///   TLS, and all connections of a target with another scheme. There is no default: `.insecure` means that
    ///   such a cluster's calls are sent unencrypted.
    public static func xds(fallback: ChannelCredentials) -> ChannelCredentials {
        decidedByEndpoints(fallback: fallback)
    }
}
