import Foundation
import Swiftlet
import SwiftletLoopback
import Synchronization

/// Calls of all shapes to five servers that are killed, restarted, drained, slowed and made to refuse
/// calls at random, with round_robin, outlier detection and retries on. Shows that every call ends once,
/// that a call whose server is killed succeeds elsewhere, and that throughput returns.
enum FaultRun {
    static func run(_ arguments: [String]) async {
        var seconds = 60
        var tasks = 100
        var rest = arguments[...]
        while let flag = rest.popFirst() {
            guard let value = rest.popFirst().flatMap({ Int($0) }), value > 0 else {
                complain("\(flag) needs a positive number")
            }
            switch flag {
            case "--seconds": seconds = value
            case "--tasks": tasks = value
            default: complain("unknown option '\(flag)'; faults takes --seconds and --tasks")
            }
        }
        do {
            let servers = try FaultyServers(count: 5)
            let tally = FaultTally()
            try await calls(to: servers, tally, taskCount: tasks, seconds: seconds)
            tally.report(on: servers)
        } catch {
            giveUp("\(error)")
        }
    }

    private static func calls(
        to servers: FaultyServers, _ tally: FaultTally, taskCount: Int, seconds: Int
    ) async throws {
        let channel = try Channel(
            servers.target, credentials: .insecure, arguments: channelArguments)
        let end = ContinuousClock.now + .seconds(seconds)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                while ContinuousClock.now < end {
                    servers.disturb()
                    try? await Task.sleep(for: .milliseconds(Int.random(in: 50...400)))
                }
                await servers.healAll()
            }
            for number in 0..<taskCount {
                group.addTask {
                    while ContinuousClock.now < end {
                        await tally.count(FaultyMethods.Shape(number)) { shape in
                            try await FaultyMethods.call(shape, on: channel)
                        }
                    }
                }
            }
        }
        // All servers are running. After the longest reconnect backoff, no call may fail.
        try await Task.sleep(for: .seconds(2))
        for number in 0..<200 {
            await tally.countAfterwards { [shape = FaultyMethods.Shape(number)] in
                try await FaultyMethods.call(shape, on: channel)
            }
        }
        await channel.close(grace: .seconds(5))
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
                $0.timeout = .seconds(10)
                $0.waitForReady = true
            }
        ]
        var arguments = ChannelArguments()
        arguments.serviceConfig = config
        arguments.initialReconnectBackoff = .milliseconds(100)
        arguments.maxReconnectBackoff = .seconds(1)
        return arguments
    }
}

/// The methods of the servers.
enum FaultyMethods {
    enum Shape: Int, CaseIterable {
        case unary, fromClient, fromServer, both

        init(_ number: Int) { self = Self.allCases[number % Self.allCases.count] }
    }

    private static let unary = Method<[UInt8], [UInt8]>(
        "/faults.F/Unary", .unary, request: .bytes, reply: .bytes)
    private static let fromClient = Method<[UInt8], [UInt8]>(
        "/faults.F/FromClient", .clientStreaming, request: .bytes, reply: .bytes)
    private static let fromServer = Method<[UInt8], [UInt8]>(
        "/faults.F/FromServer", .serverStreaming, request: .bytes, reply: .bytes)
    private static let both = Method<[UInt8], [UInt8]>(
        "/faults.F/Both", .bidirectional, request: .bytes, reply: .bytes)

    static func register(_ server: inout ServerMethods) {
        server.unary(unary) { request, _ in request }
        server.clientStreaming(fromClient) { requests, _ in
            var sum: [UInt8] = []
            for try await request in requests { sum += request }
            return sum
        }
        server.serverStreaming(fromServer) { request, writer, _ in
            for _ in 0..<3 { try await writer.write(request) }
        }
        server.bidirectional(both) { requests, writer, _ in
            for try await request in requests { try await writer.write(request) }
        }
    }

    /// Makes a call. Throws its error, or a complaint when the answer is not the right one.
    static func call(_ shape: Shape, on channel: Channel) async throws {
        var answers: [[UInt8]] = []
        switch shape {
        case .unary: answers = [try await channel.unary(unary, [1, 2, 3])]
        case .fromClient:
            answers = [
                try await channel.clientStreaming(fromClient) { writer in
                    for byte: UInt8 in 1...3 { try await writer.write([byte]) }
                }
            ]
        case .fromServer:
            for try await answer in try await channel.serverStreaming(fromServer, [1, 2, 3]) {
                answers.append(answer)
            }
        case .both:
            answers = try await channel.bidirectional(both) { writer in
                for byte: UInt8 in 1...3 { try await writer.write([byte]) }
            } responses: { responses in
                var all: [[UInt8]] = []
                for try await response in responses { all.append(response) }
                return all
            }
        }
        let expected: [[UInt8]] =
            switch shape {
            case .unary, .fromClient: [[1, 2, 3]]
            case .fromServer: [[1, 2, 3], [1, 2, 3], [1, 2, 3]]
            case .both: [[1], [2], [3]]
            }
        guard answers == expected else { throw Complaint("wrong answer \(answers)") }
    }
}

/// Servers on fixed ports, of which at least two answer at any time.
final class FaultyServers: Sendable {
    private struct State {
        var servers: [LoopbackServer?] = []
        var ports: [UInt16] = []
        var counts: [String: Int] = [:]
        /// The server that fails calls, one at a time: with more of them, all attempts of a call could
        /// fail.
        var busyIndex: Int?
    }

