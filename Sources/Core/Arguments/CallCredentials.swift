/// Authenticates the caller with metadata of each call, such as ``BearerToken``.
public protocol CallCredentials: Sendable {
    /// The metadata to send with a call. If it throws, the call fails with that error. A code that only a server's
    /// application may use, such as NOT_FOUND, becomes INTERNAL, and the message names the original (proposal A54).
    func metadata(for call: CallDescription) async throws(RPCError) -> Metadata

    /// The same metadata, if it is available without waiting. Then the call needs no task. If the
    /// result is nil, which is the default, the call uses ``metadata(for:)``.
    func cachedMetadata(for call: CallDescription) -> Metadata?

    /// Whether the metadata may be sent on a connection that is not encrypted. If not, which is the
    /// default, a call on such a connection fails with UNAUTHENTICATED.
    var allowsInsecureConnections: Bool { get }
}

/// The credentials of a channel's default options, combined with those of a call.
struct CombinedCredentials: CallCredentials {
    private let defaults: any CallCredentials
    private let own: any CallCredentials

    static func of(
        _ defaults: (any CallCredentials)?, and own: (any CallCredentials)?
    ) -> (any CallCredentials)? {
        guard let defaults, let own else { return own ?? defaults }
        return CombinedCredentials(defaults: defaults, own: own)
    }

    func metadata(for call: CallDescription) async throws(RPCError) -> Metadata {
        let base = try await defaults.metadata(for: call)
        return Self.merge(base, try await own.metadata(for: call))
    }

    func cachedMetadata(for call: CallDescription) -> Metadata? {
        guard let base = defaults.cachedMetadata(for: call),
            let own = own.cachedMetadata(for: call)
        else { return nil }
        return Self.merge(base, own)
    }

    var allowsInsecureConnections: Bool {
        defaults.allowsInsecureConnections && own.allowsInsecureConnections
    }

    private static func merge(_ base: Metadata, _ own: Metadata) -> Metadata {
        var merged = base
        for name in Set(own.map(\.name)) { merged.removeAll(name) }
        merged.append(contentsOf: own)
        return merged
    }
}

extension CallCredentials {
    public func cachedMetadata(for call: CallDescription) -> Metadata? { nil }
    public var allowsInsecureConnections: Bool { false }
}

extension CallOptions {
    /// Adds the metadata of call credentials, and notes if it must not be sent on some of the channel's connections.
    package mutating func add(
        _ metadata: Metadata, of credentials: any CallCredentials, for call: CallDescription
    ) {
        self.metadata.append(contentsOf: metadata)
        if call.encryption == .byEndpoint, !credentials.allowsInsecureConnections {
            needsEncryption = true
        }
    }
}
