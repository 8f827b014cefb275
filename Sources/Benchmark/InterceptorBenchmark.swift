import Swiftlet
import SwiftletInterceptors
import SwiftletLoopback
import SwiftletStyles

/// Measures the cost of interceptors: a unary call on a fake channel, on one thread, without and with
/// interceptors that forward everything.
enum InterceptorBenchmark {
    private final class Forwarding: Interceptor {}

    private static let method = Method<[UInt8], [UInt8]>(
        "/bench.Bench/Call", .unary, request: .bytes, reply: .bytes)
    /// The events of a unary call: start, write, finish, two requests for a message, initial metadata,
    /// message, close.
    private static let eventCount = 8
    private static let interceptorCount = 10

    static func run(_ report: inout Report) {
        do throws(RPCError) {
            try measure(&report, CompletionQueue(.byHand))
        } catch {
            giveUp("interceptors: \(error)")
        }
    }

    private static func measure(
        _ report: inout Report, _ queue: CompletionQueue
    ) throws(RPCError) {
        let forwarding = InterceptorFactory("forwarding") { _ in Forwarding() }
        let none = try nanoseconds(queue, [])
        let some = try nanoseconds(
            queue,
            [ChannelInterceptor](repeating: .all(forwarding), count: interceptorCount))
        report.add("fake-unary", none, "ns", note: "a call without interceptors")
        for count in [1, 2, 5] {
            let interceptors = [ChannelInterceptor](repeating: .all(forwarding), count: count)
            report.add(
                "fake-unary/\(count)", try nanoseconds(queue, interceptors), "ns",
                note: "the same with so many interceptors that forward")
        }
        report.add(
            "forwarding-event-unary", (some - none) / Double(interceptorCount * eventCount), "ns",
            note: "the same, an interceptor's making shared among the events of a short call")
        let plainWrite = try writeNanoseconds(queue, [])
        let forwardedWrite = try writeNanoseconds(
            queue, [ChannelInterceptor](repeating: .all(forwarding), count: interceptorCount))
        report.add(
            "forwarding-event-stream",
            (forwardedWrite - plainWrite) / Double(interceptorCount * 2), "ns",
            note: "an event of a long call: a message, or that it was written")
    }

    /// Measures a message that is written to a stream.
    private static func writeNanoseconds(
        _ queue: CompletionQueue, _ interceptors: [ChannelInterceptor]
    ) throws(RPCError) -> Double {
        let stream = Method<[UInt8], [UInt8]>(
            "/bench.Bench/Stream", .bidirectional, request: .bytes, reply: .bytes)
        let fake = try FakeChannel(interceptors: interceptors, queue: queue)
        let response = fake.respond(to: stream) { _ in }
        let call = fake.channel.blockingBidirectional(stream)
        let body: [UInt8] = [1, 2, 3]
        let nanoseconds = medianNanoseconds(rounds: 7, roundDuration: .milliseconds(10)) {
            do throws(RPCError) {
                try call.write(body)
            } catch {
                giveUp("interceptors: \(error)")
            }
        }
        call.cancel()
        withExtendedLifetime(response) {}
        return nanoseconds
    }

    private static func nanoseconds(
        _ queue: CompletionQueue, _ interceptors: [ChannelInterceptor]
    ) throws(RPCError) -> Double {
        let fake = try FakeChannel(interceptors: interceptors, queue: queue)
        let body: [UInt8] = [1, 2, 3]
        return medianNanoseconds {
            do throws(RPCError) {
                try fake.respond(to: method).sendMessage(body)
                blackHole(try fake.channel.blockingUnary(method, body).message)
            } catch {
                giveUp("interceptors: \(error)")
            }
        }
    }
}