    private let state = Mutex(State())

    init(count: Int) throws {
        for _ in 0..<count {
            let server = try LoopbackServer(register: FaultyMethods.register)
            guard let port = server.target.split(separator: ":").last.flatMap({ UInt16($0) }) else {
                throw Complaint("no port in \(server.target)")
            }
            state.withLock { state in
                state.servers.append(server)
                state.ports.append(port)
            }
        }
    }

    var target: String {
        "ipv4:" + state.withLock { $0.ports.map { "127.0.0.1:\($0)" } }.joined(separator: ",")
    }

    /// What was done to the servers, and how often.
    var counts: [String: Int] { state.withLock { $0.counts } }

    /// Kills, drains, slows, breaks or heals a server chosen at random; restarts it if it is
    /// stopped.
    func disturb() {
        let (index, server, isRunningCount) = state.withLock { state in
            let index = Int.random(in: 0..<state.servers.count)
            return (index, state.servers[index], state.servers.count { $0 != nil })
        }
        guard let server else { return restart(index) }
        switch Int.random(in: 0..<6) {
        case 0 where isRunningCount > 2, 1 where isRunningCount > 2:
            note("killed")
            heal(index, server)
            state.withLock { $0.servers[index] = nil }
            server.shutdown()
        case 2:
            note("drained")
            server.leaveGracefully()
        case 3:
            heal(index, server)
            set([.delay(.milliseconds(50))], on: server, "slowed")
        case 4 where state.withLock({ $0.busyIndex }) == nil:
            state.withLock { $0.busyIndex = index }
            set([.status(.unavailable, "busy")], on: server, "busy")
        default: heal(index, server)
        }
    }

    private func heal(_ index: Int, _ server: LoopbackServer) {
        state.withLock { if $0.busyIndex == index { $0.busyIndex = nil } }
        set([], on: server, "healed")
    }

    private func set(_ kinds: [Fault.Kind], on server: LoopbackServer, _ name: String) {
        note(name)
        do {
            try server.setFaults(kinds.map { .randomly(0.9, seed: 7, $0) })
        } catch {
            giveUp("\(error)")
        }
    }

    private func restart(_ index: Int) {
        let (port, isRunning) = state.withLock { ($0.ports[index], $0.servers[index] != nil) }
        if isRunning { return }
        // The system may hold the port for a moment; the next round tries again.
        guard
            let server = try? LoopbackServer(
                on: .ipv4(port: port), register: FaultyMethods.register)
        else { return note("restart failed") }
        note("restarted")
        state.withLock { $0.servers[index] = server }
    }

    /// Brings all servers back, without faults.
    func healAll() async {
        for index in 0..<state.withLock({ $0.servers.count }) {
            restart(index)
            while state.withLock({ $0.servers[index] }) == nil {
                try? await Task.sleep(for: .milliseconds(50))
                restart(index)
            }
            if let server = state.withLock({ $0.servers[index] }) { heal(index, server) }
        }
    }

    private func note(_ name: String) { state.withLock { $0.counts[name, default: 0] += 1 } }
}

/// How the calls ended.
final class FaultTally: Sendable {
    private struct State {
        var begun = 0
        var ended = 0
        var failures: [String: Int] = [:]
        var lateFailures: [String: Int] = [:]
    }

    private let state = Mutex(State())

    func count(
        _ shape: FaultyMethods.Shape, _ call: (FaultyMethods.Shape) async throws -> Void
    ) async {
        state.withLock { $0.begun += 1 }
        do {
            try await call(shape)
            state.withLock { $0.ended += 1 }
        } catch {
            let text = "\(shape): \(Self.cause(error))"
            state.withLock { state in
                state.ended += 1
                state.failures[text, default: 0] += 1
            }
        }
    }

    func countAfterwards(_ call: () async throws -> Void) async {
        do {
            try await call()
        } catch {
            state.withLock { $0.lateFailures[Self.cause(error), default: 0] += 1 }
        }
    }

    private static func cause(_ error: any Error) -> String {
        guard let error = error as? RPCError else { return "\(error)" }
        let began = error.timeline?.firstByte == nil ? "" : " in the middle of its answer"
        return "\(error.code)\(began) after \(error.attempts.count + 1) attempts: \(error.message)"
    }

    /// Prints the figures, and ends with a failure when a call was lost, or one failed that could have
    /// been sent again.
    func report(on servers: FaultyServers) {
        let state = state.withLock { $0 }
        print(
            "servers: \(servers.counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" })")
        print("calls: \(state.begun) begun, \(state.ended) ended")
        for (cause, count) in state.failures.sorted(by: { $0.value > $1.value }) {
            print("  \(count) × \(cause)")
        }
        for (cause, count) in state.lateFailures { print("  afterwards: \(count) × \(cause)") }
        let lost = state.begun - state.ended
        guard lost == 0 else { giveUp("\(lost) calls were lost") }
        // A call whose answer has begun is not sent again (proposal A6). Any other call is, until all
        // attempts were made.
        let allowed = ["UNAVAILABLE in the middle of its answer", "UNAVAILABLE after 5 attempts"]
        let wrong = state.failures.keys.filter { failure in
            !allowed.contains { failure.drop { $0 != " " }.dropFirst().hasPrefix($0) }
        }
        guard wrong.isEmpty else { giveUp("calls failed before all attempts were made") }
        guard state.lateFailures.isEmpty else { giveUp("calls failed after the faults had ended") }
        print("ok")
    }
}
