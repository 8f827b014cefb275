import Foundation
import Swiftlet
import SwiftletDynamic
import SwiftletLoopback
import Synchronization
import Testing

@testable import SwiftletCLI

@Suite("swiftlet bench", .timeLimit(.minutes(5)))
struct BenchTests {
    @Test("counts each latency within a 64th of its value")
    func precision() {
        for nanoseconds in [0, 1, 63, 64, 65, 127, 128, 1_000, 123_456_789, 1 << 40] {
            var histogram = LatencyHistogram()
            histogram.record(.zero)
            histogram.record(.nanoseconds(nanoseconds))
            histogram.record(.seconds(1 << 20))
            let median = histogram.percentile(0.5) / .nanoseconds(1)
            #expect(abs(median - Double(nanoseconds)) <= Double(nanoseconds) / 64 + 1)
        }
    }

    @Test("finds percentiles as sorting does, also after a merge")
    func percentiles() {
        var (one, other) = (LatencyHistogram(), LatencyHistogram())
        for count in 1...1_000 {
            if count.isMultiple(of: 2) {
                one.record(.microseconds(count))
            } else {
                other.record(.microseconds(count))
            }
        }
        one.merge(other)
        #expect(one.count == 1_000)
        #expect(one.min == .microseconds(1))
        #expect(one.max == .microseconds(1_000))
        #expect(one.mean == .nanoseconds(500_500))
        for part in [0.5, 0.9, 0.99, 0.999] {
            let found = one.percentile(part) / .microseconds(1)
            #expect(abs(found - part * 1_000) <= part * 1_000 / 64 + 1)
        }
        #expect(one.bars(10, to: one.percentile(0.99)).reduce(0) { $0 + $1.count } == 1_000)
    }

