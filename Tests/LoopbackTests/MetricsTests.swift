import Foundation
import SwiftletBalancing
import SwiftletLoopback
import SwiftletStyles
import SwiftletTransport
import Synchronization
import Testing

@testable import Swiftlet
@testable import SwiftletCore
@testable import SwiftletObservation

@Suite("The metrics of a channel", .timeLimit(.minutes(5)))
struct MetricsTests {
    private static let echo = Method<[UInt8], [UInt8]>(
        "/t.T/Echo", .unary, request: .bytes, reply: .bytes)
    private static let chat = Method<[UInt8], [UInt8]>(
        "/t.T/Chat", .bidirectional, request: .bytes, reply: .bytes)

    private static func server(_ faults: [Fault] = []) throws -> LoopbackServer {
        try LoopbackServer { server in
            server.faults = faults
            server.unary(Self.echo) { request, _ in request }
            server.bidirectional(Self.chat) { requests, writer, _ in
                for try await request in requests { try await writer.write(request) }
            }
        }
    }

    private static func channel(
        _ target: String, _ totals: MetricTotals, _ config: ServiceConfig? = nil
    ) throws -> Channel {
        var arguments = ChannelArguments()
        arguments.metricSinks = [totals]
        arguments.serviceConfig = config
        arguments.initialReconnectBackoff = .milliseconds(50)
        return try Channel(target, credentials: .insecure, arguments: arguments)
    }

    private static func config(_ attempts: MethodConfig.Attempts) -> ServiceConfig {
        var config = ServiceConfig()
        config.methods = [MethodConfig([.all]) { $0.attempts = attempts }]
        return config
    }

    /// `method=… status=…` without the target, and the number and the sum of the values.
    private static func lines(
        _ totals: MetricTotals, _ instrument: MetricInstrument, sum: Bool = true
    ) -> [String] {
        totals[instrument].map { labels, total in
            let texts = labels.filter { $0.key != "grpc.target" }.map(\.value)
            let numbers = sum ? "\(total.count) \(Int(total.sum))" : "\(total.count)"
            return (texts + [numbers]).joined(separator: " ")
        }.sorted()
    }

    @Test("have the names, labels and sizes of a call (A66)")
    func unary() async throws {
        let server = try Self.server()
        let totals = MetricTotals()
        let channel = try Self.channel(server.target, totals)
        #expect(try await channel.unary(Self.echo, [1, 2, 3]) == [1, 2, 3])
        let target = MetricLabel("grpc.target", "dns:///\(server.target)")
        let method = MetricLabel("grpc.method", "t.T/Echo")
        let status = MetricLabel("grpc.status", "OK")
        #expect(totals[.attemptStarted].mapValues(\.sum) == [[method, target]: 1])
        for instrument: MetricInstrument in [.attemptDuration, .callDuration] {
            #expect(totals[instrument].mapValues(\.count) == [[method, target, status]: 1])
            #expect(totals[instrument].values.allSatisfy { $0.sum > 0 })
        }
        for instrument: MetricInstrument in [.attemptSentSize, .attemptReceivedSize] {
            #expect(totals[instrument].mapValues(\.sum) == [[method, target, status]: 3])
        }
        // Instruments that are off by default are not recorded.
        #expect(totals.snapshot.keys.allSatisfy { $0.isOnByDefault })
    }

