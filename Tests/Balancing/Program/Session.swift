import Foundation
import Swiftlet

/// Steps on one channel.
struct Session: Decodable {
    /// The value of a channel argument.
    enum Argument: Decodable {
        case integer(Int)
        case flag(Bool)
        case text(String)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let value = try? container.decode(Bool.self) {
                self = .flag(value)
            } else if let value = try? container.decode(Int.self) {
                self = .integer(value)
            } else {
                self = .text(try container.decode(String.self))
            }
        }

        var value: ChannelArguments.Value {
            switch self {
            case .integer(let value): .integer(value)
            case .flag(let value): .flag(value)
            case .text(let value): .string(value)
            }
        }
    }

    var target: String
    var arguments: [String: Argument]
    var steps: [Step]

    /// The outcomes of each step.
    func run() async throws -> [[Outcome]] {
        var channelArguments = ChannelArguments()
        for (name, argument) in arguments {
            try channelArguments.set(name, to: argument.value)
        }
        let channel = try Channel(
            target, credentials: .insecure, arguments: channelArguments)
        var outcomes: [[Outcome]] = []
        for step in steps { outcomes.append(try await step.run(on: channel)) }
        await channel.close()
        return outcomes
    }
}

/// Some calls.
struct Step: Decodable {
    enum Action: String, Decodable {
        /// Sends each of `requests` once.
        case calls
        /// Sends `request` until `servers` servers have answered.
        case until
        /// Sends `request` at each interval, for some seconds.
        case load
    }

    var `do`: Action
    var requests: [String]?
    var request: String?
    /// Whether `requests` are sent together.
    var concurrent: Bool?
    var servers: Int?
    var seconds: Double?
    var interval: Double?
    var timeout: Double?
    var waitForReady: Bool?
    /// The messages after the first, and the bytes of each.
    var more: Int?
    var bytes: Int?
}

/// The outcome of a call.
struct Outcome: Encodable {
    var code = 0
    var message = ""
    var reply = ""
    var seconds = 0.0
    /// The time at which the call began, in seconds after the beginning of the load.
    var begun: Double?
}

extension Step {
    private static let unary = Method<[UInt8], [UInt8]>(
        "/balancing.Test/Call", .unary, request: .bytes, reply: .bytes)
    private static let stream = Method<[UInt8], [UInt8]>(
        "/balancing.Test/Call", .bidirectional, request: .bytes, reply: .bytes)

    func run(on channel: Channel) async throws -> [Outcome] {
        switch self.do {
        case .calls: return await calls(on: channel)
        case .until:
            var seen: Set<String> = []
            let end = ContinuousClock.now + .seconds(20)
            while seen.count < servers ?? 1, ContinuousClock.now < end {
                seen.insert(await outcome(of: request ?? "", on: channel).reply)
            }
            return []
        case .load: return try await load(on: channel)
        }
    }

    private func calls(on channel: Channel) async -> [Outcome] {
        let requests = requests ?? []
        guard concurrent ?? false else {
            var outcomes: [Outcome] = []
            for request in requests { outcomes.append(await outcome(of: request, on: channel)) }
            return outcomes
        }
        return await withTaskGroup(of: Outcome.self) { group in
            for request in requests {
                group.addTask { await outcome(of: request, on: channel) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    /// Starts a call at each interval, even if earlier calls have not ended.
    private func load(on channel: Channel) async throws -> [Outcome] {
        let interval = interval ?? 1
        FileHandle.standardOutput.write(Data("load\n".utf8))
        let start = ContinuousClock.now
        return try await withThrowingTaskGroup(of: Outcome.self) { group in
            for index in 0..<Int(((seconds ?? 0) / interval).rounded()) {
                try await Task.sleep(until: start + .seconds(Double(index) * interval))
                group.addTask {
                    let begun = ContinuousClock.now - start
                    var outcome = await outcome(of: request ?? "", on: channel)
                    outcome.begun = begun / .seconds(1)
                    return outcome
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    private func outcome(of request: String, on channel: Channel) async -> Outcome {
        var options = CallOptions()
        options.timeout = .seconds(timeout ?? 20)
        options.waitForReady = waitForReady
        let start = ContinuousClock.now
        var outcome = Outcome()
        do {
            let replies = try await replies(to: request, options, on: channel)
            outcome.reply = replies.map { String(decoding: $0, as: UTF8.self) }
                .joined(separator: " ")
        } catch let error as RPCError {
            outcome.code = error.code.rawValue
            outcome.message = error.message
        } catch {
            outcome.code = -1
            outcome.message = "\(error)"
        }
        outcome.seconds = (ContinuousClock.now - start) / .seconds(1)
        return outcome
    }

    private func replies(
        to request: String, _ options: CallOptions, on channel: Channel
    ) async throws -> [[UInt8]] {
        let first = Array(request.utf8)
        guard let moreCount = more, moreCount > 0 else {
            return [try await channel.unary(Self.unary, first, options: options)]
        }
        let padding = [UInt8](repeating: UInt8(ascii: "x"), count: bytes ?? 0)
        return try await channel.bidirectional(Self.stream, options: options) { requests in
            try await requests.write(first)
            for _ in 0..<moreCount { try await requests.write(padding) }
        } responses: { responses in
            var replies: [[UInt8]] = []
            for try await reply in responses { replies.append(reply) }
            return replies
        }
    }
}