    @Test("starts calls at fixed times, however fast the server answers")
    func openLoop() throws {
        let start = ContinuousClock.now
        var plan = LoadSchedule.Plan()
        plan.rate = 10
        plan.duration = .milliseconds(350)
        plan.warmUp = .milliseconds(150)
        let schedule = LoadSchedule(plan, start: start)
        var due: [Duration] = []
        var measured = 0
        // `now` does not advance: the times do not depend on how long calls take.
        while let ticket = schedule.next(now: start) {
            due.append(start.duration(to: try #require(ticket.due)))
            if ticket.isMeasured { measured += 1 }
        }
        #expect(due == [0, 100, 200, 300, 400].map { .milliseconds($0) })
        #expect(measured == 3)
    }

    @Test("makes the requested number of calls, and reports their statuses")
    func count() async throws {
        let server = try LoopbackServer { server in
            server.addGreeter()
            server.add(ReflectionService())
        }
        let bench = ["bench", server.target, "helloworld.Greeter/SayHello", "-n", "100", "-c", "7"]
        let json = try await Program.run(bench + ["--connections", "2", "--output", "json"])
        #expect(json.status == 0, "\(json.errors)")
        let report = try #require(
            try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
        #expect(report["calls"] as? Int == 100)
        #expect(report["statuses"] as? [String: Int] == ["OK": 100])
        let csv = try await Program.run(bench + ["--output", "csv"])
        let lines = csv.output.split(separator: "\n").map {
            $0.split(separator: ",", omittingEmptySubsequences: false)
        }
        #expect(lines.count == 2)
        #expect(lines.first?.count == lines.last?.count)
        let text = try await Program.run(bench)
        #expect(text.output.contains("  OK  100"))
    }

    @Test(
        "exchanges more requests and answers than fit on the way, also if the server ends the call early",
        arguments: ["Chat", "Put"])
    func largeStreams(_ method: String) async throws {
        let server = try LoopbackServer { server in
            // Follows no bandwidth, so that the requests do not fit.
            server.windowByteCount = 70_000
            server.bidirectional(
                Method<[UInt8], [UInt8]>(
                    "/a.S/Chat", .bidirectional, request: .bytes, reply: .bytes)
            ) { requests, replies, _ in
                for try await request in requests { try await replies.write(request) }
            }
            server.clientStreaming(
                Method<[UInt8], [UInt8]>(
                    "/a.S/Put", .clientStreaming, request: .bytes, reply: .bytes)
            ) { _, _ in [] }
        }
        let schema = try TemporaryFile(
            """
            syntax = "proto3";
            package a;
            message M { bytes data = 1; }
            service S { rpc Chat(stream M) returns (stream M); rpc Put(stream M) returns (M); }
            """)
        let request = "{\"data\": \"\(String(repeating: "AAAA", count: 100_000))\"}\n"
        let requests = try TemporaryFile(String(repeating: request, count: 20), suffix: ".json")
        let run = try await Program.run([
            "bench", server.target, "a.S/\(method)", "--proto", schema.path, "-n", "2", "-c", "1",
            "-d", "@\(requests.path)", "--max-time", "240s",
        ])
        #expect(run.status == 0, "\(run.output)")
    }

    @Test("says when calls start later than --rate asks for, and not when they are slow")
    func missedRate() throws {
        var run = LoadRun()
        run.plan.rate = 100
        for (interval, isMissed) in [(10, false), (11, true), (20, true), (5, false)] {
            var (one, other) = (LoadResult(), LoadResult())
            for index in 0..<50 {
                let start = Duration.milliseconds(index * interval)
                // Each call takes a minute, which does not matter.
                let end = start + .seconds(60)
                if index.isMultiple(of: 2) {
                    one.start(at: start)
                    one.record(.seconds(60), .success(1), at: end)
                } else {
                    other.start(at: start)
                    other.record(.seconds(60), .success(1), at: end)
                }
            }
            one.merge(other)
            let missed = run.missedRate(started: one.startsPerSecond)
            #expect((missed != nil) == isMissed, "\(interval)")
            let text = LoadReport(result: one, run: run).text(columnCount: 80)
            #expect(text.contains("rate missed") == isMissed)
        }
        #expect(LoadResult().startsPerSecond == nil)
        #expect(LoadRun().missedRate(started: 1) == nil)
    }

    @Test("writes what was asked for, failures and the course of time for programs")
    func programs() throws {
        var run = LoadRun()
        (run.date, run.target, run.method) = ("2026-01-02T03:04:05Z", "a\"b,c:1", "shop.Cart/Get")
        run.plan.rate = 100
        var result = LoadResult()
        result.start(at: .zero)
        result.record(.milliseconds(5), .success(3), at: .milliseconds(10))
        for index in 0..<100 {
            let error = RPCError(.unavailable, "no \(index % 60) \u{1b}[31m")
            result.record(.milliseconds(index), .failure(error), at: .seconds(1))
        }
        let report = LoadReport(result: result, run: run)
        let json = try #require(
            try JSONSerialization.jsonObject(with: Data(report.json.utf8)) as? [String: Any])
        #expect(json["target"] as? String == "a\"b,c:1")
        #expect(json["requestedRate"] as? Double == 100)
        #expect(json["requestedCalls"] == nil)
        #expect(json["failed"] as? Int == 100)
        let failures = try #require(json["failures"] as? [String: Int])
        // 50 texts of their own, and one line for the other texts.
        #expect(failures.count == 51)
        #expect(failures.values.reduce(0, +) == 100)
        #expect(failures["UNAVAILABLE: no 3  [31m"] == 2)
        #expect((json["timeline"] as? [[String: Any]])?.map { $0["calls"] as? Int } == [1, 100])
        let bars = try #require(json["histogram"] as? [[String: Any]])
        #expect(bars.compactMap { $0["calls"] as? Int }.reduce(0, +) == 101)
        let lines = report.csv.split(separator: "\n")
        #expect(lines[0].hasPrefix("date,target,method,concurrency,"))
        #expect(
            lines[1].hasPrefix(
                "\"2026-01-02T03:04:05Z\",\"a\"\"b,c:1\",\"shop.Cart/Get\",1,1,,,100.0"))
        #expect(lines[0].split(separator: ",").contains("UNAVAILABLE"))
    }

    @Test("ends a call after 20 seconds, unless --max-time is given")
    func timeout() throws {
        for (words, timeout) in [([], 20), (["--max-time", "3"], 3)] as [([String], Int)] {
            let arguments = try Arguments(words, of: BenchCommand.self)
            let channel = try ChannelOptions.channel("localhost:1", arguments, headers: [])
            #expect(channel.defaultOptions.timeout == .seconds(timeout))
        }
    }

