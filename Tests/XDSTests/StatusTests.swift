import SwiftletCore
import SwiftletMessages
import SwiftletTransport
import Testing

@testable import SwiftletXDS

@Suite("The status of a target")
struct StatusTests {
    private static let bad = Sample.cluster("a") { $0.lbPolicy = .maglev }

    /// A client that watches a cluster, and has sent its request.
    private static func plane(features: [String] = []) throws -> VirtualControlPlane {
        var plane = try VirtualControlPlane(features: [features])
        plane.watch(1, .cluster, "a")
        plane.open()
        return plane
    }

    @Test("has the version, the bytes and the time of an accepted resource")
    func accepted() throws {
        var plane = try Self.plane()
        #expect(plane.statusLines == ["a REQUESTED v"])
        #expect(plane.status.resources.first?.lastUpdate == nil)
        plane.advance(by: .seconds(2))
        plane.respond(.cluster, "7", [Sample.cluster("a")])
        #expect(plane.statusLines == ["a ACKED v7"])
        let resource = try #require(plane.status.resources.first)
        #expect(resource.type == "envoy.config.cluster.v3.Cluster")
        #expect(resource.bytes == Sample.any(Sample.cluster("a")).value)
        #expect(resource.lastUpdate == VirtualControlPlane.start + .seconds(2))
        #expect(resource.error == nil)
    }

