import Swiftlet
import SwiftletServices

/// Measures the time of round trips to a server.
enum PingCommand: Command {
    static let name = "ping"
    static let usage = "ping TARGET [-c COUNT] [--interval TIME] \(ChannelOptions.usage)"
    static let purpose = """
        measures the time of empty health checks on one connection. Every status that the server
              itself sends counts as an answer, so that the server needs no health service
        """
    static let examples = ["ping localhost:50051", "ping api.example.com:443 -c 20 --interval 0.2"]
    static let options: [CommandOption] =
        [
            .value("c", "count", named: "COUNT", help: "how many; default: 5"),
            .value("interval", named: "TIME", help: "from one to the next; default: 1s"),
        ] + ChannelOptions.all

    static func run(_ arguments: Arguments) async throws {
        let target = try arguments.word(0, "TARGET")
        try arguments.expectAtMost(1)
        let count = try arguments.integer("-c", in: 1...1_000_000) ?? 5
        let interval = try arguments.duration("--interval") ?? .seconds(1)
        let channel = try ChannelOptions.channel(target, arguments)
        try await channel.closing {
            let connected = try await roundTrip(channel)
            print("connected and answered after \(connected.milliseconds)")
            var latencies = LatencyHistogram()
            for number in 1...count {
                let latency = try await roundTrip(channel)
                latencies.record(latency)
                print("\(number): \(latency.milliseconds)")
                flushOutput()
                if number < count { try await Task.sleep(for: interval) }
            }
            print(
                "min \(latencies.min.milliseconds), mean \(latencies.mean.milliseconds), "
                    + "max \(latencies.max.milliseconds)")
        }
    }

    private static func roundTrip(_ channel: Channel) async throws -> Duration {
        let start = ContinuousClock.now
        do {
            _ = try await HealthClient(channel: channel).check()
        } catch  where error.origin == .server {
            // Any status counts as an answer.
        }
        return start.duration(to: .now)
    }
}
