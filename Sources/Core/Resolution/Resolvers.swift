import Synchronization

/// The schemes that targets may have, in addition to the built-in ones.
///
/// ```swift
/// try Resolvers.register("etcd") { target in EtcdResolver(target.path) }
/// let channel = try Channel("etcd:///shop/cart", credentials: .insecure)
/// ```
public enum Resolvers {
    /// Makes the resolver of a channel whose target has the scheme.
    public typealias Factory = @Sendable (_ target: Target) throws(RPCError) -> any Resolver

    /// Makes the resolver of a channel for a module of this package.
    package typealias ChannelFactory =
        @Sendable (_ channel: ResolverChannel) throws(RPCError) -> any Resolver

    private static let factories = Mutex<[String: ChannelFactory]>([:])

    /// Registers a scheme for all channels that are made afterwards. If a scheme is registered
    /// twice, the last registration is used. Schemes are compared without case.
    ///
    /// Throws INVALID_ARGUMENT if `scheme` is not a scheme (a letter, then letters, digits, `+`,
    /// `-` and `.`), if it is built in (`dns`, `ipv4`, `ipv6`, `unix`, `unix-abstract`, `vsock`),
    /// or if it has a meaning in other gRPC clients or in URLs (`xds`, `http`, `https`).
    public static func register(
        _ scheme: String, _ makeResolver: @escaping Factory
    ) throws(RPCError) {
        let name = scheme.lowercased()
        guard Target.isScheme(name) else {
            throw .refused(.invalidArgument, "not a scheme: '\(scheme)'")
        }
        guard !Target.builtInSchemes.contains(name) else {
            throw .refused(.invalidArgument, "the scheme '\(scheme)' is built in")
        }
        guard !Target.reservedSchemes.contains(name) else {
            throw .refused(
                .invalidArgument, "the scheme '\(scheme)' is reserved; choose another name")
        }
        register(forModule: name) { (channel) throws(RPCError) in
            try makeResolver(channel.target)
        }
    }

    /// Registers a scheme of a module of this package, in lower case. Also one that programs must not register.
    package static func register(
        forModule scheme: String, _ makeResolver: @escaping ChannelFactory
    ) {
        let old = factories.withLock { $0.updateValue(makeResolver, forKey: scheme) }
        // Released outside the lock.
        _ = old
    }

    static func factory(for scheme: String) -> ChannelFactory? {
        factories.withLock { $0[scheme] }
    }
}
