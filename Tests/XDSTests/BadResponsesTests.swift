import SwiftletCore
import SwiftletMessages
import SwiftletTransport
import SwiftletWellKnown
import Testing

@testable import SwiftletXDS

/// A control plane is a peer like any other: whatever it sends, the good configuration stays, and the work is bounded.
@Suite("A wrong response")
struct BadResponsesTests {
    /// A client that uses a good listener, version 1.
    private static func plane() throws -> VirtualControlPlane {
        var plane = try VirtualControlPlane()
        plane.watch(1, .listener, "l")
        plane.open()
        plane.respond(.listener, "1", [Sample.listener("l")])
        plane.finish()
        return plane
    }

    private static func response(
        _ type: ResourceType, _ resources: [Google.Protobuf.AnyMessage]
    ) -> [UInt8] {
        Envoy.Discovery.DiscoveryResponse.with {
            $0.versionInfo = "2"
            $0.nonce = "n2"
            $0.typeURL = type.typeURL
            $0.resources = resources
        }.encoded()
    }

    private static func wrapped(
        _ name: String, _ inner: Google.Protobuf.AnyMessage
    ) -> Google.Protobuf.AnyMessage {
        Sample.any(
            Envoy.Discovery.Resource.with {
                $0.name = name
                $0.resource = inner
            })
    }

    @Test("that is cut at any byte leaves the good resource in use")
    func cutResponse() throws {
        let whole = Self.response(.listener, [Sample.any(Sample.listener("l", routes: "other"))])
        for count in 0..<whole.count {
            var plane = try Self.plane()
            plane.receive(Array(whole[..<count]))
            #expect(plane.texts(of: 1).allSatisfy { !$0.hasPrefix("failed") })
            // A response that lacks only its nonce is a response.
            #expect(plane.client.resources.values.first?.value != nil, "lost after \(count) bytes")
        }
    }

    @Test("with a resource that is cut at any byte is rejected, and the good resource stays")
    func cutResource() throws {
        let whole = Sample.any(Sample.listener("l", routes: "other"))
        var rejectedCount = 0
        for count in 0..<whole.value.count {
            var plane = try Self.plane()
            var any = whole
            any.value = Array(whole.value[..<count])
            plane.receive(Self.response(.listener, [Self.wrapped("l", any)]))
            rejectedCount += plane.lines().last?.hasSuffix("rejected") == true ? 1 : 0
            #expect(plane.closed.isEmpty)
            #expect(plane.client.resources.values.first?.value != nil)
            #expect(plane.texts(of: 1).allSatisfy { !$0.hasPrefix("failed") })
        }
        // A listener without an API is not valid either.
        #expect(rejectedCount == whole.value.count)
    }

