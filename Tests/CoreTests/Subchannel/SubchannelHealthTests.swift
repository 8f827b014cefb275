import SwiftletTransport
import Testing

@testable import SwiftletCore

@Suite("The reports of a subchannel's server")
struct SubchannelHealthTests {
    private static let sick = HealthResult.unhealthy(RPCError(.unavailable, "sick"))

    private static func subjects(_ trial: SubchannelTrial) -> [SubchannelSubject] {
        trial.wantedReports.link == nil ? [] : trial.wantedReports.subjects
    }

    @Test("keep a connected subchannel CONNECTING until it is healthy (A17)")
    func health() throws {
        let trial = SubchannelTrial(healthService: "s")
        #expect(Self.subjects(trial).isEmpty)
        let link = try trial.connect()
        #expect(try trial.connectivity == .connecting)
        #expect(Self.subjects(trial) == [.health(service: "s")])
        #expect(trial.wantedReports.link === link)
        for (result, expected) in [
            (HealthResult.healthy, ["report ready"]), (.healthy, []),
            (Self.sick, ["report transientFailure"]), (Self.sick, []),
            (
                .unhealthy(RPCError(.unavailable, "still sick")),
                ["report transientFailure"]
            ),
            (.unknown, ["report connecting"]),
        ] {
            #expect(try trial.handle(.health(result, service: "s", link)) == expected)
        }
    }

    @Test("of a service that is not checked any more, or of a lost connection, have no effect")
    func stale() throws {
        let trial = SubchannelTrial(healthService: "s")
        let link = try trial.connect()
        try trial.handle(.health(.healthy, service: "s", link))
        #expect(
            try trial.handle(.healthCheck(HealthCheck(of: "t", by: NoReports()))) == [
                "report connecting"
            ])
        #expect(try trial.handle(.health(.healthy, service: "s", link)) == [])
        #expect(try trial.handle(.health(.healthy, service: "t", link)) == ["report ready"])
        link.carry(1)
        _ = try trial.ends(link)
        #expect(trial.wantedReports.link == nil)
        #expect(try trial.handle(.health(Self.sick, service: "t", link)) == [])
        _ = try trial.connect()
        #expect(try trial.connectivity == .connecting)
        #expect(try trial.handle(.healthCheck(nil)) == ["report ready"])
        #expect(Self.subjects(trial).isEmpty)
    }

    @Test("move to the next connection when the first one is drained, and the health stays")
    func moved() throws {
        let trial = SubchannelTrial(maxConnectionCount: 2, healthService: "s")
        let first = try trial.connect()
        first.carry(1, limit: 1)
        try trial.handle(.health(.healthy, service: "s", first))
        try trial.handle(.waits(try SubchannelTrial.call()))
        let second = FakeLink(port: 1, at: trial.now)
        _ = try trial.connected(to: second)
        #expect(trial.wantedReports.link === first)
        #expect(try trial.drains(first) == ["links"])
        #expect(trial.wantedReports.link === second)
        #expect(try trial.connectivity == .ready)
        #expect(
            try trial.handle(.health(Self.sick, service: "s", second))
                == ["report transientFailure"])
    }

    @Test("are not wanted by a balancer that checks no health")
    func unchecked() throws {
        let trial = SubchannelTrial()
        _ = try trial.connect()
        #expect(try trial.handle(.healthCheck(HealthCheck(of: "s", by: NoReports()))) == [])
        #expect(Self.subjects(trial).isEmpty)
    }

    @Test("of the load come as often as the most frequent request wants them (A51)")
    func load() throws {
        let trial = SubchannelTrial()
        _ = try trial.connect()
        try trial.handle(.loadInterval(.seconds(10), requester: "a", NoReports()))
        #expect(Self.subjects(trial) == [.load(interval: .seconds(10))])
        try trial.handle(.loadInterval(.zero, requester: "b", NoReports()))
        #expect(Self.subjects(trial) == [.load(interval: .milliseconds(1))])
        try trial.handle(.loadInterval(nil, requester: "b", NoReports()))
        #expect(Self.subjects(trial) == [.load(interval: .seconds(10))])
        try trial.handle(.loadInterval(nil, requester: "a", NoReports()))
        #expect(Self.subjects(trial).isEmpty)
    }
}
