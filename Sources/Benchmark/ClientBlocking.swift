import Swiftlet
import SwiftletStyles
import SwiftletTransport

/// The work of `swiftlet-bench client` with blocking calls, on one thread for each worker.
struct ClientBlocking: Sendable {
    let channel: Channel
    let methods: ClientMethods
    let meter: ClientMeter
    let arguments: ClientArguments

    func run() {
        do {
            switch arguments.scenario {
            case .unary: try unary()
            case .stream: try stream()
            case .serverStream: try fromServer()
            case .clientStream: try fromClient()
            case .idle, .connections: break
            }
        } catch {
            meter.fail(error)
        }
    }

    private func unary() throws {
        var tally = ClientMeter.Tally()
        defer { meter.merge(tally) }
        var start = ClientMeter.Instant.now
        while true {
            try methods.check(
                try channel.blockingUnary(methods.unary, methods.request).message)
            let now = ClientMeter.Instant.now
            guard meter.count(&tally, from: start, to: now) else { return }
            start = now
        }
    }

    private func stream() throws {
        var tally = ClientMeter.Tally()
        defer { meter.merge(tally) }
        let call = channel.blockingBidirectional(methods.stream)
        var start = ClientMeter.Instant.now
        while true {
            try call.write(methods.request)
            guard let reply = try call.next() else {
                throw RPCError(.dataLoss, "the stream ended")
            }
            try methods.check(reply)
            let now = ClientMeter.Instant.now
            guard meter.count(&tally, from: start, to: now) else { break }
            start = now
        }
        call.finish()
        while try call.next() != nil {}
    }

    private func fromServer() throws {
        var tally = ClientMeter.Tally()
        defer { meter.merge(tally) }
        while ClientMeter.Instant.now < meter.end {
            let replies = try channel.blockingServerStreaming(
                methods.fromServer, methods.request, options: arguments.countOptions)
            var block = ClientMeter.Block()
            var count = 0
            while let reply = try replies.next() {
                try methods.check(reply)
                count += 1
                guard block.add(&tally, meter) else { return replies.cancel() }
            }
            guard block.end(&tally, meter) else { return }
            try arguments.check(count)
        }
    }

    private func fromClient() throws {
        var tally = ClientMeter.Tally()
        defer { meter.merge(tally) }
        while ClientMeter.Instant.now < meter.end {
            let reply = try channel.blockingClientStreaming(methods.fromClient) { requests in
                var block = ClientMeter.Block()
                for _ in 0..<arguments.messageCount {
                    try requests.write(methods.request)
                    guard block.add(&tally, meter) else { return }
                }
                _ = block.end(&tally, meter)
            }
            try methods.check(reply)
        }
    }
}
