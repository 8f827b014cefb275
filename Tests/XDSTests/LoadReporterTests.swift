import SwiftletCore
import SwiftletMessages
import SwiftletTransport
import TestSupport
import Testing

@testable import SwiftletXDS

@Suite("Load reports")
struct LoadReporterTests {
    @Test("begin with the node, and wait until the server has said what it wants")
    func beginning() throws {
        var server = try VirtualLoadServer()
        let load = server.add()
        #expect(server.log == ["open 0"] && server.timer == nil)
        server.open()
        #expect(server.log == ["open 0", "node 0 n1", "read 0"])
        server.sent()
        load.call("z", .ok)
        server.advance(by: .seconds(100))
        #expect(server.log.count == 3 && server.timer == nil)
        server.want(every: .seconds(5))
        #expect(server.log.last == "read 0")
        server.advance(by: .seconds(4))
        #expect(server.log.count == 4)
        server.advance(by: .seconds(1))
        #expect(server.log.last == "report 0 c 105.0s z:1,1,0,0")
        #expect(server.lastReport?.node == nil)
    }

    @Test("count calls of each locality: issued, succeeded, failed and running")
    func counts() throws {
        var server = try VirtualLoadServer()
        let load = server.add() { cluster in
            cluster.edsClusterConfig?.serviceName = "e"
        }
        server.start()
        load.call("y", .ok, .unavailable, .ok)
        load.call("z", .cancelled)
        let place = load.place(Sample.zone("z"))
        place.begin()
        load.drops("lb").add()
        load.drops("lb").add()
        load.drops("all").add()
        load.excessDrops.add()
        server.advance(by: .seconds(2))
        #expect(
            server.take().last
                == "report 0 c/e 2.0s y:3,2,1,0 z:2,0,1,1 drops:4 all:1 lb:2")
        place.end(CallOutcome(code: .ok))
        server.advance(by: .seconds(2))
        #expect(server.take() == ["report 0 c/e 2.0s z:0,1,0,0"])
    }

    @Test(
        "are sent no more often than once in a second",
        arguments: [
            nil, Duration.zero, .milliseconds(999), .seconds(-5), .seconds(400_000_000_000),
        ])
    func shortInterval(_ interval: Duration?) throws {
        var server = try VirtualLoadServer()
        let load = server.add()
        server.open()
        server.sent()
        server.want(every: interval)
        load.call("z", .ok)
        server.advance(by: .milliseconds(999))
        #expect(server.take() == ["open 0", "node 0 n1"])
        server.advance(by: .milliseconds(1))
        #expect(server.take() == ["report 0 c 1.0s z:1,1,0,0"])
    }

    @Test("can have the longest interval that a message can hold")
    func longInterval() throws {
        var server = try VirtualLoadServer()
        server.add()
        server.open()
        server.sent()
        server.want(every: .seconds(315_576_000_000))
        #expect(server.timer == MonotonicInstant(nanoseconds: .max))
    }

    @Test("say how much time they are about, for each cluster")
    func measuredIntervals() throws {
        var server = try VirtualLoadServer()
        let first = server.add("a")
        server.start()
        server.advance(by: .seconds(1))
        let second = server.add("b")
        first.call("z", .ok)
        second.call("z", .ok)
        server.advanceLate(by: .milliseconds(1_500))
        #expect(server.take().last == "report 0 a 2.5s z:1,1,0,0; b 1.5s z:1,1,0,0")
        first.call("z", .ok)
        server.advance(by: .seconds(2))
        #expect(server.take() == ["report 0 a 2.0s z:1,1,0,0; b 2.0s"])
    }

    @Test("without a call follow only those with a call")
    func nothingNew() throws {
        var server = try VirtualLoadServer()
        let load = server.add()
        let place = load.place(Sample.zone("z"))
        server.start()
        _ = server.take()
        server.advance(by: .seconds(20))
        #expect(server.take() == ["report 0 c 2.0s z:0,0,0,0"])
        place.begin()
        server.advance(by: .seconds(4))
        // A running call is reported each time.
        #expect(server.take() == ["report 0 c 2.0s z:1,0,0,1", "report 0 c 2.0s z:0,0,0,1"])
        place.end(CallOutcome(code: .ok))
        server.advance(by: .seconds(20))
        #expect(server.take() == ["report 0 c 2.0s z:0,1,0,0", "report 0 c 2.0s z:0,0,0,0"])
        // Only the time of the last wait counts, not that of the reports that were left out.
        load.drops("lb").add()
        server.advance(by: .seconds(2))
        #expect(server.take() == ["report 0 c 2.0s z:0,0,0,0 drops:1 lb:1"])
    }

    @Test("are only about clusters that the server wants, and forget the others")
    func wantedClusters() throws {
        var server = try VirtualLoadServer()
        let loads = [server.add("a"), server.add("b")]
        server.open()
        server.sent()
        server.want(["b", "x"])
        for load in loads { load.call("z", .ok) }
        server.advance(by: .seconds(2))
        #expect(server.take().last == "report 0 b 2.0s z:1,1,0,0")
        server.want(["a"])
        for load in loads { load.call("z", .ok, .ok) }
        server.advance(by: .seconds(2))
        #expect(server.take() == ["report 0 a 2.0s z:2,2,0,0"])
        server.want()
        server.advance(by: .seconds(2))
        #expect(server.take() == ["report 0 a 2.0s; b 2.0s"])
        server.want([])
        for load in loads { load.call("z", .ok) }
        server.advance(by: .seconds(20))
        #expect(server.take() == [])
    }

    @Test("restart their wait with another interval, and only then")
    func changedInterval() throws {
        var server = try VirtualLoadServer()
        let load = server.add()
        server.start()
        _ = server.take()
        load.call("z", .ok)
        server.advance(by: .seconds(1))
        server.want(["c"])
        server.want(["c"])
        server.advance(by: .seconds(1))
        #expect(server.take() == ["report 0 c 2.0s z:1,1,0,0"])
        load.call("z", .ok)
        server.advance(by: .seconds(1))
        server.want(every: .seconds(10))
        server.advance(by: .seconds(9))
        #expect(server.take() == [])
        server.advance(by: .seconds(1))
        #expect(server.take() == ["report 0 c 11.0s z:1,1,0,0"])
    }

    @Test("keep the counts when the stream ends, for the first report of the next one")
    func brokenStream() throws {
        var server = try VirtualLoadServer()
        let load = server.add()
        server.start()
        load.call("z", .ok)
        server.advance(by: .seconds(2))
        _ = server.take()
        load.call("z", .ok, .internal)
        server.advance(by: .seconds(1))
        server.end()
        // It ended after a response, and its attempt began long ago.
        #expect(server.timer == server.now)
        server.advance(by: .seconds(3))
        #expect(server.take() == ["open 0"])
        load.call("z", .ok)
        server.open()
        server.sent()
        server.advance(by: .seconds(10))
        #expect(server.take() == ["node 0 n1"])
        server.want()
        server.advance(by: .seconds(2))
        #expect(server.take() == ["report 0 c 16.0s z:3,2,1,0"])
    }

    @Test("are tried again after longer and longer delays")
    func backoff() throws {
        var server = try VirtualLoadServer()
        server.add()
        var waits: [Duration] = []
        for _ in 0..<14 {
            server.end()
            let start = server.now
            guard let timer = server.timer else { break }
            server.advance(by: timer - start)
            waits.append(timer - start)
        }
        let milliseconds = waits.map { Int(($0 / .milliseconds(1)).rounded()) }
        #expect(milliseconds.prefix(4) == [1_000, 1_600, 2_560, 4_096])
        #expect(milliseconds.last == 120_000)
        #expect(server.take() == Array(repeating: "open 0", count: 15))
        // A response ends the delays.
        server.open()
        server.sent()
        server.want()
        server.advance(by: .seconds(121))
        server.end()
        #expect(server.timer == server.now)
    }

    @Test("wait until there is room for another request")
    func room() throws {
        var server = try VirtualLoadServer()
        let load = server.add()
        server.open()
        server.want()
        load.call("z", .ok)
        server.advance(by: .seconds(10))
        #expect(server.take() == ["open 0", "node 0 n1"] && server.timer == nil)
        server.sent()
        server.advance(by: .seconds(2), sends: false)
        #expect(server.take() == ["report 0 c 12.0s z:1,1,0,0"])
        load.call("z", .ok)
        server.want(every: .seconds(3))
        server.advance(by: .seconds(60), sends: false)
        #expect(server.take() == [])
        server.sent()
        server.advance(by: .seconds(3))
        #expect(server.take() == ["report 0 c 63.0s z:1,1,0,0"])
    }

    @Test("go on after a response that cannot be decoded")
    func malformedResponse() throws {
        var server = try VirtualLoadServer()
        let load = server.add()
        server.start()
        load.call("z", .ok)
        server.receive([0xff, 0xff])
        #expect(server.log.last == "read 0")
        server.advance(by: .seconds(2))
        #expect(server.take().last == "report 0 c 2.0s z:1,1,0,0")
    }

    @Test("go to the server that the cluster came from")
    func servers() throws {
        var server = try VirtualLoadServer(servers: 2)
        server.add("a", for: 0).call("z", .ok)
        server.add("b", for: 1).call("z", .ok)
        #expect(server.take() == ["open 0", "open 1"])
        server.start(1)
        server.advance(by: .seconds(2))
        #expect(server.take() == ["node 1 n1", "report 1 b 2.0s z:1,1,0,0"])
        server.start(0)
        server.advance(by: .seconds(2))
        #expect(
            Set(server.take()) == [
                "node 0 n1", "report 0 a 4.0s z:1,1,0,0", "report 1 b 2.0s",
            ])
    }

    @Test("add up what several balancers of a cluster count")
    func sum() throws {
        var server = try VirtualLoadServer()
        let first = server.add()
        let second = server.add { $0.lrsReportEndpointMetrics = ["cpu_utilization"] }
        let third = server.add { $0.edsClusterConfig?.serviceName = "e" }
        server.start()
        first.call("y", .ok)
        first.drops("lb").add()
        second.call("y", .ok, .internal)
        second.call("z", .ok)
        second.drops("lb").add()
        second.excessDrops.add()
        third.call("z", .ok)
        server.advance(by: .seconds(2))
        #expect(
            server.take().last
                == "report 0 c 2.0s y:3,2,1,0 z:1,1,0,0 drops:3 lb:2; c/e 2.0s z:1,1,0,0")
    }

    @Test("end with the last counts of the last cluster")
    func end() throws {
        var server = try VirtualLoadServer()
        var load: ClusterLoad? = server.add()
        server.start()
        load?.call("y", .ok)
        var running = load?.place(Sample.zone("z"))
        running?.begin()
        load = nil
        server.removeLast()
        server.advance(by: .seconds(2))
        // The cluster is not in use any more, but a call to it still runs.
        #expect(server.take().last == "report 0 c 2.0s y:1,1,0,0 z:1,0,0,1")
        running?.end(CallOutcome(code: .ok))
        running = nil
        server.advance(by: .seconds(2), sends: false)
        #expect(server.take() == ["report 0 c 2.0s z:0,1,0,0"])
        #expect(server.reporter.streams.count == 1)
        server.sent()
        #expect(server.take() == ["close 0"] && server.reporter.streams.isEmpty)
        #expect(server.timer == nil)
    }

    @Test("end at once if the stream ends after the last counts")
    func endOfBrokenStream() throws {
        var server = try VirtualLoadServer()
        server.add()
        server.start()
        server.removeLast()
        server.advance(by: .seconds(2), sends: false)
        server.end()
        #expect(server.take().suffix(2) == ["report 0 c 2.0s", "close 0"])
        #expect(server.reporter.streams.isEmpty && server.timer == nil)
    }

    @Test("keep the counts of a bounded number of clusters that are not in use")
    func boundedClusters() throws {
        var server = try VirtualLoadServer()
        var kept: [ClusterLoad] = []
        for number in 0..<10 { kept.append(server.add("kept\(number)")) }
        for number in 0..<3_000 {
            server.add("c\(number)")
            server.removeLast()
        }
        server.start()
        for load in kept { load.call("z", .ok) }
        server.advance(by: .seconds(2))
        let stats = try #require(server.lastReport?.clusterStats)
        #expect((10...1_000).contains(stats.count))
        #expect(stats.filter { $0.clusterName.hasPrefix("kept") }.count == 10)
    }
}