    @Test("fits a report into the width of the terminal", arguments: [80, 40])
    func width(columnCount: Int) {
        var result = LoadResult()
        for count in 1...2_000 {
            result.record(.microseconds(count * 75), .success(16), at: .seconds(count / 100))
        }
        result.duration = .seconds(20)
        let lines = LoadReport(result: result).text(columnCount: columnCount)
            .split(separator: "\n")
        #expect(lines.allSatisfy { $0.count <= columnCount }, "\(lines)")
        #expect(lines.contains { $0.hasSuffix("max 150.00 ms") })
        #expect(lines.contains("            max 150.00 ms") == (columnCount == 40))
    }

    @Test("replaces placeholders in -H for each call, and refuses a header that is not valid")
    func headers() async throws {
        let seen = Mutex<[String]>([])
        typealias Hello = Method<HelloRequest, HelloReply>
        let hello = try Hello(path: "/helloworld.Greeter/SayHello", .unary)
        let server = try LoopbackServer { server in
            server.add(ReflectionService())
            server.unary(hello) { _, context in
                let values = ["x-number", "x-tenant", "x-method"].map { context.metadata[$0] ?? "" }
                seen.withLock { $0.append(values.joined(separator: " ")) }
                return HelloReply()
            }
        }
        let bench = ["bench", server.target, "helloworld.Greeter/SayHello", "-n", "3", "-c", "1"]
        let run = try await Program.run(
            bench + [
                "-H", "x-number: n{{.RequestNumber}}", "-H", "x-tenant: blue",
                "-H", "x-method: {{.MethodName}}",
            ])
        #expect(run.status == 0, "\(run.errors)")
        #expect(
            seen.withLock { $0 } == ["n0 blue SayHello", "n1 blue SayHello", "n2 blue SayHello"])

        for (header, error) in [
            ("x-number: {{.RequestNumbr}}", "did you mean '.RequestNumber'?"),
            ("x-number: {{.RequestNumber", "'{{' without '}}' in 'x-number: {{.RequestNumber'"),
            ("x-bytes-bin: {{.MethodName}}!", "the value of 'x-bytes-bin' is not base64"),
            ("grpc-{{.MethodName}}: 1", "grpc-sayhello"),
        ] {
            let refused = try await Program.run(bench + ["-H", header])
            #expect(refused.status == 2)
            #expect(refused.errors.contains(error), "\(refused.errors)")
        }
        #expect(seen.withLock(\.count) == 3)
    }
}

@Suite("The data of swiftlet bench", .timeLimit(.minutes(5)))
struct DataTemplateTests {
    private static func makeMethod() throws -> MethodSchema {
        let proto = """
            syntax = "proto3";
            package a;
            service S { rpc M(In) returns (stream Out); }
            message In { string text = 1; }
            message Out {}
            """
        let schema = try Schema(ProtoCompiler().compile(source: proto))
        return try #require(schema.service("a.S")?.method("M"))
    }

    /// The numbers 0, 1, 2 and so on.
    private struct Counter: RandomNumberGenerator {
        var count: UInt64 = 0

        mutating func next() -> UInt64 {
            count += 1
            return count &* 0x9e37_79b9_7f4a_7c15
        }
    }

    private static func text(_ template: String) throws -> String {
        let values = TemplateValues(
            requestNumber: 12, workerNumber: 3, now: 1_700_000_000_123_456_789,
            method: try makeMethod())
        var random = Counter()
        return try DataTemplate(template).text(values, using: &random)
    }

    @Test(
        "replace the placeholders of ghz",
        arguments: [
            ("no {placeholder}", "no {placeholder}"), ("{{.RequestNumber}}", "12"),
            ("a{{ .WorkerID }}b{{.RequestNumber}}c", "a3b12c"),
            ("{{.Timestamp}}", "2023-11-14T22:13:20.123456789Z"),
            ("{{.TimestampUnix}} {{.TimestampUnixMilli}}", "1700000000 1700000000123"),
            ("{{.TimestampUnixNano}}", "1700000000123456789"),
            ("{{.FullyQualifiedName}} {{.ServiceName}} {{.MethodName}}", "a.S.M a.S M"),
            ("{{.InputName}} {{.OutputName}}", "a.In a.Out"),
            ("{{.IsClientStreaming}} {{.IsServerStreaming}}", "false true"),
            ("{{randomInt 7 7}}{{randomString 0}}", "7"),
        ])
    func values(template: String, text: String) throws {
        #expect(try Self.text(template) == text)
    }