    @Test("has the newest version of a resource that is sent again")
    func again() throws {
        var plane = try Self.plane()
        plane.respond(.cluster, "1", [Sample.cluster("a")])
        plane.advance(by: .seconds(3))
        plane.respond(.cluster, "2", [Sample.cluster("a")])
        #expect(plane.statusLines == ["a ACKED v2"])
        #expect(
            plane.status.resources.first?.lastUpdate == VirtualControlPlane.start + .seconds(3))
    }

    @Test("has the version in use beside the refused one, and its time")
    func refused() throws {
        var plane = try Self.plane()
        plane.respond(.cluster, "1", [Sample.cluster("a")])
        plane.advance(by: .seconds(5))
        plane.respond(.cluster, "2", [Self.bad])
        #expect(
            plane.statusLines == [
                "a NACKED v1 error v2: is not valid: lb_policy: 'MAGLEV' is not supported"
            ])
        let resource = try #require(plane.status.resources.first)
        #expect(resource.error?.time == VirtualControlPlane.start + .seconds(5))
        #expect(resource.lastUpdate == VirtualControlPlane.start)
        #expect(!resource.bytes.isEmpty)
        plane.respond(.cluster, "3", [Sample.cluster("a")])
        #expect(plane.statusLines == ["a ACKED v3"])
    }

    @Test("has no version of a resource that was refused from the beginning, or dropped")
    func dropped() throws {
        var plane = try Self.plane(features: ["fail_on_data_errors"])
        plane.respond(.cluster, "1", [Self.bad])
        #expect(plane.statusLines.first?.hasPrefix("a NACKED v error v1: ") == true)
        plane.respond(.cluster, "2", [Sample.cluster("a")])
        plane.respond(.cluster, "3", [Self.bad])
        #expect(plane.statusLines.first?.hasPrefix("a NACKED v error v3: ") == true)
        #expect(plane.status.resources.first?.bytes == [])
        #expect(plane.status.resources.first?.lastUpdate == nil)
    }

    @Test("tells a missing resource from one that was deleted, and from one that is in use still")
    func absent() throws {
        var plane = try Self.plane()
        plane.advance(by: .seconds(15))
        #expect(plane.statusLines == ["a DOES_NOT_EXIST v error v: does not exist"])
        plane.respond(.cluster, "1", [Sample.cluster("a")])
        plane.respond(.cluster, "2", [])
        #expect(
            plane.statusLines == [
                "a DOES_NOT_EXIST v1 error v2: the control plane has deleted it"
            ])
        #expect(plane.texts(of: 1).last?.hasPrefix("stale: ") == true)
    }

    @Test("has the errors that the control plane sends, also for a resource that it does not have")
    func received() throws {
        for (code, name) in [(5, "NOT_FOUND"), (14, "UNAVAILABLE")] {
            var plane = try Self.plane()
            let error = Envoy.Discovery.ResourceError.with {
                $0.resourceName = .with { $0.name = "a" }
                $0.errorDetail = Google.RPC.Status(code: Int32(code), message: "no")
            }
            plane.respond(.cluster, "4", [], errors: [error])
            #expect(
                plane.statusLines == [
                    "a RECEIVED_ERROR v error v4: the control plane answers \(name): no"
                ])
        }
    }

    @Test("says so when the control plane is too slow, and asks on")
    func timeout() throws {
        var plane = try Self.plane(features: ["resource_timer_is_transient_error"])
        plane.advance(by: .seconds(30))
        #expect(
            plane.statusLines == [
                "a TIMEOUT v error v: the control plane s0 has not sent it within 30 s"
            ])
        plane.respond(.cluster, "1", [Sample.cluster("a")])
        #expect(plane.statusLines == ["a ACKED v1"])
    }

    @Test("has the control planes, and why one cannot be reached; resources keep their states")
    func servers() throws {
        var plane = try VirtualControlPlane()
        plane.watch(1, .cluster, "a")
        #expect(plane.status.servers.map(\.isConnected) == [false])
        plane.open()
        #expect(plane.status.servers.map(\.isConnected) == [true])
        #expect(plane.status.servers.map(\.uri) == ["s0"])
        plane.end()
        #expect(plane.status.servers.map(\.isConnected) == [false])
        #expect(
            plane.status.servers.map(\.error) == ["the control plane s0 cannot be reached: reset"])
        #expect(plane.statusLines == ["a REQUESTED v"])
    }

    @Test("lists resources in the order of their types and names, and none that is not needed")
    func order() throws {
        var plane = try VirtualControlPlane()
        plane.watch(1, .cluster, "b")
        plane.watch(2, .endpoints, "a")
        plane.watch(3, .listener, "l")
        plane.watch(4, .cluster, "a")
        #expect(plane.status.resources.map(\.name) == ["l", "a", "b", "a"])
        plane.unwatch(3)
        #expect(plane.status.resources.map(\.name) == ["a", "b", "a"])
    }

    @Test("has the form of CSDS")
    func message() throws {
        var plane = try Self.plane()
        plane.watch(2, .endpoints, "e")
        plane.respond(.cluster, "1", [Sample.cluster("a")])
        plane.respond(.cluster, "2", [Self.bad])
        let status = XDS.Status(targets: [plane.status])
        let response = try Envoy.Status.ClientStatusResponse(decoding: status.encoded())
        let config = try #require(response.config.first)
        #expect(config.clientScope == "xds:///test" && config.node?.id == "n1")
        let (cluster, endpoints) = (config.genericXDSConfigs[0], config.genericXDSConfigs[1])
        #expect(cluster.typeURL == "type.googleapis.com/envoy.config.cluster.v3.Cluster")
        #expect(
            cluster.name == "a" && cluster.versionInfo == "1" && cluster.clientStatus == .nacked)
        #expect(cluster.lastUpdated == .init(sinceEpoch: VirtualControlPlane.start))
        #expect(cluster.xdsConfig == Sample.any(Sample.cluster("a")))
        #expect(cluster.errorState?.versionInfo == "2")
        #expect(cluster.errorState?.lastUpdateAttempt == cluster.lastUpdated)
        #expect(cluster.errorState?.details.hasPrefix("is not valid: lb_policy") == true)
        #expect(endpoints.clientStatus == .requested && endpoints.name == "e")
        #expect(endpoints.xdsConfig == nil && endpoints.lastUpdated == nil)
        #expect(endpoints.errorState == nil)
    }
}

extension VirtualControlPlane {
    fileprivate var status: XDS.Status.Target { client.status(of: "xds:///test") }

    /// Each resource in a line: the name, the state, the version and the error.
    fileprivate var statusLines: [String] {
        status.resources.map { resource in
            "\(resource.name) \(resource.state.protocolName) v\(resource.version)"
                + (resource.error.map { " error v\($0.version): \($0.message)" } ?? "")
        }
    }
}
