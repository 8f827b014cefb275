import Swiftlet
import SwiftletTransport

/// The work of `swiftlet-bench client` with calls that block, in a thread for each worker.
struct ClientBlocking: Sendable {
    let channel: Channel
    let methods: ClientMethods
    let meter: ClientMeter

    func run(_ scenario: ClientArguments.Scenario) {
        do {
            if scenario == .stream { try stream() } else { try unary() }
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
}