    @Test("count the bytes of all messages of a stream, and its cancellation")
    func streaming() async throws {
        let server = try Self.server()
        let totals = MetricTotals()
        let channel = try Self.channel(server.target, totals)
        let count: Int = try await channel.bidirectional(Self.chat) { writer in
            for size in [10, 0, 1_000] {
                try await writer.write([UInt8](repeating: 7, count: size))
            }
        } responses: { responses in
            var count = 0
            for try await response in responses { count += response.count }
            return count
        }
        #expect(count == 1_010)
        #expect(Self.lines(totals, .attemptSentSize) == ["t.T/Chat OK 1 1010"])
        #expect(Self.lines(totals, .attemptReceivedSize) == ["t.T/Chat OK 1 1010"])

        let ended = AsyncStream.makeStream(of: Void.self)
        let running = try channel.startUnary(
            Self.echo, [1], options: .with { $0.timeout = .zero }
        ) { _ in ended.continuation.finish() }
        for await _ in ended.stream {}
        _ = running
        // The call never reached the channel, so it had no attempt.
        #expect(Self.lines(totals, .attemptStarted) == ["t.T/Chat 1 1"])
        #expect(
            Self.lines(totals, .callDuration, sum: false) == [
                "t.T/Chat OK 1", "t.T/Echo DEADLINE_EXCEEDED 1",
            ])
    }

    @Test("name only methods whose path is a literal, unless the sink wants all")
    func otherMethods() async throws {
        let server = try Self.server()
        for (recordsAllPaths, expected) in [(false, "other"), (true, "t.T/Echo")] {
            let totals = MetricTotals(recordsAllPaths: recordsAllPaths)
            let channel = try Self.channel(server.target, totals)
            let method = try Method<[UInt8], [UInt8]>(
                path: "/t.T/Echo", .unary, request: .bytes, reply: .bytes)
            _ = try await channel.unary(method, [1])
            #expect(Self.lines(totals, .attemptStarted) == ["\(expected) 1 1"])
        }
    }

    @Test("count each attempt of a call that is retried (A96)")
    func retries() async throws {
        let server = try Self.server([.on("/t.T/Echo", calls: [1, 2], .status(.unavailable))])
        var policy = RetryPolicy(maxAttempts: 4, retryableCodes: [.unavailable])
        policy.initialBackoff = .milliseconds(1)
        let totals = MetricTotals(MetricInstrument.all)
        let channel = try Self.channel(server.target, totals, Self.config(.retry(policy)))
        _ = try await channel.unary(Self.echo, [1, 2])
        #expect(Self.lines(totals, .attemptStarted) == ["t.T/Echo 3 3"])
        #expect(
            Self.lines(totals, .attemptSentSize) == ["t.T/Echo OK 1 2", "t.T/Echo UNAVAILABLE 2 4"])
        #expect(
            Self.lines(totals, .callDuration, sum: false) == ["t.T/Echo OK 1"])
        #expect(Self.lines(totals, .callRetries) == ["t.T/Echo 1 2"])
        #expect(totals[.callRetryDelay].values.map(\.count) == [1])
        #expect(totals[.callRetryDelay].values.allSatisfy { $0.sum > 0 })
        #expect(totals[.callHedges].isEmpty)
        #expect(totals[.callTransparentRetries].isEmpty)
    }

    @Test("count an attempt that its server did not process, and the transparent retry")
    func transparentRetry() async throws {
        let server = try Self.server([.on("/t.T/Echo", call: 1, .refuse)])
        let totals = MetricTotals(MetricInstrument.all)
        let channel = try Self.channel(server.target, totals)
        _ = try await channel.unary(Self.echo, [1, 2])
        #expect(Self.lines(totals, .attemptStarted) == ["t.T/Echo 2 2"])
        #expect(
            Self.lines(totals, .attemptSentSize) == ["t.T/Echo OK 1 2", "t.T/Echo UNAVAILABLE 1 2"])
        #expect(
            Self.lines(totals, .attemptReceivedSize) == [
                "t.T/Echo OK 1 2", "t.T/Echo UNAVAILABLE 1 0",
            ])
        #expect(Self.lines(totals, .callTransparentRetries) == ["t.T/Echo 1 1"])
        #expect(totals[.callRetries].isEmpty)
        #expect(totals[.callRetryDelay].values.map(\.count) == [1])
    }

    @Test("count the attempts of a hedged call, including cancelled ones")
    func hedges() async throws {
        let server = try Self.server([.on("/t.T/Echo", call: 1, .stall)])
        var policy = HedgingPolicy(maxAttempts: 2)
        policy.delay = .milliseconds(5)
        let totals = MetricTotals(MetricInstrument.all)
        let channel = try Self.channel(server.target, totals, Self.config(.hedging(policy)))
        _ = try await channel.unary(Self.echo, [1])
        #expect(Self.lines(totals, .attemptStarted) == ["t.T/Echo 2 2"])
        #expect(Self.lines(totals, .callHedges) == ["t.T/Echo 1 1"])
        try await eventually {
            Self.lines(totals, .attemptDuration, sum: false) == [
                "t.T/Echo CANCELLED 1", "t.T/Echo OK 1",
            ]
        }
        #expect(Self.lines(totals, .callDuration, sum: false) == ["t.T/Echo OK 1"])
    }

    @Test("count an attempt that finds no server, and the attempts to connect")
    func noServer() async throws {
        let totals = MetricTotals(MetricInstrument.all)
        // No server listens on port 1. Another test may use the port of a server that has ended.
        let channel = try Self.channel("127.0.0.1:1", totals)
        await #expect(throws: RPCError.self) { try await channel.unary(Self.echo, [1]) }
        #expect(Self.lines(totals, .attemptStarted) == ["t.T/Echo 1 1"])
        #expect(Self.lines(totals, .attemptSentSize) == ["t.T/Echo UNAVAILABLE 1 0"])
        #expect(Self.lines(totals, .callDuration, sum: false) == ["t.T/Echo UNAVAILABLE 1"])
        // The failed connection attempt is counted after the waiting calls have failed.
        try await eventually { totals[.attemptsFailed].values.contains { $0.sum >= 1 } }
        #expect(totals[.attemptsSucceeded].isEmpty)
        #expect(totals[.openConnections].isEmpty)
    }

    private static let disconnectError: Set<String> = ["grpc.disconnect_error"]

    @Test("follow the connections of a round robin whose server stops (A94)")
    func connections() async throws {
        let servers = [try Self.server(), try Self.server()]
        let totals = MetricTotals(MetricInstrument.all, optionalLabels: ["grpc.security_level"])
        let channel = try Self.channel(
            "ipv4:" + servers.map(\.target).joined(separator: ","), totals,
            ServiceConfig(balancing: RoundRobin()))
        func sum(_ instrument: MetricInstrument) -> Double {
            totals[instrument].values.reduce(0) { $0 + $1.sum }
        }
        while sum(.openConnections) < 2 { _ = try await channel.unary(Self.echo, [1]) }
        #expect(sum(.attemptsSucceeded) == 2)
        #expect(sum(.pickFirstAttemptsSucceeded) == 2)
        #expect(Self.lines(totals, .openConnections) == ["none 2 2"])
        #expect(sum(.disconnections) == 0)
        servers[0].shutdown()
        try await eventually { sum(.openConnections) == 1 }
        #expect(sum(.disconnections) == 1)
        #expect(sum(.pickFirstDisconnections) == 1)
        // The channel tries to connect again.
        try await eventually { sum(.attemptsFailed) > 0 }
        await channel.close()
        try await eventually { sum(.openConnections) == 0 }
        #expect(sum(.disconnections) == 2)
        #expect(sum(.attemptsSucceeded) == 2)
    }

    @Test("contain the reason why a connection is no longer used")
    func disconnectErrors() async throws {
        for (fault, expected) in [
            (Fault.Kind.goAway(.atOnce(.enhanceYourCalm)), "GOAWAY ENHANCE_YOUR_CALM"),
            (.goAway(.graceful), "GOAWAY NO_ERROR"),
        ] {
            let server = try Self.server([.call(1, fault)])
            let totals = MetricTotals(
                [.disconnections], optionalLabels: Self.disconnectError)
            let channel = try Self.channel(server.target, totals)
            _ = try? await channel.unary(Self.echo, [1])
            try await eventually { !totals[.disconnections].isEmpty }
            #expect(Self.lines(totals, .disconnections) == ["\(expected) 1 1"])
        }
        let server = try Self.server()
        let totals = MetricTotals([.disconnections], optionalLabels: Self.disconnectError)
        let channel = try Self.channel(server.target, totals)
        _ = try await channel.unary(Self.echo, [1])
        await channel.close()
        #expect(Self.lines(totals, .disconnections) == ["subchannel shutdown 1 1"])
    }

    @Test("count each spare connection that the check for idleness closes once")
    func spares() async throws {
        let gate = Gate()
        let server = try LoopbackServer { server in
            server.maxConcurrentStreams = 1
            server.unary(Self.echo) { request, _ in
                await gate.pass()
                return request
            }
        }
        let totals = MetricTotals([.disconnections], optionalLabels: Self.disconnectError)
        var arguments = ChannelArguments()
        arguments.metricSinks = [totals]
        arguments.maxConnectionCount = 3
        let channel = try Channel(server.target, credentials: .insecure, arguments: arguments)
        try await withThrowingTaskGroup(of: Void.self) { group in
            // A call that gets no connection says at its deadline what it has waited for.
            let options = CallOptions.with { $0.timeout = .seconds(60) }
            for _ in 0..<3 {
                group.addTask { _ = try await channel.unary(Self.echo, [1], options: options) }
            }
            // Beside the calls, so that one that fails is reported.
            group.addTask {
                await gate.waitFor(3)
                gate.open()
            }
            try await group.waitForAll()
        }
        let core = try #require(channel.backend as? ChannelCore)
        let member = try #require(core.state.withLock { $0.members.values.first })
        try await eventually { member.allLinks.allSatisfy { $0.callCount == 0 } }
        core.timerFired(now: .now)
        try await eventually { member.allLinks.count == 1 }
        #expect(totals[.disconnections].values.reduce(0) { $0 + $1.sum } == 2)
        #expect(channel.connectivity == .ready)
    }

    @Test("have names for the failures of connections")
    func disconnectCauses() {
        #expect(LinkError.Kind.system(ECONNRESET).text == "connection reset")
        #expect(LinkError.Kind.system(ETIMEDOUT).text == "connection timed out")
        #expect(LinkError.Kind.keepAlive.text == "connection timed out")
        #expect(LinkError.Kind.system(ECONNABORTED).text == "connection aborted")
        #expect(LinkError.Kind.system(EPIPE).text == "socket error")
        #expect(LinkError.Kind.other.text == "unknown")
    }

    /// Uses the measured channel for every recorded value.
    private final class ReenteringSink: MetricSink {
        let channel = Mutex<Channel?>(nil)
        let callCount = Atomic(0)
        let endCount = Atomic(0)

        func records(_ instrument: MetricInstrument) -> Bool { true }

        func add(_ measurement: MetricMeasurement<Int>) { use() }

        func record(_ measurement: MetricMeasurement<Double>) { use() }

        private func use() {
            guard let channel = channel.withLock({ $0 }) else { return }
            _ = (channel.connectivity, channel.snapshot)
            guard callCount.add(1, ordering: .relaxed).newValue <= 20 else { return }
            let running = try? channel.startUnary(MetricsTests.echo, [1]) { [self] _ in
                endCount.add(1, ordering: .relaxed)
            }
            if running == nil { endCount.add(1, ordering: .relaxed) }
        }
    }

    @Test("may be recorded by a sink that uses the channel")
    func reentry() async throws {
        let server = try Self.server()
        let sink = ReenteringSink()
        var arguments = ChannelArguments()
        arguments.metricSinks = [sink]
        let channel = try Channel(server.target, credentials: .insecure, arguments: arguments)
        sink.channel.withLock { $0 = channel }
        #expect(try await channel.unary(Self.echo, [1]) == [1])
        try await eventually { sink.endCount.load(ordering: .relaxed) == 20 }
        _ = sink.channel.withLock { $0.take() }
    }

    @Test("are reported to the sinks of the process if a channel has none, and to all of several")
    func sinksOfProcess() async throws {
        let server = try Self.server()
        let (one, other) = (MetricTotals([.callDuration]), MetricTotals([.attemptStarted]))
        MetricSinks.ofProcess = [one, other]
        let channel = try Channel(server.target, credentials: .insecure)
        MetricSinks.ofProcess = []
        _ = try await channel.unary(Self.echo, [1])
        func counts(_ totals: MetricTotals) -> [MetricInstrument: Int] {
            let target = MetricLabel("grpc.target", "dns:///\(server.target)")
            return totals.snapshot.mapValues { series in
                series.filter { $0.key.contains(target) }.values.reduce(0) { $0 + $1.count }
            }
        }
        #expect(counts(one) == [.callDuration: 1])
        #expect(counts(other) == [.attemptStarted: 1])
    }

    @Test("have the target with its scheme, and the optional labels that the sink wants")
    func labels() async throws {
        for (text, canonical) in [
            ("localhost:1", "dns:///localhost:1"), ("dns:localhost:1", "dns:localhost:1"),
            ("dns:///localhost:1", "dns:///localhost:1"), ("ipv4:127.0.0.1:1", "ipv4:127.0.0.1:1"),
            ("[::1]:1", "dns:///[::1]:1"), ("unix:/a", "unix:/a"),
        ] {
            #expect(try Target(text).canonicalText == canonical)
        }
        let server = try Self.server()
        let totals = MetricTotals(
            optionalLabels: ["grpc.lb.locality", "grpc.lb.backend_service", "unknown"])
        let channel = try Self.channel(server.target, totals)
        _ = try await channel.unary(Self.echo, [1])
        let keys = try #require(totals[.attemptDuration].keys.first).map(\.key)
        #expect(
            keys == [
                "grpc.method", "grpc.target", "grpc.status", "grpc.lb.locality",
                "grpc.lb.backend_service",
            ])
        #expect(totals[.callDuration].keys.first?.count == 3)
    }

    @Test("have the reasons of outlier detection (A91)")
    func outliers() throws {
        let totals = MetricTotals(MetricInstrument.all, optionalLabels: ["grpc.lb.backend_service"])
        let metrics = try #require(
            ChannelMetrics([totals], target: try Target("t"), isSecure: false))
        let labels = BackendLabels(service: "shop", locality: "here")
        metrics.record(.outlier(.init(.successRate, .ejected), labels))
        metrics.record(.outlier(.init(.failurePercentage, .keptByChance), labels))
        metrics.record(.outlier(.init(.failurePercentage, .keptByLimit), nil))
        let target = MetricLabel("grpc.target", "dns:///t")
        func method(_ name: String) -> MetricLabel {
            MetricLabel("grpc.lb.outlier_detection.detection_method", name)
        }
        func reason(_ name: String) -> MetricLabel {
            MetricLabel("grpc.lb.outlier_detection.unenforced_reason", name)
        }
        let shop = MetricLabel("grpc.lb.backend_service", "shop")
        let none = MetricLabel("grpc.lb.backend_service", "")
        #expect(
            Set(totals[.ejectionsEnforced].keys) == [[target, method("success_rate"), shop]])
        #expect(
            Set(totals[.ejectionsUnenforced].keys) == [
                [target, method("failure_percentage"), reason("enforcement_percentage"), shop],
                [target, method("failure_percentage"), reason("max_ejection_overflow"), none],
            ])
    }

    @Test("have distinct names, and the totals a text for Prometheus")
    func text() async throws {
        #expect(Set(MetricInstrument.all.map(\.name)).count == MetricInstrument.all.count)
        #expect(MetricInstrument.all.map(\.index) == Array(MetricInstrument.all.indices))
        let totals = MetricTotals(MetricInstrument.all)
        let method = MetricLabel("grpc.method", "a\"b\\\n")
        let target = MetricLabel("grpc.target", "t")
        totals.add(MetricMeasurement(2, of: .attemptStarted, labels: [method]))
        totals.add(MetricMeasurement(-1, of: .openConnections, labels: [target]))
        totals.record(MetricMeasurement(1_500, of: .attemptSentSize, labels: [target]))
        let text = totals.prometheusText
        for line in [
            "# TYPE grpc_client_attempt_started_total counter",
            #"grpc_client_attempt_started_total{grpc_method="a\"b\\\n"} 2"#,
            "# TYPE grpc_subchannel_open_connections gauge",
            #"grpc_subchannel_open_connections{grpc_target="t"} -1"#,
            #"grpc_client_attempt_sent_total_compressed_message_size_bytes_bucket{grpc_target="t",le="1024.0"} 0"#,
            #"grpc_client_attempt_sent_total_compressed_message_size_bytes_bucket{grpc_target="t",le="2048.0"} 1"#,
            #"grpc_client_attempt_sent_total_compressed_message_size_bytes_bucket{grpc_target="t",le="+Inf"} 1"#,
            #"grpc_client_attempt_sent_total_compressed_message_size_bytes_sum{grpc_target="t"} 1500.0"#,
            #"grpc_client_attempt_sent_total_compressed_message_size_bytes_count{grpc_target="t"} 1"#,
        ] {
            #expect(text.split(separator: "\n").contains { $0 == line }, "\(line)")
        }
    }

    @Test("escape labels by bytes, so that a combining mark or CR hides no sign")
    func labels() {
        let totals = MetricTotals(MetricInstrument.all)
        let label = MetricLabel("grpc.method", "a\"\u{301}b\\\u{301}c\r\nd")
        totals.add(MetricMeasurement(1, of: .attemptStarted, labels: [label]))
        let line =
            "grpc_client_attempt_started_total{grpc_method=\"a\\\"\u{301}b\\\\\u{301}c\r\\nd\"} 1\n"
        #expect(totals.prometheusText.utf8.contains(line.utf8))
    }

    @Test("name other methods only for the sinks that want them")
    func otherMethodsOfOneSink() async throws {
        let server = try Self.server()
        let sinks = [false, true].map { recordsAllPaths in
            MetricTotals(MetricInstrument.all, recordsAllPaths: recordsAllPaths)
        }
        var arguments = ChannelArguments()
        arguments.metricSinks = sinks
        let channel = try Channel(server.target, credentials: .insecure, arguments: arguments)
        let method = try Method<[UInt8], [UInt8]>(
            path: "/t.T/Echo", .unary, request: .bytes, reply: .bytes)
        _ = try await channel.unary(method, [1])
        for (totals, name) in zip(sinks, ["other", "t.T/Echo"]) {
            #expect(Self.lines(totals, .attemptStarted) == ["\(name) 1 1"])
            #expect(Self.lines(totals, .attemptSentSize) == ["\(name) OK 1 1"])
            #expect(Self.lines(totals, .callDuration, sum: false) == ["\(name) OK 1"])
        }
    }
}
