import Foundation
import Swiftlet
import SwiftletTransport
import Synchronization

/// The work of `swiftlet-bench client` in tasks.
struct ClientTasks: Sendable {
    let channel: Channel
    let methods: ClientMethods
    let meter: ClientMeter
    let arguments: ClientArguments

    func run() async {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<arguments.concurrency {
                group.addTask {
                    do {
                        switch arguments.scenario {
                        case .unary: try await unary()
                        case .stream: try await stream()
                        case .serverStream: try await fromServer()
                        case .clientStream: try await fromClient()
                        case .idle, .connections: break
                        }
                    } catch {
                        meter.fail(error)
                    }
                }
            }
        }
    }

    private func unary() async throws {
        var tally = ClientMeter.Tally()
        defer { meter.merge(tally) }
        var start = ClientMeter.Instant.now
        while true {
            try methods.check(try await channel.unary(methods.unary, methods.request))
            let now = ClientMeter.Instant.now
            guard meter.count(&tally, from: start, to: now) else { return }
            start = now
        }
    }

    private func stream() async throws {
        var tally = ClientMeter.Tally()
        defer { meter.merge(tally) }
        try await channel.bidirectional(methods.stream) { requests, responses in
            var replies = responses.makeAsyncIterator()
            var start = ClientMeter.Instant.now
            while true {
                try await requests.write(methods.request)
                guard let reply = try await replies.next() else {
                    throw RPCError(.dataLoss, "the stream ended")
                }
                try methods.check(reply)
                let now = ClientMeter.Instant.now
                guard meter.count(&tally, from: start, to: now) else { break }
                start = now
            }
            requests.finish()
            while try await replies.next() != nil {}
        }
    }

    private func fromServer() async throws {
        var tally = ClientMeter.Tally()
        defer { meter.merge(tally) }
        while ClientMeter.Instant.now < meter.end {
            let replies = try await channel.serverStreaming(
                methods.fromServer, methods.request, options: arguments.countOptions)
            var block = ClientMeter.Block()
            var count = 0
            for try await reply in replies {
                try methods.check(reply)
                count += 1
                guard block.add(&tally, meter) else { return }
            }
            guard block.end(&tally, meter) else { return }
            try arguments.check(count)
        }
    }

    private func fromClient() async throws {
        let tally = Mutex(ClientMeter.Tally())
        defer { meter.merge(tally.withLock { $0 }) }
        while ClientMeter.Instant.now < meter.end {
            let reply = try await channel.clientStreaming(methods.fromClient) { requests in
                var block = ClientMeter.Block()
                for _ in 0..<arguments.messageCount {
                    try await requests.write(methods.request)
                    guard tally.withLock({ block.add(&$0, meter) }) else { return }
                }
                _ = tally.withLock { block.end(&$0, meter) }
            }
            try methods.check(reply)
        }
    }
}

extension ClientArguments {
    /// The metadata that requests a count of messages of `StreamingFromServer`.
    var countOptions: CallOptions {
        .with { $0.metadata.append("\(messageCount)", for: "x-count") }
    }

    /// Throws if the count of messages differs.
    func check(_ count: Int) throws(RPCError) {
        guard count != messageCount else { return }
        throw RPCError(.dataLoss, "received \(count) messages instead of \(messageCount)")
    }
}
