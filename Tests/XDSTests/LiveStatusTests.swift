import Swiftlet
import SwiftletMessages
import Testing

@testable import SwiftletXDS

@Suite("The status of the program", .timeLimit(.minutes(5)))
struct LiveStatusTests {
    private static func status(of scheme: String) async -> [XDS.Status.Target] {
        await XDS.status.targets.filter { $0.target == "\(scheme):///svc" }
    }

    @Test("has the resources of each target that a channel uses, as they were received")
    func resources() async throws {
        let mesh = try LiveMesh("status-live")
        let server = try mesh.server(1)
        try mesh.cluster("a", [server])
        mesh.route(to: ["a": 1])
        let channel = try mesh.channel()
        #expect(await Self.status(of: "status-live").isEmpty)
        _ = try await channel.unary(LiveMesh.ask, [])
        let target = try #require(await Self.status(of: "status-live").first)
        #expect(target.resources.map(\.name) == ["svc", "routes", "a", "a"])
        #expect(target.resources.allSatisfy { $0.state.protocolName == "ACKED" })
        #expect(target.resources.allSatisfy { $0.error == nil && $0.lastUpdate != nil })
        #expect(target.resources[2].bytes == Sample.any(Sample.cluster("a")).value)
        #expect(target.servers.map(\.isConnected) == [true])
        #expect(target.servers.map(\.error) == [nil])
        await channel.close()
    }
}
