import Swiftlet
import SwiftletDynamic
import SwiftletLoopback
import SwiftletTransport

/// Measures how fast a server answers.
enum BenchCommand: Command {
    static let name = "bench"
    static let usage =
        "bench TARGET SERVICE/METHOD [-d JSON|@FILE] [-c N] [-n N | -z TIME] [--rate N] "
        + "\(SchemaOptions.usage) \(ChannelOptions.usage)"
    static let purpose = """
        calls a method many times, and prints rates, latencies and statuses. With --rate calls start
              at fixed times, and each latency counts from the time at which the call was due. Requests
              and values of -H may have the placeholders of ghz, such as {{.RequestNumber}}, {{.UUID}}, {{.Timestamp}},
              {{randomInt 1 9}} and {{randomString 8}}
        """
    static let examples = [
        "bench localhost:50051 helloworld.Greeter/SayHello -d '{\"name\": \"x\"}' -c 50 -n 20000",
        "bench localhost:50051 helloworld.Greeter/SayHello --rate 500 -z 30s --warmup 2s "
            + "--output json",
        "bench localhost:50051 shop.Cart/Get -d '{\"id\": \"{{.RequestNumber}}\"}' -n 1000 "
            + "--output html > report.html",
    ]
    static let options: [CommandOption] =
        [
            .value(
                "d", "data", named: "JSON|@FILE",
                help:
                    "the request, with {{.RequestNumber}} and others; several for a stream, also by several -d"
            ),
            .value("c", "concurrency", named: "N", help: "calls at the same time; default: 50"),
            .value("n", "total", named: "N", help: "how many calls; default: 200 without -z"),
            .value("z", "duration", named: "TIME", help: "how long calls are started"),
            .value("r", "rate", named: "N", help: "calls per second; default: as many as possible"),
            .value("connections", named: "N", help: "channels, each with a connection; default: 1"),
            .value("warmup", named: "TIME", help: "calls before the measurement; default: none"),
            .value(
                "output", named: "text|json|csv|html",
                help: "the form of the result; default: text"),
        ] + SchemaOptions.withReflection + ChannelOptions.all

    private enum Output: String, CaseIterable {
        case text, json, csv, html
    }

    static func run(_ arguments: Arguments) async throws {
        let target = try arguments.word(0, "TARGET")
        let reference = try MethodReference(try arguments.word(1, "SERVICE/METHOD"))
        try arguments.expectAtMost(2)
        let plan = try plan(arguments)
        let concurrency = try arguments.integer("-c", in: 1...100_000) ?? 50
        let output = try arguments.choice("--output", as: Output.self) ?? .text
        let localSchema = try SchemaOptions.localSchema(arguments)
        let headers = try LoadHeaders(HeaderOption.lines(arguments))
        let channels = try channels(target, arguments, headers)
        let run = LoadRun(
            date: LoadRun.text(nanoseconds: WallClock.nanoseconds), target: target,
            method: reference.description,
            concurrency: concurrency, connectionCount: channels.count, plan: plan)
        let result = try await closing(channels) {
            let reflection = ServerReflection(channel: channels[0], target: target)
            let method = try await reference.find(
                in: SchemaSource(localSchema, or: reflection, arguments))
            let requests = try await LoadRequests(
                arguments.all("-d"), headers: headers, of: method)
            let generator = try LoadGenerator(
                method, requests: requests, schedule: LoadSchedule(plan, start: .now))
            return await generator.run(
                on: channels, concurrency: concurrency, isShown: Terminal.showsProgress)
        }
        let report = LoadReport(result: result, run: run)
        if let missed = run.missedRate(started: result.startsPerSecond) {
            printToStandardError("swiftlet: \(missed)")
        }
        switch output {
        case .text: print(report.text(columnCount: Terminal.columnCount))
        case .json: print(report.json)
        case .csv: print(report.csv)
        case .html:
            let subject = "\(arguments.words[1]) on \(target)"
            print(HTMLReport(report: report, subject: subject).text, terminator: "")
        }
        if result.statuses.keys.contains(where: { $0 != .ok }) { throw ExitStatus(status: 1) }
    }

    private static func plan(_ arguments: Arguments) throws -> LoadSchedule.Plan {
        var plan = LoadSchedule.Plan()
        plan.count = try arguments.integer("-n", in: 1...Int(Int32.max))
        plan.duration = try arguments.duration("-z")
        if plan.duration == nil, plan.count == nil { plan.count = 200 }
        plan.rate = try arguments.integer("-r", in: 1...10_000_000).map(Double.init)
        plan.warmUp = try arguments.duration("--warmup") ?? .zero
        return plan
    }

    private static func channels(
        _ target: String, _ arguments: Arguments, _ headers: LoadHeaders
    ) throws -> [Channel] {
        let count = try arguments.integer("--connections", in: 1...10_000) ?? 1
        return try (0..<count).map { _ in
            try ChannelOptions.channel(target, arguments, headers: headers.constant)
        }
    }

    private static func closing<Result>(
        _ channels: [Channel], after body: () async throws -> Result
    ) async throws -> Result {
        guard channels.count > 1 else { return try await channels[0].closing(after: body) }
        let rest = Array(channels.dropFirst())
        return try await channels[0].closing { try await closing(rest, after: body) }
    }
}
