import SwiftletCore
import SwiftletMessages
import SwiftletTransport
import Synchronization
import Testing

@testable import SwiftletXDS

@Suite("The metrics of the client of a control plane")
struct ClientMetricsTests {
    /// Adds up what is reported.
    private final class Totals: ChannelMeter {
        struct Counts: Equatable {
            var connected: [String: Int] = [:]
            var failures: [String: Int] = [:]
            var valid: [String: Int] = [:]
            var invalid: [String: Int] = [:]
            /// By authority, type and state. A state without resources has no entry.
            var resources: [String: Int] = [:]
        }

        private let state = Mutex(Counts())
        let measuresControlPlane: Bool

        init(measuresControlPlane: Bool = true) {
            self.measuresControlPlane = measuresControlPlane
        }

        var counts: Counts { state.withLock { $0 } }

        var measuresCalls: Bool { false }
        var measuresBalancing: Bool { false }
        func meter(of method: MethodSignature) -> (any CallMeter)? { nil }
        func record(_ change: ConnectionChange, _ labels: BackendLabels?) {}
        func record(_ decision: BalancingDecision) {}

        func record(_ change: ControlPlaneChange) {
            state.withLock { counts in
                switch change {
                case .connected(let server, let count):
                    counts.connected[server, default: 0] += count
                case .serverFailed(let server): counts.failures[server, default: 0] += 1
                case .updates(let server, let type, let valid, let invalid):
                    let key = "\(server) \(type.split(separator: ".").last ?? "")"
                    counts.valid[key, default: 0] += valid
                    counts.invalid[key, default: 0] += invalid
                case .resources(let resources, let count):
                    let type = resources.type.split(separator: ".").last ?? ""
                    let key = "\(resources.authority) \(type) \(resources.state)"
                    let sum = (counts.resources[key] ?? 0) + count
                    counts.resources[key] = sum == 0 ? nil : sum
                }
            }
        }
    }

    /// A client and its metrics.
    private struct Measured {
        var plane: VirtualControlPlane
        var metrics: ClientMetrics
        let totals = Totals()
        private var reported = 0

        init(features: [[String]] = [[]], authorities: String = "") throws {
            plane = try VirtualControlPlane(features: features, authorities: authorities)
            metrics = try #require(ClientMetrics(totals))
        }

        /// As the owner of the client after each input.
        mutating func after(_ input: (inout VirtualControlPlane) -> Void) {
            input(&plane)
            for counts in plane.counts[reported...] { metrics.received(counts) }
            reported = plane.counts.count
            metrics.update(plane.client)
        }
    }

    @Test("are none without a meter that wants them")
    func unmeasured() {
        #expect(ClientMetrics(nil) == nil)
        #expect(ClientMetrics(Totals(measuresControlPlane: false)) == nil)
    }

    @Test("count the streams that work, and those that fail")
    func servers() throws {
        var measured = try Measured(features: [[], ["xds_v3", "fail_on_data_errors"]])
        measured.after { $0.watch(1, .listener, "l") }
        #expect(measured.totals.counts.connected == ["s0": 1])
        measured.after { $0.fail(0) }
        #expect(measured.totals.counts.connected == ["s0": 0, "s1": 1])
        measured.after { $0.fail(0) }
        #expect(measured.totals.counts.failures == ["s0": 1])
        measured.after { $0.open(1) }
        measured.after { $0.respond(.listener, "1", [Sample.listener("l")], from: 1) }
        measured.after { $0.open(0) }
        // Not before its first response.
        #expect(measured.totals.counts.connected == ["s0": 0, "s1": 1])
        measured.after { $0.respond(.listener, "1", [Sample.listener("l")], from: 0) }
        #expect(measured.totals.counts.connected == ["s0": 1, "s1": 0])
        // An end after a response is no failure.
        measured.after { $0.end(0) }
        #expect(measured.totals.counts.connected["s0"] == 1)
        #expect(measured.totals.counts.failures == ["s0": 1])
    }

    @Test("count the resources of responses, also those that were not asked for or are the same")
    func updates() throws {
        var measured = try Measured()
        measured.after { $0.watch(1, .cluster, "a") }
        measured.after { $0.open() }
        let bad = Sample.cluster("b") { $0.lbPolicy = .maglev }
        for version in ["1", "2"] {
            measured.after { $0.respond(.cluster, version, [Sample.cluster("a"), bad]) }
            measured.after { $0.finish() }
        }
        #expect(measured.totals.counts.valid == ["s0 Cluster": 2])
        #expect(measured.totals.counts.invalid == ["s0 Cluster": 2])
    }

    @Test("have the number of resources in each state, and none at the end")
    func resources() throws {
        func error(_ name: String, _ code: Int32) -> Envoy.Discovery.ResourceError {
            .with {
                $0.resourceName = .with { $0.name = name }
                $0.errorDetail = .init(code: code, message: "why")
            }
        }
        var measured = try Measured()
        let names = ["a", "b", "c", "d", "e", "f"]
        for (index, name) in names.enumerated() {
            measured.after { $0.watch(UInt64(index), .cluster, name) }
        }
        #expect(measured.totals.counts.resources == ["#old Cluster requested": 6])
        measured.after { $0.open() }
        let bad = { (name: String) in Sample.cluster(name) { $0.lbPolicy = .maglev } }
        measured.after {
            $0.respond(
                .cluster, "1",
                [Sample.cluster("a"), Sample.cluster("b"), Sample.cluster("f"), bad("c")],
                errors: [error("d", 7)])
        }
        measured.after { $0.finish() }
        #expect(
            measured.totals.counts.resources == [
                "#old Cluster acked": 3, "#old Cluster nacked": 1,
                "#old Cluster received_error": 1, "#old Cluster requested": 1,
            ])
        measured.after { $0.respond(.cluster, "2", [bad("a")], errors: [error("f", 14)]) }
        measured.after { $0.advance(by: .seconds(15)) }
        #expect(
            measured.totals.counts.resources == [
                "#old Cluster nacked_but_cached": 1, "#old Cluster does_not_exist_but_cached": 1,
                "#old Cluster received_error_but_cached": 1, "#old Cluster nacked": 1,
                "#old Cluster received_error": 1, "#old Cluster does_not_exist": 1,
            ])
        measured.after { $0.unwatch(0) }
        #expect(measured.totals.counts.resources.values.reduce(0, +) == 5)
        measured.metrics.end()
        #expect(measured.totals.counts.resources == [:])
        #expect(measured.totals.counts.connected == ["s0": 0])
    }

    @Test("have the authority of the names, and the state of a slow server")
    func authorities() throws {
        var measured = try Measured(
            features: [["resource_timer_is_transient_error"]],
            authorities: ", \"authorities\": {\"auth\": {}}")
        measured.after {
            $0.watch(1, .listener, "xdstp://auth/envoy.config.listener.v3.Listener/l")
        }
        measured.after { $0.open() }
        measured.after { $0.advance(by: .seconds(30)) }
        #expect(measured.totals.counts.resources == ["auth Listener timeout": 1])
    }
}
