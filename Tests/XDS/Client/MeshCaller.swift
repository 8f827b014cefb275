import Foundation
import Swiftlet
import SwiftletXDS

/// Channels, and calls that run while other commands do.
actor MeshCaller {
    private var channels: [String: Channel] = [:]
    private var held: [String: HeldCall] = [:]
    private var running: [String: Task<Outcome, Never>] = [:]

    func carryOut(_ command: Command) async throws -> Answer {
        var answer = Answer()
        switch command.do {
        case "open": try open(command)
        case "call": answer.outcomes = try await call(command)
        case "begin":
            let begun = try begin(command)
            running[command.id ?? ""] = Task { await begun.complete() }
        case "hold":
            let begun = try begin(command)
            held[command.id ?? ""] = begun
            answer.outcomes = [await begun.first()]
        case "finish":
            if let call = held.removeValue(forKey: command.id ?? "") {
                answer.outcomes = [await call.complete()]
            } else if let task = running.removeValue(forKey: command.id ?? "") {
                answer.outcomes = [await task.value]
            }
        case "cancel": held.removeValue(forKey: command.id ?? "")?.cancel()
        case "status": answer.resources = await status()
        case "close": await channels.removeValue(forKey: command.channel ?? "")?.close()
        default: answer.failure = "the command '\(command.do)' is not known"
        }
        return answer
    }

    /// As `client.py`: the target, the type, the name, the number of the state, the version and the error.
    private func status() async -> [[ResourceField]] {
        let states: [XDS.Status.Resource.State] = [
            .requested, .doesNotExist, .acked, .nacked, .receivedError, .timeout,
        ]
        return await XDS.status.targets.flatMap { target in
            target.resources.map { resource in
                [
                    .text(target.target), .text("type.googleapis.com/" + resource.type),
                    .text(resource.name),
                    .integer((states.firstIndex(of: resource.state) ?? -1) + 1),
                    .text(resource.version), .text(resource.error?.message ?? ""),
                ]
            }
        }
    }

    private func open(_ command: Command) throws {
        var arguments = ChannelArguments()
        for (name, argument) in command.arguments ?? [:] {
            try arguments.set(name, to: argument.value)
        }
        channels[command.channel ?? ""] = try Channel(
            command.target ?? "", credentials: .insecure, arguments: arguments)
    }

    private func begin(_ command: Command) throws -> HeldCall {
        guard let channel = channels[command.channel ?? ""] else {
            throw RPCError(.failedPrecondition, "the channel was not opened")
        }
        return try HeldCall(channel, command)
    }

    private func call(_ command: Command) async throws -> [Outcome] {
        let calls = command.count ?? 1
        guard command.together == true else {
            var outcomes: [Outcome] = []
            for _ in 0..<calls { outcomes.append(try await begin(command).complete()) }
            return outcomes
        }
        let begun = try (0..<calls).map { _ in try begin(command) }
        return await withTaskGroup(of: Outcome.self) { group in
            for call in begun { group.addTask { await call.complete() } }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }
}

/// A call that has been started.
final class HeldCall: Sendable {
    private let start = ContinuousClock.now
    private let events: AsyncStream<Event>
    private let call: WritingCall<[UInt8]>
    private let outcome = OutcomeBox()

    private enum Event: Sendable {
        case headers(Metadata)
        case message([UInt8])
        case end(Result<Metadata, RPCError>)
    }

    init(_ channel: Channel, _ command: Command) throws {
        let method = try Method<[UInt8], [UInt8]>(
            path: command.path ?? "", .bidirectional, request: .bytes, reply: .bytes)
        var options = CallOptions()
        options.timeout = command.timeout.map { .seconds($0) }
        options.waitForReady = command.wait
        for pair in command.metadata ?? [] {
            if pair[0].hasSuffix("-bin") {
                options.metadata.append(bytes: Self.bytes(hex: pair[1]), for: pair[0])
            } else {
                options.metadata.append(pair[1], for: pair[0])
            }
        }
        let (events, continuation) = AsyncStream.makeStream(of: Event.self)
        self.events = events
        call = channel.startBidirectional(
            method, options: options,
            handlers: ResponseHandlers(
                initialMetadata: { continuation.yield(.headers($0)) },
                message: { continuation.yield(.message($0)) },
                end: { result in
                    continuation.yield(.end(result))
                    continuation.finish()
                }))
        do {
            try call.write(Array((command.body ?? "{}").utf8))
        } catch {
            // The request is not finished, so there is no such error.
            call.cancel()
        }
    }

    private static func bytes(hex: String) -> [UInt8] {
        let digits = Array(hex.utf8)
        return stride(from: 0, to: digits.count - 1, by: 2).map {
            UInt8(String(decoding: digits[$0...($0 + 1)], as: UTF8.self), radix: 16) ?? 0
        }
    }

    /// The outcome so far, with the first reply or the end.
    func first() async -> Outcome {
        for await event in events {
            await note(event)
            if case .headers = event { continue }
            break
        }
        return await outcome.value
    }

    func complete() async -> Outcome {
        call.finish()
        for await event in events { await note(event) }
        return await outcome.value
    }

    func cancel() { call.cancel() }

    private func note(_ event: Event) async {
        let passed = start.duration(to: .now)
        await outcome.change { outcome in
            outcome.seconds = passed / .seconds(1)
            switch event {
            case .headers(let metadata): outcome.headers = Self.pairs(metadata)
            case .message(let bytes): outcome.reply = String(decoding: bytes, as: UTF8.self)
            case .end(.success): break
            case .end(.failure(let error)):
                outcome.code = error.code.rawValue
                outcome.message = error.message
            }
        }
    }

    private static func pairs(_ metadata: Metadata) -> [[String]] {
        metadata.compactMap { element in
            if case .text(let text) = element.value { [element.name, text] } else { nil }
        }
    }
}

actor OutcomeBox {
    private(set) var value = Outcome()

    func change(_ body: @Sendable (inout Outcome) -> Void) { body(&value) }
}
