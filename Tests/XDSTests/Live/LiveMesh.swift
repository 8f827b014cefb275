import Swiftlet
import SwiftletCore
import SwiftletLoopback
import SwiftletMessages
import SwiftletWellKnown
import Synchronization

@testable import SwiftletXDS

/// Servers, their control plane, and channels that are configured by it.
final class LiveMesh: Sendable {
    static let ask = Method<[UInt8], [UInt8]>("/t.T/Ask", .unary, request: .bytes, reply: .bytes)
    static let talk = Method<[UInt8], [UInt8]>(
        "/t.T/Talk", .bidirectional, request: .bytes, reply: .bytes)

    let plane: LiveControlPlane
    private let scheme: String
    /// They end with the mesh.
    private let servers = Mutex<[LoopbackServer]>([])

    /// - Parameter scheme: Used by no other test.
    init(_ scheme: String, bootstrap: XDS.Bootstrap? = nil) throws {
        plane = try LiveControlPlane()
        self.scheme = scheme
        let bootstrap = try bootstrap ?? plane.bootstrap
        Resolvers.register(forModule: scheme) { (channel) throws(RPCError) in
            try MeshResolver(channel, bootstrap: bootstrap)
        }
    }

    func channel(_ arguments: ChannelArguments = ChannelArguments()) throws -> Channel {
        try Channel("\(scheme):///svc", credentials: .insecure, arguments: arguments)
    }

    /// Starts a server that answers with its number.
    func server(_ number: UInt8) throws -> LoopbackServer {
        let server = try LoopbackServer { server in
            server.unary(Self.ask) { _, _ in [number] }
            server.bidirectional(Self.talk) { requests, replies, _ in
                for try await _ in requests { try await replies.write([number]) }
            }
        }
        servers.withLock { $0.append(server) }
        return server
    }

    /// A listener `svc` whose routes go to the clusters, by their weights.
    func route(to weights: [String: UInt32]) {
        plane.set(.listener, ["svc": Sample.listener("svc")])
        let route = Sample.action { action in
            action.clusterSpecifier = .weightedClusters(
                .with { message in
                    message.clusters = weights.map { name, weight in
                        .with {
                            $0.name = name
                            $0.weight = .init(weight)
                        }
                    }
                })
        }
        plane.set(.routeConfiguration, ["routes": Sample.routes("routes", [route])])
    }

    /// A cluster with its servers.
    func cluster(_ name: String, _ servers: [LoopbackServer]) throws {
        plane.set(.endpoints, [name: try Self.endpoints(name, servers)])
        plane.set(.cluster, [name: Sample.cluster(name)])
    }

    static func endpoints(
        _ name: String, _ servers: [LoopbackServer]
    ) throws -> Envoy.Endpoints.ClusterLoadAssignment {
        Sample.endpoints(
            name,
            [
                Sample.locality(
                    "z",
                    try servers.map { server in
                        guard let port = UInt32(server.target.split(separator: ":").last ?? "")
                        else { throw RPCError(.internal, "the server has no port") }
                        return Sample.endpoint("127.0.0.1", port)
                    })
            ])
    }
}

/// Waits until `condition` is true. The test's time limit ends a wait that is too long.
func eventually(_ condition: () async throws -> Bool) async throws {
    while try await !condition() { try await Task.sleep(for: .milliseconds(2)) }
}