    @Test("with messages inside each other costs no more than its bytes, and is rejected")
    func nested() throws {
        var plane = try Self.plane()
        var any = Sample.any(Sample.listener("l"))
        var wrapper = any
        for _ in 0..<200 {
            any = .with {
                $0.typeURL = "type.googleapis.com/google.protobuf.Any"
                $0.value = any.encoded()
            }
            wrapper = Self.wrapped("l", wrapper)
        }
        for bad in [any, wrapper] {
            plane.receive(Self.response(.listener, [bad]))
            plane.finish()
            let text = try #require(plane.requests.last?.request.errorDetail?.message)
            #expect(text.contains("is of type '") && text.utf8.count < 1_000)
        }
        #expect(plane.client.resources.values.first?.value != nil)
        // A value of JSON that is too deep.
        var value = Google.Protobuf.Value(.stringValue("x"))
        for _ in 0..<200 { value = .init(.listValue(.init(values: [value]))) }
        let structure = Envoy.XDSTypes.TypedStruct.with {
            $0.typeURL = "round_robin"
            $0.value = .init(fields: ["a": value])
        }
        let deep = Sample.check(
            Sample.cluster("c") {
                $0.loadBalancingPolicy = .with { $0.policies = [Sample.policy(structure)] }
            }, .cluster)
        #expect(
            deep.resource == nil && deep.problem.contains("is no valid xds.type.v3.TypedStruct"))
    }

    @Test("has other types in the places of extensions")
    func otherTypes() {
        let other = Sample.any(Envoy.Core.Node.with { $0.id = "x" })
        func problem(_ message: some Message, _ type: ResourceType) -> String {
            let checked = Sample.check(message, type)
            #expect(checked.resource == nil)
            return checked.problem
        }
        let listener = Envoy.Listeners.Listener.with {
            $0.name = "l"
            $0.apiListener = .with { $0.apiListener = other }
        }
        #expect(problem(listener, .listener).contains("api_listener: is of type"))
        let filter = Sample.listener("l") {
            $0.httpFilters = [Sample.filter("router", Envoy.Core.Node())]
        }
        #expect(problem(filter, .listener).contains("is not known"))
        let cluster = Sample.cluster("c") { cluster in
            cluster.clusterDiscoveryType = .clusterType(.with { $0.typedConfig = other })
            cluster.upstreamConfig = .with { $0.typedConfig = other }
            cluster.transportSocket = .with { $0.configType = .typedConfig(other) }
            cluster.loadBalancingPolicy = .with { $0.policies = [Sample.policy(Envoy.Core.Node())] }
        }
        let text = problem(cluster, .cluster)
        for field in [
            "cluster_type", "upstream_config", "transport_socket", "load_balancing_policy",
        ] {
            #expect(text.contains(field), "\(text)")
        }
    }

    @Test("of 64 MiB is read once, and nothing of it stays but the resource that is in use")
    func largest() throws {
        var plane = try Self.plane()
        // A field that no message has.
        let padding: [UInt8] =
            [0xf2, 0x3f, 0x80, 0x80, 0x80, 0x1e] + Array(repeating: 0, count: 60 << 20)
        var any = Sample.any(Sample.cluster("unasked"))
        any.value += padding
        plane.watch(2, .cluster, "c")
        plane.receive(Self.response(.cluster, [any, Sample.any(Sample.cluster("c"))]))
        #expect(plane.texts(of: 2) == ["resource"] && plane.reads.count == 2)
        let sizes = plane.client.resources.values.map { $0.origin?.bytes.count ?? 0 }
        #expect(sizes.count == 2 && sizes.allSatisfy { $0 < 1_000 })
    }

    @Test("with very many names that were not asked for keeps none of them")
    func unaskedNames() throws {
        var plane = try Self.plane()
        plane.watch(2, .endpoints, "e7")
        let many = (0..<10_000).map { Sample.any(Sample.endpoints("e\($0)", [])) }
        plane.receive(Self.response(.endpoints, many))
        #expect(plane.client.resources.count == 2)
        #expect(plane.texts(of: 2) == ["resource"] && plane.events.count == 2)
        #expect(plane.lines().last == "EDS e7 v2 n2")
        // The errors of resources are names, too.
        let errors = (0..<10_000).map { number in
            Envoy.Discovery.ResourceError.with {
                $0.resourceName = .with { $0.name = "e\(number)" }
            }
        }
        plane.finish()
        plane.respond(.endpoints, "3", [], errors: errors)
        #expect(plane.client.resources.count == 2 && plane.events.count == 3)
    }

    @Test("in a flood of versions is answered once, and equal content is not reported")
    func versions() throws {
        var plane = try Self.plane()
        plane.forget()
        for version in 2..<2_002 {
            plane.respond(.listener, "\(version)", [Sample.listener("l")])
            // Without an event, nothing keeps the next response back.
            #expect(plane.reads.count == version - 1)
        }
        #expect(plane.requests.count == 2_000 && plane.events.isEmpty && plane.timer == nil)
        // While the watchers work, no other version is read.
        plane.respond(.listener, "3000", [Sample.listener("l", routes: "a")])
        #expect(plane.events.count == 1 && plane.reads.count == 2_000)
        plane.finish()
        plane.advance(by: .zero)
        plane.watch(2, .listener, "l")
        #expect(plane.reads.count == 2_001)
    }

    @Test("to very many names that were asked for is one configuration")
    func askedNames() throws {
        let names = (0..<500).map { "c\($0)" }
        var mesh = try VirtualMesh(
            XDS.Bootstrap(
                json: """
                    {"xds_servers": [{"server_uri": "s", "channel_creds": [{"type": "insecure"}]}]}
                    """), seed: 1)
        mesh.open(0)
        mesh.receive(Self.response(.listener, [Sample.any(Sample.listener("svc"))]), from: 0)
        let routes = names.map { Sample.route(prefix: "/\($0)", to: $0) }
        mesh.receive(
            Self.response(.routeConfiguration, [Sample.any(Sample.routes("routes", routes))]),
            from: 0)
        let count = mesh.requestCount
        mesh.receive(Self.response(.cluster, names.map { Sample.any(Sample.cluster($0)) }), from: 0)
        // One request accepts the clusters, and one asks for all endpoints.
        #expect(mesh.requestCount == count + 2 && mesh.reportCount == 0)
        #expect(mesh.requests.last?.message.resourceNames.count == 500)
        let endpoints = names.map { Sample.any(Sample.endpoints($0, [])) }
        mesh.receive(Self.response(.endpoints, endpoints), from: 0)
        #expect(mesh.reportCount == 1 && mesh.requestCount == count + 3)
        mesh.close()
        #expect(mesh.client.resources.isEmpty && mesh.tree.states.isEmpty)
    }
}
