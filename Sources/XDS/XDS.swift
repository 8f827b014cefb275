import SwiftletCore
import Synchronization

/// Targets `xds:///NAME`, whose servers and routes come from a control plane.
///
/// ```swift
/// XDS.enable()
/// let channel = try Channel("xds:///payments.prod", credentials: .insecure)
/// ```
public enum XDS {
    /// The bootstrap that the program has chosen, and that of the environment, when it was read.
    private static let bootstraps = Mutex<(chosen: Bootstrap?, ofEnvironment: Bootstrap?)>(
        (nil, nil))

    /// Lets channels have targets of the form `xds:///NAME`. Call it before the first one is made.
    ///
    /// - Parameter bootstrap: The control planes. Nil, the default, reads the file that the variable
    ///   `GRPC_XDS_BOOTSTRAP` names, or else the text of `GRPC_XDS_BOOTSTRAP_CONFIG`, when the first such channel
    ///   connects. Calls fail with UNAVAILABLE, and the reason, if there is none or if it is not valid.
    ///
    /// A later call sets the bootstrap of channels that connect afterwards.
    public static func enable(_ bootstrap: Bootstrap? = nil) {
        bootstraps.withLock { $0.chosen = bootstrap }
        Resolvers.register(forModule: "xds") { (channel) throws(RPCError) in
            try MeshResolver(channel, bootstrap: currentBootstrap())
        }
    }

    static func currentBootstrap() throws(RPCError) -> Bootstrap {
        if let bootstrap = bootstraps.withLock({ $0.chosen ?? $0.ofEnvironment }) {
            return bootstrap
        }
        let bootstrap: Bootstrap
        do throws(RPCError) {
            bootstrap = try Bootstrap.ofEnvironment()
        } catch {
            // Not the program's mistake at this call: it may be corrected while the program runs.
            throw .noConnection("xds: \(error.message)")
        }
        bootstraps.withLock { $0.ofEnvironment = bootstrap }
        return bootstrap
    }
}
