import Swiftlet
import SwiftletCore
import SwiftletObservation
import SwiftletWellKnown
import Testing

@testable import SwiftletXDS

@Suite("The metrics of a target", .timeLimit(.minutes(5)))
struct LiveMetricsTests {
    private static func values(
        _ totals: MetricTotals, _ instrument: MetricInstrument, _ labels: [String: String]
    ) -> [(sum: Double, count: Int)] {
        totals[instrument].filter { found, _ in
            labels.allSatisfy { key, value in found.contains(MetricLabel(key, value)) }
        }.values.map { ($0.sum, $0.count) }
    }

    private static func sum(
        _ totals: MetricTotals, _ instrument: MetricInstrument, _ labels: [String: String]
    ) -> Double { values(totals, instrument, labels).reduce(0) { $0 + $1.sum } }

    private static func count(
        _ totals: MetricTotals, _ instrument: MetricInstrument, _ labels: [String: String]
    ) -> Int { values(totals, instrument, labels).reduce(0) { $0 + $1.count } }

    @Test("have the labels of the proposal, and are zero when its last channel is closed")
    func channel() async throws {
        let mesh = try LiveMesh("xds-live-metrics")
        try mesh.cluster("a", [try mesh.server(1)])
        mesh.route(to: ["a": 1])
        let totals = MetricTotals(MetricInstrument.all)
        var arguments = ChannelArguments()
        arguments.metricSinks = [totals]
        let channel = try mesh.channel(arguments)
        #expect(try await channel.unary(LiveMesh.ask, []) == [1])
        let target = "xds-live-metrics:///svc"
        let server = ["grpc.target": target, "grpc.xds.server": mesh.plane.target]
        #expect(Self.sum(totals, .controlPlaneConnected, server) == 1)
        #expect(Self.sum(totals, .controlPlaneFailures, server) == 0)
        for type in ResourceType.allCases {
            let ofType = ["grpc.target": target, "grpc.xds.resource_type": type.messageName]
            let acked = ["grpc.xds.authority": "#old", "grpc.xds.cache_state": "acked"]
            #expect(Self.sum(totals, .validResourceUpdates, ofType) >= 1)
            #expect(Self.sum(totals, .invalidResourceUpdates, ofType) == 0)
            #expect(Self.sum(totals, .resources, ofType.merging(acked) { $1 }) == 1)
        }
        let keys = try #require(totals[.resources].keys.first).map(\.key)
        #expect(keys == MetricInstrument.resources.labelKeys)
        await channel.close()
        try await eventually {
            Self.sum(totals, .controlPlaneConnected, server) == 0
                && Self.sum(totals, .resources, [:]) == 0
        }
    }

    @Test("name the cluster and the locality of calls and connections (A78, A89, A94)")
    func places() async throws {
        let mesh = try LiveMesh("xds-live-places")
        try mesh.cluster("a", [try mesh.server(1)])
        mesh.route(to: ["a": 1])
        let totals = MetricTotals(
            MetricInstrument.all,
            optionalLabels: ["grpc.lb.locality", "grpc.lb.backend_service"])
        var arguments = ChannelArguments()
        arguments.metricSinks = [totals]
        let channel = try mesh.channel(arguments)
        #expect(try await channel.unary(LiveMesh.ask, []) == [1])
        let place = [
            "grpc.lb.backend_service": "a",
            "grpc.lb.locality": #"{region="", zone="z", sub_zone=""}"#,
        ]
        for instrument: MetricInstrument in [
            .attemptDuration, .attemptSentSize, .attemptReceivedSize,
        ] {
            #expect(totals[instrument].keys.allSatisfy { $0.count == 5 })
            #expect(Self.count(totals, instrument, place) == 1)
        }
        #expect(Self.sum(totals, .attemptsSucceeded, place) == 1)
        #expect(Self.sum(totals, .openConnections, place) == 1)
        #expect(Self.sum(totals, .attemptStarted, place) == 0)
        // A call that the cluster drops has gone to the service, and to no locality.
        mesh.plane.set(
            .cluster,
            [
                "a": Sample.cluster("a") { cluster in
                    cluster.circuitBreakers = .with {
                        $0.thresholds = [.with { $0.maxRequests = .init(0) }]
                    }
                }
            ])
        try await eventually {
            do throws(RPCError) {
                _ = try await channel.unary(LiveMesh.ask, [])
                return false
            } catch { return error.code == .unavailable }
        }
        let service = ["grpc.lb.backend_service": "a", "grpc.lb.locality": ""]
        #expect(Self.count(totals, .attemptDuration, service) == 1)
        await channel.close()
        try await eventually { Self.sum(totals, .openConnections, place) == 0 }
        #expect(Self.sum(totals, .disconnections, place) == 1)
    }

    @Test("are not counted without a sink that records them")
    func unmeasured() async throws {
        let mesh = try LiveMesh("xds-live-no-metrics")
        try mesh.cluster("a", [try mesh.server(1)])
        mesh.route(to: ["a": 1])
        // The instruments that are on by default: those of calls.
        let totals = MetricTotals()
        var arguments = ChannelArguments()
        arguments.metricSinks = [totals]
        let channel = try mesh.channel(arguments)
        #expect(try await channel.unary(LiveMesh.ask, []) == [1])
        #expect(!totals.snapshot.isEmpty)
        #expect(totals.snapshot.keys.allSatisfy { $0.isOnByDefault })
        await channel.close()
    }
}
