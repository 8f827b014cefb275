import SwiftletCore
import SwiftletMessages
import SwiftletTransport
import TestSupport
import Testing

@testable import SwiftletXDS

@Suite("The client of a control plane")
struct ADSClientTests {
    @Test("asks for all names of a type at once, and introduces itself once in each stream")
    func requests() throws {
        var plane = try VirtualControlPlane()
        plane.watch(1, .cluster, "b")
        plane.watch(2, .cluster, "a")
        #expect(plane.opened == [0] && plane.requests.isEmpty)
        plane.open()
        plane.watch(3, .listener, "l")
        #expect(plane.lines() == ["CDS a,b v  node", "LDS l v "])
        plane.respond(.cluster, "1", [Sample.cluster("a"), Sample.cluster("b")])
        #expect(plane.lines().last == "CDS a,b v1 n1")
        #expect(plane.texts(of: 1) == ["resource"] && plane.texts(of: 2) == ["resource"])
        plane.end()
        plane.advance(by: .seconds(2))
        plane.open()
        #expect(plane.lines().suffix(2) == ["LDS l v  node", "CDS a,b v1 "])
    }

    @Test("rejects a response with every problem, and uses its valid resources")
    func rejection() throws {
        var plane = try VirtualControlPlane()
        for (index, name) in ["a", "b", "c"].enumerated() {
            plane.watch(UInt64(index), .cluster, name)
        }
        plane.open()
        plane.respond(.cluster, "1", [Sample.cluster("a")])
        plane.finish()
        let bad = { (name: String) in Sample.cluster(name) { $0.lbPolicy = .maglev } }
        plane.respond(
            .cluster, "2", [bad("b"), Sample.cluster("c"), bad("x"), Sample.cluster("a")])
        #expect(plane.lines().last == "CDS a,b,c v1 n2 rejected")
        let error = plane.requests.last?.request.errorDetail
        #expect(error?.code == 3)
        #expect(
            error?.message
                == "b: lb_policy: 'MAGLEV' is not supported; x: lb_policy: 'MAGLEV' is not supported"
        )
        #expect(plane.texts(of: 0) == ["resource"])
        #expect(
            plane.texts(of: 1) == [
                "failed: xds: CDS resource b: is not valid: lb_policy: 'MAGLEV' is not supported (node n1)"
            ])
        #expect(plane.texts(of: 2) == ["resource"])
    }

    @Test("reports nothing for an equal resource, and the last of a repeated name")
    func equalContent() throws {
        var plane = try VirtualControlPlane()
        plane.watch(1, .endpoints, "e")
        plane.open()
        let one = Sample.endpoints("e", [Sample.locality("a", [Sample.endpoint("::1")])])
        plane.respond(.endpoints, "1", [Sample.endpoints("e", []), one])
        plane.finish()
        plane.respond(.endpoints, "2", [one])
        #expect(plane.texts(of: 1) == ["resource"])
        #expect(plane.lines().last == "EDS e v2 n2")
        guard case .resource(.endpoints(let endpoints))? = plane.events.last?.event else {
            Issue.record("no endpoints")
            return
        }
        #expect(endpoints.priorities.count == 1)
    }

    @Test("reads the next response when all watchers have handled the last one")
    func flowControl() throws {
        var plane = try VirtualControlPlane()
        plane.watch(1, .listener, "l")
        plane.open()
        #expect(plane.reads == [0])
        plane.respond(.listener, "1", [Sample.listener("l")])
        #expect(plane.reads == [0])
        plane.finish()
        plane.finish()
        #expect(plane.reads == [0, 0])
        plane.respond(.listener, "2", [Sample.listener("l")])
        #expect(plane.reads == [0, 0, 0])
    }

    @Test("sends one request for all changes and responses while the server did not read requests")
    func unreadRequests() throws {
        var plane = try VirtualControlPlane()
        plane.readsRequests = false
        plane.watch(1, .listener, "l")
        plane.watch(2, .cluster, "c")
        plane.open()
        plane.watch(3, .listener, "m")
        // The server can send while it does not read. The client reads, so that neither waits for the other.
        for version in 1...100 {
            plane.respond(.listener, "\(version)", [Sample.listener("l"), Sample.listener("m")])
            plane.finish()
        }
        #expect(plane.reads.count == 101)
        #expect(plane.lines() == ["LDS l v  node", "CDS c v "])
        plane.readRequests()
        #expect(plane.lines().dropFirst(2) == ["LDS l,m v100 n100"])
    }

    @Test(
        "asks anew for a resource that was left and is wanted again while no request could be sent")
    func resubscription() throws {
        var plane = try VirtualControlPlane()
        plane.watch(1, .endpoints, "a")
        plane.watch(2, .endpoints, "b")
        plane.open()
        plane.respond(.endpoints, "1", [Sample.endpoints("a", []), Sample.endpoints("b", [])])
        plane.finish()
        plane.readsRequests = false
        plane.watch(3, .endpoints, "c")
        plane.forget()
        // The server would take a request with the same names for an ACK.
        plane.unwatch(1)
        plane.watch(4, .endpoints, "a")
        plane.watch(5, .endpoints, "d")
        plane.readRequests()
        #expect(plane.lines() == ["EDS b,c,d v1 n1", "EDS a,b,c,d v1 n1"])
        // A name that is left, and not wanted again, costs no request of its own.
        plane.watch(6, .endpoints, "e")
        plane.forget()
        plane.unwatch(5)
        plane.watch(7, .endpoints, "f")
        plane.readRequests()
        #expect(plane.lines() == ["EDS a,b,c,e,f v1 n1"])
        // Nor does what was left on an earlier stream.
        plane.watch(8, .endpoints, "g")
        plane.unwatch(4)
        plane.end()
        plane.watch(9, .endpoints, "a")
        plane.advance(by: .seconds(2))
        plane.forget()
        plane.open()
        #expect(plane.lines() == ["EDS a,b,c,e,f,g v1  node"])
    }

    @Test("asks anew for a resource while its rejection is held back, and rejects once")
    func resubscriptionWhileRejected() throws {
        var plane = try VirtualControlPlane()
        plane.watch(1, .listener, "l")
        plane.open()
        let bad = Sample.listener("l") { $0.xffNumTrustedHops = 1 }
        for version in 1...6 {
            plane.respond(.listener, "\(version)", [bad])
            plane.finish()
        }
        plane.watch(2, .cluster, "c")
        plane.forget()
        plane.unwatch(1)
        plane.watch(3, .listener, "l")
        plane.advance(by: .seconds(2))
        #expect(plane.lines() == ["LDS  v n6 rejected", "LDS l v n6"])
    }

    @Test("holds rejections back, and reads on, also while the server does not read requests")
    func unreadRejections() throws {
        var plane = try VirtualControlPlane()
        plane.watch(1, .listener, "l")
        plane.open()
        plane.readsRequests = false
        let bad = Sample.listener("l") { $0.xffNumTrustedHops = 1 }
        for version in 1...10 {
            plane.respond(.listener, "\(version)", [bad])
            plane.finish()
            plane.advance(by: .seconds(10))
        }
        #expect(plane.timer == nil && plane.reads.count == 11)
        #expect(plane.lines() == ["LDS l v  node", "LDS l v n1 rejected"])
        plane.readRequests()
        #expect(plane.lines().last == "LDS l v n10 rejected")
        #expect(plane.lines().count == 3)
    }

    @Test("sends all that is due on a new stream, whatever the last one did not send")
    func unreadThenClosed() throws {
        var plane = try VirtualControlPlane()
        plane.watch(1, .listener, "l")
        plane.readsRequests = false
        plane.open()
        plane.watch(2, .cluster, "c")
        plane.end()
        plane.advance(by: .seconds(2))
        plane.forget()
        plane.open()
        #expect(plane.lines() == ["LDS l v  node", "CDS c v "])
    }

    @Test("reads on after a response of a type that it did not ask for, and ignores other names")
    func unasked() throws {
        var plane = try VirtualControlPlane()
        plane.watch(1, .endpoints, "e")
        plane.open()
        plane.forget()
        plane.receive(Envoy.Discovery.DiscoveryResponse.with { $0.typeURL = "x" }.encoded())
        #expect(plane.reads == [0] && plane.requests.isEmpty)
        plane.respond(.cluster, "1", [Sample.cluster("c")])
        #expect(plane.reads == [0, 0] && plane.requests.isEmpty)
        plane.respond(.endpoints, "1", [Sample.endpoints("f", [])])
        #expect(plane.lines() == ["EDS e v1 n1"] && plane.events.isEmpty)
    }

    @Test("tells the server of the last unsubscription, and never asks for all resources")
    func unsubscription() throws {
        var plane = try VirtualControlPlane()
        plane.watch(1, .listener, "l")
        plane.watch(2, .cluster, "c")
        plane.open()
        plane.unwatch(2)
        #expect(plane.lines() == ["LDS l v  node", "CDS c v ", "CDS  v "])
        plane.respond(.listener, "1", [Sample.listener("l")])
        plane.end()
        plane.advance(by: .seconds(2))
        plane.forget()
        plane.open()
        #expect(plane.lines() == ["LDS l v1  node"])
        plane.unwatch(1)
        #expect(
            plane.closed == [0] && plane.client.resources.isEmpty && plane.client.streams.isEmpty)
        plane.watch(3, .listener, "l")
        #expect(plane.opened == [0])
        plane.open()
        #expect(plane.lines().last == "LDS l v  node")
    }

    @Test("gives a new watcher what is known: the resource, then the error")
    func lateWatchers() throws {
        var plane = try VirtualControlPlane()
        plane.watch(1, .listener, "l")
        plane.open()
        plane.respond(.listener, "1", [Sample.listener("l")])
        plane.finish()
        plane.respond(.listener, "2", [Sample.listener("l") { $0.xffNumTrustedHops = 1 }])
        plane.watch(2, .listener, "l")
        let stale =
            "stale: xds: LDS resource l: is not valid: api_listener.xff_num_trusted_hops: is 1, not 0 (node n1)"
        #expect(plane.texts(of: 1) == ["resource", stale])
        #expect(plane.texts(of: 2) == ["resource", stale])
    }

    @Test("counts a resource as absent 15 seconds after it was asked for, on one stream")
    func absence() throws {
        var plane = try VirtualControlPlane()
        plane.watch(1, .listener, "l")
        plane.advance(by: .seconds(60))
        #expect(plane.events.isEmpty)
        plane.open()
        plane.advance(by: .seconds(14))
        plane.end(0, "gone")
        #expect(
            plane.texts(of: 1) == [
                "failed: xds: LDS resource l: the control plane s0 cannot be reached: gone (node n1)"
            ])
        plane.advance(by: .seconds(2))
        plane.open()
        plane.advance(by: .seconds(14))
        #expect(plane.events.count == 1)
        plane.advance(by: .seconds(1))
        #expect(plane.texts(of: 1).last == "failed: xds: LDS resource l: does not exist (node n1)")
        plane.respond(.listener, "1", [Sample.listener("l")])
        #expect(plane.texts(of: 1).last == "resource")
        plane.advance(by: .seconds(60))
        #expect(plane.events.count == 3)
    }

    @Test("waits 30 seconds, and blames the connection, if the server says so")
    func slowServer() throws {
        var plane = try VirtualControlPlane(features: [["resource_timer_is_transient_error"]])
        plane.watch(1, .listener, "l")
        plane.open()
        plane.advance(by: .seconds(29))
        #expect(plane.events.isEmpty)
        plane.advance(by: .seconds(1))
        #expect(
            plane.texts(of: 1) == [
                "failed: xds: LDS resource l: the control plane s0 has not sent it within 30 s (node n1)"
            ])
    }

    @Test("tells watchers when an error is over")
    func recovery() throws {
        var plane = try VirtualControlPlane()
        plane.watch(1, .listener, "l")
        plane.open()
        plane.respond(.listener, "1", [Sample.listener("l")])
        plane.finish()
        plane.fail()
        plane.open()
        plane.respond(.listener, "2", [Sample.listener("l")])
        #expect(plane.texts(of: 1).count == 3 && plane.texts(of: 1).last == "recovered")
    }

    @Test("deletes nothing because of a resource whose name cannot be read")
    func namelessResource() throws {
        var plane = try VirtualControlPlane(.dropDeleted)
        plane.watch(1, .listener, "l")
        plane.open()
        plane.respond(.listener, "1", [Sample.listener("l")])
        plane.finish()
        plane.respond(.listener, "2", [Sample.cluster("l")])
        #expect(plane.lines().last == "LDS l v1 n2 rejected" && plane.texts(of: 1) == ["resource"])
    }

    @Test("bounds the text that rejects a response")
    func rejectionLimit() throws {
        var plane = try VirtualControlPlane()
        plane.watch(1, .cluster, "a")
        plane.open()
        let bad = (0..<5_000).map { Sample.cluster("c\($0)") { $0.lbPolicy = .maglev } }
        plane.respond(.cluster, "1", bad)
        let text = try #require(plane.requests.last?.request.errorDetail?.message)
        #expect(text.utf8.count < 30_000 && text.contains("more resources"))
    }

    @Test("does not count a rejected resource as absent later")
    func rejectedIsNotAbsent() throws {
        var plane = try VirtualControlPlane()
        plane.watch(1, .listener, "l")
        plane.watch(2, .listener, "m")
        plane.open()
        plane.respond(.listener, "1", [Sample.listener("l") { $0.httpFilters = [] }])
        plane.advance(by: .seconds(60))
        #expect(plane.texts(of: 1).count == 1 && plane.texts(of: 1)[0].contains("is not valid"))
        #expect(plane.texts(of: 2) == ["failed: xds: LDS resource m: does not exist (node n1)"])
    }

    private static let deletion = "xds: LDS resource l: the control plane has deleted it (node n1)"

    @Test(
        "keeps a deleted listener or not, as the server and the rule say",
        arguments: [
            ([], ADSClient.DataErrors.keep, "stale: "), ([], .dropDeleted, "failed: "),
            (["ignore_resource_deletion"], .dropDeleted, "stale: "),
            (["fail_on_data_errors"], .keep, "failed: "),
        ])
    func deletion(features: [String], rule: ADSClient.DataErrors, word: String) throws {
        var plane = try VirtualControlPlane(features: [features], rule)
        plane.watch(1, .listener, "l")
        plane.watch(2, .listener, "m")
        plane.watch(3, .endpoints, "e")
        plane.open()
        plane.respond(.endpoints, "1", [Sample.endpoints("e", [])])
        plane.finish()
        plane.respond(.endpoints, "2", [])
        plane.respond(.listener, "1", [Sample.listener("l")])
        plane.finish()
        plane.respond(.listener, "2", [])
        #expect(plane.texts(of: 1) == ["resource", word + Self.deletion])
        // A resource that has not arrived yet was not deleted, and a list of endpoints is not complete.
        #expect(plane.texts(of: 2).isEmpty && plane.texts(of: 3) == ["resource"])
    }

    @Test("drops a resource whose successor is wrong only if the server says so")
    func wrongSuccessor() throws {
        for (features, word) in [([], "stale"), (["fail_on_data_errors"], "failed")]
            as [([String], String)]
        {
            var plane = try VirtualControlPlane(features: [features])
            plane.watch(1, .listener, "l")
            plane.open()
            plane.respond(.listener, "1", [Sample.listener("l")])
            plane.finish()
            plane.respond(.listener, "2", [Sample.listener("l") { $0.httpFilters = [] }])
            #expect(plane.texts(of: 1).last?.hasPrefix(word) == true)
        }
    }

    @Test("reports the errors of single resources")
    func resourceErrors() throws {
        func error(_ name: String, _ code: Int32) -> Envoy.Discovery.ResourceError {
            .with {
                $0.resourceName = .with { $0.name = name }
                $0.errorDetail = .init(code: code, message: "why")
            }
        }
        var plane = try VirtualControlPlane(features: [["fail_on_data_errors"]])
        for (index, name) in ["a", "b", "c"].enumerated() {
            plane.watch(UInt64(index), .cluster, name)
        }
        plane.open()
        plane.respond(
            .cluster, "1", [Sample.cluster("a"), Sample.cluster("b")], errors: [error("c", 5)])
        plane.finish()
        #expect(
            plane.texts(of: 2) == [
                "failed: xds: CDS resource c: the control plane answers NOT_FOUND: why (node n1)"
            ])
        plane.respond(
            .cluster, "2", [], errors: [error("a", 7), error("b", 14), error("other", 5)])
        #expect(
            plane.texts(of: 0).last?.hasPrefix(
                "failed: xds: CDS resource a: the control plane answers PERMISSION_DENIED") == true)
        #expect(
            plane.texts(of: 1).last?.hasPrefix(
                "stale: xds: CDS resource b: the control plane answers UNAVAILABLE") == true)
        #expect(plane.events.count == 5)
    }

    @Test("waits longer and longer for a server without answers")
    func backoff() throws {
        var plane = try VirtualControlPlane()
        plane.watch(1, .listener, "l")
        var delays: [Duration] = []
        for _ in 0..<12 {
            let start = plane.now
            plane.end()
            let time = try #require(plane.timer)
            delays.append(start.duration(to: time))
            plane.advance(by: start.duration(to: time))
        }
        #expect(plane.opened.count == 13)
        #expect(delays[0] == .seconds(1) && delays[1] == .milliseconds(1_600))
        #expect(delays.last == .seconds(120))
        // Watchers are told once.
        #expect(plane.events.count == 1)
    }

    @Test(
        "comes back at once after an answer, but not to a server that answers once and ends each stream"
    )
    func shortStreams() throws {
        var plane = try VirtualControlPlane()
        plane.watch(1, .listener, "l")
        plane.open()
        plane.respond(.listener, "1", [Sample.listener("l")])
        plane.advance(by: .seconds(5))
        plane.end()
        #expect(plane.timer == plane.now && plane.texts(of: 1) == ["resource"])
        plane.advance(by: .zero)
        for _ in 0..<50 {
            plane.open()
            plane.respond(.listener, "1", [Sample.listener("l")])
            plane.end()
            plane.advance(by: plane.now.duration(to: try #require(plane.timer)))
        }
        #expect(plane.now.nanoseconds > 3_000_000_000_000)
        #expect(plane.texts(of: 1) == ["resource"])
    }

    @Test("comes back at once after the first answer since an outage, however short the stream was")
    func firstAnswer() throws {
        var plane = try VirtualControlPlane()
        plane.watch(1, .listener, "l")
        for _ in 0..<12 {
            plane.end()
            plane.advance(by: plane.now.duration(to: try #require(plane.timer)))
        }
        plane.open()
        plane.respond(.listener, "1", [Sample.listener("l")])
        plane.advance(by: .seconds(5))
        plane.end()
        #expect(plane.timer == plane.now)
        // The delays have begun again.
        plane.advance(by: .zero)
        plane.end()
        #expect(plane.timer == plane.now + .seconds(1))
    }

    @Test("holds back when the server sends what was rejected again and again")
    func rejectedForEver() throws {
        var plane = try VirtualControlPlane()
        plane.watch(1, .listener, "l")
        plane.open()
        let bad = Sample.listener("l") { $0.httpFilters = [] }
        var count = 0
        while count < 100, plane.lines().count == count + 1 {
            count += 1
            plane.respond(.listener, "1", [bad])
            plane.finish()
        }
        #expect(count == 6 && plane.timer != nil && plane.reads.count == 6)
        plane.advance(by: .seconds(2))
        #expect(plane.lines().count == 7 && plane.reads.count == 7)
        plane.respond(.listener, "2", [Sample.listener("l")])
        #expect(plane.lines().last == "LDS l v2 n2")
    }

    @Test("begins the stream again after bytes that are no response")
    func rubbish() throws {
        var plane = try VirtualControlPlane()
        plane.watch(1, .listener, "l")
        plane.open()
        plane.receive([0xff])
        #expect(plane.closed == [0])
        #expect(plane.texts(of: 1).first?.contains("cannot be decoded") == true)
        plane.advance(by: .seconds(2))
        #expect(plane.opened == [0, 0])
    }

    @Test("asks the next server if one cannot be reached and something is unknown")
    func fallback() throws {
        var plane = try VirtualControlPlane(features: [[], ["fail_on_data_errors"]])
        plane.watch(1, .listener, "l")
        plane.watch(2, .listener, "m")
        plane.fail(0)
        #expect(plane.opened == [0, 1, 0] && plane.events.isEmpty)
        plane.open(1)
        #expect(plane.lines(of: 1) == ["LDS l,m v  node"])
        plane.respond(.listener, "1", [Sample.listener("l"), Sample.listener("m")], from: 1)
        plane.finish(1)
        #expect(plane.texts(of: 1) == ["resource"])
        // All is known: a failure of both is only an ambient error.
        plane.fail(1, "lost")
        #expect(plane.texts(of: 1).last?.hasPrefix("stale: ") == true)
        // The preferred server answers, and the other one is left.
        plane.open(0)
        plane.respond(
            .listener, "7", [Sample.listener("l", routes: "other"), Sample.listener("m")])
        #expect(plane.closed == [1] && plane.texts(of: 1).last == "resource")
        plane.forget()
        plane.fail(0)
        #expect(plane.opened == [0, 0])
    }

    @Test(
        "asks no other server while all resources are known, and informs watchers when all servers have failed"
    )
    func noFallback() throws {
        var plane = try VirtualControlPlane(features: [[], ["xds_v3", "fail_on_data_errors"]])
        plane.watch(1, .listener, "l")
        plane.open()
        plane.respond(.listener, "1", [Sample.listener("l")])
        plane.finish()
        plane.fail(0, "refused")
        #expect(plane.opened == [0, 0, 0])
        #expect(
            plane.texts(of: 1).last
                == "stale: xds: LDS resource l: the control plane s0 cannot be reached: refused (node n1)"
        )
        plane.watch(2, .cluster, "c")
        #expect(plane.opened.last == 1 && plane.texts(of: 2).isEmpty)
        plane.fail(1, "unplugged")
        #expect(
            plane.texts(of: 2) == [
                "failed: xds: CDS resource c: the control plane s1 cannot be reached: unplugged (node n1)"
            ])
        plane.watch(3, .cluster, "d")
        #expect(
            plane.texts(of: 3) == [
                "failed: xds: CDS resource d: the control plane s1 cannot be reached: unplugged (node n1)"
            ])
    }

    @Test("asks the next server of an authority that falls back by reachability alone (A95)")
    func reachabilityFallback() throws {
        let server = { (name: String) in
            #"{"server_uri": "\#(name)", "channel_creds": [{"type": "insecure"}], "server_features": []}"#
        }
        var plane = try VirtualControlPlane(
            features: [[], []],
            authorities: """
                , "authorities": {"a": {"fallback_on_reachability_only": true,
                  "xds_servers": [\(server("s0")), \(server("s1"))]}}
                """)
        let name = "xdstp://a/envoy.config.cluster.v3.Cluster/c"
        let cluster = Sample.cluster(name) { $0.edsClusterConfig?.serviceName = "e" }
        plane.watch(1, .cluster, name)
        plane.open()
        plane.respond(.cluster, "1", [cluster])
        plane.finish()
        #expect(plane.texts(of: 1) == ["resource"])
        // The resource is known, and the next server is asked for newer ones.
        plane.fail(0, "refused")
        #expect(plane.opened == [0, 0, 1, 0])
        plane.open(1)
        plane.respond(
            .cluster, "5",
            [Sample.cluster(name) { $0.edsClusterConfig?.serviceName = "f" }], from: 1)
        #expect(plane.texts(of: 1).last == "resource")
        // The first one is back.
        plane.open(0)
        plane.respond(.cluster, "2", [cluster])
        #expect(plane.closed == [1])
    }

    @Test("asks the servers of an authority for its resources")
    func authorities() throws {
        var plane = try VirtualControlPlane(
            features: [[], ["trusted_xds_server"]],
            authorities: """
                , "authorities": {"a": {"xds_servers": [{"server_uri": "s1",
                  "channel_creds": [{"type": "insecure"}], "server_features": ["trusted_xds_server"]}]}}
                """)
        let name = "xdstp://a/envoy.config.listener.v3.Listener/l"
        plane.watch(1, .listener, name + "?b=1&a=2")
        plane.watch(2, .listener, "l")
        #expect(plane.opened.sorted() == [0, 1])
        plane.open(0)
        plane.open(1)
        #expect(plane.lines(of: 0) == ["LDS l v  node"])
        #expect(plane.lines(of: 1) == ["LDS \(name)?a=2&b=1 v  node"])
        // A server cannot change the resources of another authority.
        plane.respond(.listener, "1", [Sample.listener(name + "?a=2&b=1")], from: 0)
        #expect(plane.texts(of: 1).isEmpty)
        plane.respond(.listener, "1", [Sample.listener(name + "?a=2&b=1")], from: 1)
        #expect(plane.texts(of: 1) == ["resource"])
        plane.watch(3, .listener, "xdstp://z/envoy.config.listener.v3.Listener/l")
        #expect(plane.texts(of: 3).first?.contains("no authority 'z'") == true)
        plane.unwatch(1)
        #expect(plane.closed == [1])
    }

    @Test("keeps its promises in any order of events", arguments: 0..<200)
    func randomOrder(seed: UInt64) throws {
        let chance = Chance(seed)
        func below(_ bound: Int) -> Int { Int(chance.next() % UInt64(bound)) }
        var plane = try VirtualControlPlane(
            features: [[], below(2) == 0 ? [] : ["fail_on_data_errors"]],
            below(2) == 0 ? .keep : .dropDeleted)
        let names = ["a", "b", "c"]
        let types: [ResourceType] = [.cluster, .endpoints]
        var watchers: [UInt64: ResourceKey] = [:]
        var last: UInt64 = 0
        for step in 0..<150 {
            switch below(10) {
            case 0, 1:
                let (type, name) = (types[below(2)], names[below(3)])
                last += 1
                watchers[last] = ResourceKey(
                    type: type, name: try #require(ResourceName(name, of: type)))
                plane.watch(last, type, name)
            case 2:
                guard let watcher = watchers.keys.min() else { continue }
                watchers[watcher] = nil
                plane.unwatch(watcher)
            case 3, 4: plane.open(below(2))
            case 5: plane.end(below(2))
            case 6: plane.fail(below(2))
            case 7: plane.advance(by: .milliseconds(below(20_000)))
            case 8: plane.finish(below(2))
            default:
                let isCluster = below(2) == 0
                let chosen = names.filter { _ in below(2) == 0 }
                let messages = chosen.map { name -> any Message in
                    if isCluster {
                        let isBad = below(4) == 0
                        return Sample.cluster(name) { $0.lbPolicy = isBad ? .maglev : .roundRobin }
                    }
                    let priority = UInt32(below(2))
                    return Sample.endpoints(name, [Sample.locality("z", [], priority: priority)])
                }
                plane.respond(
                    isCluster ? .cluster : .endpoints, "\(step)", messages, from: below(2))
            }
            let client = plane.client
            // Exactly what is watched is known, asked for and waited for.
            #expect(Set(client.resources.keys) == Set(watchers.values))
            #expect(client.streams.isEmpty == watchers.isEmpty)
            for resource in client.resources.values {
                #expect(!resource.watchers.isEmpty)
                #expect(
                    resource.value != nil || resource.error != nil || resource.state == .requested)
            }
            for stream in client.streams.values {
                for key in stream.deadlines.keys {
                    #expect(client.resources[key]?.isAwaited == true && stream.phase == .open)
                }
            }
        }
        // A first request of a stream has names and the node, and no later one has the node.
        for server in 0..<2 {
            let lines = plane.lines(of: server)
            if let first = lines.first { #expect(first.hasSuffix(" node")) }
        }
        // Each watcher's last event agrees with what is known.
        for (watcher, key) in watchers {
            let known = plane.client.resources[key]
            switch plane.events.last(where: { $0.watcher == watcher })?.event {
            case .resource(let resource): #expect(known?.value == resource)
            case .stale, .recovered: #expect(known?.value != nil)
            case .failed: #expect(known?.value == nil)
            case nil: #expect(known?.state == .requested && known?.value == nil)
            }
        }
        // After the last watcher, nothing is left.
        for watcher in watchers.keys { plane.unwatch(watcher) }
        #expect(plane.client.resources.isEmpty && plane.client.streams.isEmpty)
        #expect(plane.client.authorities.isEmpty && plane.timer == nil)
    }
}
