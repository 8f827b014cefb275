import Foundation
import Swiftlet
import SwiftletBalancing

/// Makes calls of all shapes to five servers with round_robin, outlier detection and retries. The servers are
/// killed, frozen, restarted, drained, slowed and made to fail calls at random. Checks that every call ends
/// once, that a call whose server is killed succeeds on another server, and that the throughput recovers.
enum FaultRun {
    private struct Arguments {
        var seconds = 60
        var taskCount = 100
        var command: String?
    }

    private static let usage = """
        usage: swiftlet-bench faults [options]

          --seconds N       how long things happen to the servers (60), up to 86400
          --tasks N         calls outstanding at any time (100), up to 10000
          --server COMMAND  a program that serves grpc.testing.TestService without TLS on the port
                            of 127.0.0.1 that the variable PORT names, until it is killed. The
                            shell replaces itself by it, so it is one program with its arguments,
                            such as 'swiftlet serve --port $PORT'. By default the servers are
                            loopback servers, which are drained, slowed and made busy, too

        The exit status is 0, 1 when a call was lost or failed without need, and 2 for wrong usage.
        """

    static func run(_ words: [String]) async {
        guard !words.contains("--help") else { return print(usage) }
        do {
            let arguments = try arguments(words)
            let servers = try FaultyServers(count: 5, command: arguments.command)
            defer { servers.stop() }
            let tally = FaultTally()
            try await calls(to: servers, tally, arguments)
            try tally.report(on: servers)
        } catch let complaint as Complaint {
            complain("faults: \(complaint.text); see faults --help")
        } catch {
            giveUp("faults: \(error)")
        }
    }

    private static func arguments(_ words: [String]) throws(Complaint) -> Arguments {
        var arguments = Arguments()
        var rest = words[...]
        while let flag = rest.popFirst() {
            let value = FlagValue(of: flag, in: &rest)
            switch flag {
            case "--seconds": arguments.seconds = try value.count(in: 1...86_400)
            case "--tasks": arguments.taskCount = try value.count(in: 1...10_000)
            case "--server": arguments.command = try value.text()
            default: throw Complaint("there is no option '\(flag)'")
            }
        }
        return arguments
    }

    private static func calls(
        to servers: FaultyServers, _ tally: FaultTally, _ arguments: Arguments
    ) async throws {
        let channel = try Channel(
            servers.target, credentials: .insecure, arguments: channelArguments)
        // These calls wait until at least one server has started.
        for shape in FaultyCall.allCases { try await shape.make(on: channel) }
        let before = try await undisturbed(channel, arguments.taskCount)
        let end = ContinuousClock.now + .seconds(arguments.seconds)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                while ContinuousClock.now < end {
                    try servers.disturb()
                    try await Task.sleep(for: .milliseconds(Int.random(in: 50...400)))
                }
                try servers.healAll()
            }
            for number in 0..<arguments.taskCount {
                group.addTask {
                    while ContinuousClock.now < end {
                        await tally.count(FaultyCall(number)) { try await $0.make(on: channel) }
                    }
                }
            }
            try await group.waitForAll()
        }
        // All servers are running. After the longest reconnect backoff, no call may fail.
        try await Task.sleep(for: .seconds(2))
        for number in 0..<200 {
            await tally.countAfterwards { try await FaultyCall(number).make(on: channel) }
        }
        let after = try await undisturbed(channel, arguments.taskCount)
        print("calls per second: \(before) before the faults, \(after) afterwards")
        await channel.close(grace: .seconds(5))
    }

    /// The number of calls that end in a second while the servers are not disturbed.
    private static func undisturbed(_ channel: Channel, _ taskCount: Int) async throws -> Int {
        let end = ContinuousClock.now + .seconds(1)
        return try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<taskCount {
                group.addTask {
                    var count = 0
                    while ContinuousClock.now < end {
                        try await FaultyCall(number).make(on: channel)
                        count += 1
                    }
                    return count
                }
            }
            return try await group.reduce(0, +)
        }
    }

    private static var channelArguments: ChannelArguments {
        var retry = RetryPolicy(maxAttempts: 5, retryableCodes: [.unavailable])
        retry.initialBackoff = .milliseconds(20)
        retry.maxBackoff = .milliseconds(200)
        var outliers = OutlierDetection(policy: RoundRobin())
        outliers.interval = .seconds(1)
        outliers.baseEjectionTime = .seconds(1)
        outliers.maxEjectionPercent = 40
        outliers.failurePercentageEjection = .init()
        var config = ServiceConfig(balancing: outliers)
        let policy = retry
        config.methods = [
            MethodConfig([.all]) {
                $0.retry = policy
                $0.timeout = .seconds(60)
                $0.waitForReady = true
            }
        ]
        var arguments = ChannelArguments()
        arguments.serviceConfig = config
        arguments.initialReconnectBackoff = .milliseconds(100)
        arguments.maxReconnectBackoff = .seconds(1)
        // Detects a frozen server after twelve seconds.
        arguments.keepAliveInterval = .seconds(10)
        arguments.keepAliveTimeout = .seconds(2)
        return arguments
    }
}
