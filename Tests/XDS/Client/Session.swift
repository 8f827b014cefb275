import Foundation
import Swiftlet
import SwiftletXDS

/// The channels of a script, and its calls that have not ended.
struct Session {
    private var channels: [String: Channel] = [:]
    private var held: [String: HeldCall] = [:]
    private var running: [String: Task<Outcome, Never>] = [:]

    mutating func carryOut(_ command: Command) async throws -> [Outcome]? {
        switch command.do {
        case .open: try open(command)
        case .close: await channels.removeValue(forKey: command.channel ?? "")?.close()
        case .call: return try await calls(command)
        case .hold:
            var call = try await HeldCall(command, on: channel(of: command))
            let first = await call.first()
            held[command.id ?? ""] = call
            return [first]
        case .begin:
            let channel = try channel(of: command)
            running[command.id ?? ""] = Task { await outcome(of: command, on: channel) }
        case .finish:
            if let call = held.removeValue(forKey: command.id ?? "") {
                return [await call.finish()]
            }
            guard let call = running.removeValue(forKey: command.id ?? "") else {
                throw BadCommand(reason: "no call '\(command.id ?? "")'")
            }
            return [await call.value]
        case .cancel: held.removeValue(forKey: command.id ?? "")?.cancel()
        // Their answers have another form.
        case .load, .status: break
        }
        return nil
    }

    private mutating func open(_ command: Command) throws {
        let credentials: ChannelCredentials
        switch command.credentials ?? "insecure" {
        case "insecure": credentials = .insecure
        case "xds": credentials = .xds(fallback: .insecure)
        case let other: throw BadCommand(reason: "no credentials '\(other)'")
        }
        var arguments = ChannelArguments()
        for (name, argument) in command.arguments ?? [:] {
            try arguments.set(name, to: argument.value)
        }
        channels[command.channel ?? ""] = try Channel(
            command.target ?? "", credentials: credentials, arguments: arguments)
    }

    func load(_ command: Command) async throws -> Load {
        let method = try Method<[UInt8], [UInt8]>(
            path: command.path ?? "", .unary, request: .bytes, reply: .bytes)
        return try await Load(
            method, Array((command.body ?? "{}").utf8), on: channel(of: command),
            options: command.options(), count: command.count ?? 1,
            onQueue: command.onQueue ?? false, for: .seconds(command.seconds ?? 1))
    }

    private func channel(of command: Command) throws -> Channel {
        guard let channel = channels[command.channel ?? ""] else {
            throw BadCommand(reason: "no channel '\(command.channel ?? "")'")
        }
        return channel
    }

    private func calls(_ command: Command) async throws -> [Outcome] {
        let channel = try channel(of: command)
        let count = command.count ?? 1
        guard command.together ?? false else {
            var outcomes: [Outcome] = []
            for _ in 0..<count { outcomes.append(await outcome(of: command, on: channel)) }
            return outcomes
        }
        return await withTaskGroup(of: Outcome.self) { group in
            for _ in 0..<count { group.addTask { await outcome(of: command, on: channel) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }
}

private func outcome(of command: Command, on channel: Channel) async -> Outcome {
    do {
        var call = try await HeldCall(command, on: channel)
        call.closeRequest()
        _ = await call.first()
        return await call.finish()
    } catch {
        return Outcome(code: -1, message: "\(error)")
    }
}
