import SwiftletCore

/// The clients of the process, one for each target and bootstrap (A71).
enum MeshClients {
    private struct Key: Hashable {
        let target: String
        let bootstrap: XDS.Bootstrap
    }

    private static let table = WeakTable<Key, MeshClient>()

    static var all: [MeshClient] { table.objects }

    /// The client of a target. Made if no channel to the target uses one.
    ///
    /// - Parameter meter: That of the channel. A client that is made uses it.
    static func client(
        of target: String, _ bootstrap: XDS.Bootstrap, _ meter: (any ChannelMeter)?
    ) throws(RPCError) -> MeshClient {
        try table.object(for: Key(target: target, bootstrap: bootstrap)) { () throws(RPCError) in
            try MeshClient(of: target, bootstrap, meter)
        }
    }
}