    @Test("have random numbers, strings and UUIDs of the requested form")
    func random() throws {
        let number = try #require(Int(try Self.text("{{randomInt 10 19}}")))
        #expect((10...19).contains(number))
        #expect(try Self.text("{{randomString 40}}").count == 40)
        for placeholder in ["{{newUUID}}", "{{.UUID}}"] {
            let parts = try Self.text(placeholder).split(separator: "-")
            #expect(parts.map(\.count) == [8, 4, 4, 4, 12])
            #expect(parts[2].first == "4")
            #expect("89ab".contains(try #require(parts[3].first)))
        }
    }

    @Test(
        "refuse placeholders that do not exist",
        arguments: [
            "{{.RequestNumbr}}", "{{randomInt 9 1}}", "{{randomInt 9}}", "{{randomString -1}}",
            "{{}}",
            "{{.RequestNumber", "{{newUUID 1}}",
        ])
    func mistakes(template: String) {
        #expect(throws: UsageError.self) { _ = try DataTemplate(template) }
    }

    @Test("differ in each call")
    func calls() async throws {
        let names = Mutex<Set<String>>([])
        let sayHello = Method<HelloRequest, HelloReply>("/helloworld.Greeter/SayHello", .unary)
        let server = try LoopbackServer { server in
            server.unary(sayHello) { request, _ in
                names.withLock { _ = $0.insert(request.name) }
                return HelloReply()
            }
            server.add(ReflectionService())
        }
        let bench = ["bench", server.target, "helloworld.Greeter/SayHello", "-n", "20"]
        let run = try await Program.run(bench + ["-d", "{\"name\": \"n{{.RequestNumber}}\"}"])
        #expect(run.status == 0, "\(run.errors)")
        #expect(names.withLock { $0 } == Set((0..<20).map { "n\($0)" }))
        let wrong = try await Program.run(bench + ["-d", "{\"nme\": \"{{.UUID}}\"}"])
        #expect(wrong.status == 2)
        #expect(wrong.errors.contains("has no field 'nme'"))
    }

    @Test("show their progress on a line that fits the terminal")
    func progress() {
        func line(_ columnCount: Int) -> String {
            LoadProgress.line(
                count: 12_345, failures: 6, perSecond: 789.5, after: .seconds(10),
                columnCount: columnCount)
        }
        #expect(line(80) == "12345 calls, 790/s, 6 failed, 10 s")
        #expect(line(34) == "12345 calls, 790/s, 6 failed")
        #expect(line(12) == "12345 calls")
        #expect(line(5) == "")
    }

    @Test("are reported as a page of HTML with charts and without scripts")
    func html() throws {
        var result = LoadResult()
        for index in 0..<200 {
            result.record(
                .milliseconds(index + 1), .success(1), at: .milliseconds(index * 10))
        }
        result.record(.seconds(2), .failure(RPCError(.internal, "<b>")), at: .seconds(3))
        #expect(result.seconds.map(\.callCount) == [100, 100, 0, 1])
        #expect(
            result.seconds[3] == LoadSecond(callCount: 1, failureCount: 1, latencySum: .seconds(2)))
        let html = HTMLReport(report: LoadReport(result: result), subject: "a&b").text
        #expect(html.count(of: "<svg ") == 3)
        #expect(html.count(of: "</svg>") == 3)
        #expect(html.count(of: "<title>second ") == 4)
        #expect(html.count(of: "<script") == 0)
        #expect(html.contains("<h1>a&amp;b</h1>"))
        #expect(html.contains("&lt;b&gt;"))
        #expect(!html.contains("http"))
        // For Swift, a sign and a combining mark after it are one character; for a browser, they are two.
        let hidden = HTMLText.escaped("<\u{338}img src='\u{301}x'>\u{338}&\u{301}")
        #expect(
            hidden.utf8.elementsEqual(
                "&lt;\u{338}img src=&#39;\u{301}x&#39;&gt;\u{338}&amp;\u{301}".utf8))
        #expect(
            HTMLReport(report: LoadReport(result: LoadResult()), subject: "").text.contains(
                "</html>"))
    }

    @Test("have charts with round scales")
    func scales() {
        for (value, top) in [
            (0, 1), (1, 1), (1.2, 1.5), (7, 8), (99, 100), (101, 150), (0.03, 0.03),
        ] {
            #expect(abs(SVGChart.roundedUp(value) - top) < 1e-9)
        }
    }
}

extension String {
    fileprivate func count(of text: String) -> Int { components(separatedBy: text).count - 1 }
}
