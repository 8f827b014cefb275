import SwiftletCore
import SwiftletMessages
import SwiftletTransport
import Testing

@testable import SwiftletXDS

@Suite("A call to a cluster that cannot be used")
struct UnusableClusterTests {
    /// A call that has chosen its cluster, which it keeps.
    private struct Call {
        let info: PickInfo
        let kept: (any KeptCluster)?
    }

    /// Calls of `/a` go to the cluster `a`, and those of `/b` to `b`.
    private struct Mesh {
        var virtual: VirtualMesh

        init() throws {
            virtual = try VirtualMesh(
                XDS.Bootstrap(
                    json: """
                        {"xds_servers": [{"server_uri": "plane", "channel_creds": [{"type": "insecure"}],
                                          "server_features": ["fail_on_data_errors"]}],
                         "node": {"id": "n1"}}
                        """), seed: 1)
            virtual.open(0)
            give(.listener, [Sample.listener("svc")])
            route(to: ["a", "b"])
            give(.cluster, ["a", "b"].map { Sample.cluster($0) })
            let endpoints = [("a", "10.0.0.1"), ("b", "10.0.0.2")]
            give(
                .endpoints,
                endpoints.map {
                    Sample.endpoints($0, [Sample.locality("z", [Sample.endpoint($1)])])
                })
        }

        mutating func route(to clusters: [String]) {
            let routes = clusters.map { Sample.route(prefix: "/\($0)", to: $0) }
            give(.routeConfiguration, [Sample.routes("routes", routes)])
        }

        mutating func give(_ type: ResourceType, _ messages: [some Message]) {
            let response = Envoy.Discovery.DiscoveryResponse.with {
                $0.typeURL = type.typeURL
                $0.resources = messages.map { Sample.any($0) }
            }
            virtual.receive(response.encoded(), from: 0)
        }

        func begin(_ path: String) throws -> Call {
            let selection = try #require(virtual.selector).select(for: path, Metadata())
            let info = PickInfo(
                path: path, requestHash: selection.requestHash,
                attributes: selection.rules?.attributes)
            return Call(info: info, kept: selection.cluster)
        }

        func pick(_ call: Call) -> Pick { virtual.tree.picker.pick(call.info) }

        /// The message of a call that does not wait for ready; nil if it does not fail.
        func failure(_ path: String) throws -> String? {
            switch pick(try begin(path)) {
            case .fail(let error): error.message
            default: nil
            }
        }

        mutating func disconnect() {
            for subchannel in virtual.tree.states.keys {
                virtual.change(subchannel, to: .transientFailure)
            }
        }
    }

    @Test("is dropped, also if it waits for ready, when no route leads to the cluster (A31)")
    func removed() throws {
        var mesh = try Mesh()
        var call: Call? = try mesh.begin("/b/M")
        mesh.give(.cluster, [Sample.cluster("a")])
        // The cluster may come back.
        #expect(try mesh.failure("/b/M")?.contains("CDS resource b") == true)
        mesh.route(to: ["a"])
        switch mesh.pick(try #require(call)) {
        case .drop(let error):
            #expect(error.code == .unavailable && error.message.contains("CDS resource b"))
        default: Issue.record("the call may wait for a cluster that is gone")
        }
        call = nil
        mesh.virtual.settle()
        #expect(!mesh.virtual.client.resources.keys.contains { $0.name.text == "b" })
    }

    @Test("names the node, and all errors of the resources that lead to the endpoints (A88)")
    func notes() throws {
        var mesh = try Mesh()
        mesh.disconnect()
        #expect(try mesh.failure("/a/M") == "refused (xds: node n1)")
        // The first end is that of a stream that had responses.
        mesh.virtual.end(0)
        mesh.virtual.advance(by: .seconds(2))
        mesh.virtual.end(0, "not reached")
        let message = try #require(try mesh.failure("/a/M"))
        #expect(message.hasPrefix("refused (") && message.contains("not reached"))
        for name in ["LDS resource svc", "RDS resource routes", "CDS resource a", "EDS resource a"]
        {
            #expect(message.contains(name), "\(message)")
        }
        #expect(message.contains("(node n1)") && !message.contains("resource b"))
    }
}
