import Swiftlet
import SwiftletLoopback

/// What interceptors cost: a unary call on a fake channel, in one thread, without any and with some
/// that forward everything.
enum InterceptorBenchmark {
    private final class Forwarding: Interceptor {}

    private static let method = Method<[UInt8], [UInt8]>(
        "/bench.Bench/Call", .unary, request: .octets, reply: .octets)
    /// Start, write, finish, two requests for a message, initial metadata, message, close.
    private static let eventCount = 8
    private static let interceptorCount = 10

    static func run(_ report: inout Report) {
        guard let queue = try? CompletionQueue(.byHand) else {
            giveUp("interceptors: no completion queue")
        }
        let forwarding = InterceptorFactory("forwarding") { _ in Forwarding() }
        let none = nanoseconds(queue, [])
        let some = nanoseconds(
            queue,
            [ChannelInterceptor](repeating: .all(forwarding), count: interceptorCount))
        report.add("fake-unary", none, "ns", note: "a call without interceptors")
        report.add(
            "forwarding-event-unary", (some - none) / Double(interceptorCount * eventCount), "ns",
            note: "the same, an interceptor's making shared among the events of a short call")
        let streams = [[], [ChannelInterceptor](repeating: .all(forwarding), count: 10)]
            .map { writeNanoseconds(queue, $0) }
        report.add(
            "forwarding-event-stream", (streams[1] - streams[0]) / Double(interceptorCount * 2),
            "ns", note: "an event of a long call: a message, or that it was written")
    }

    /// What a message costs that is written into a stream.
    private static func writeNanoseconds(
        _ queue: CompletionQueue, _ interceptors: [ChannelInterceptor]
    ) -> Double {
        let stream = Method<[UInt8], [UInt8]>(
            "/bench.Bench/Stream", .bidirectional, request: .octets, reply: .octets)
        let fake = FakeChannel(interceptors: interceptors, queue: queue)
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
    ) -> Double {
        let fake = FakeChannel(interceptors: interceptors, queue: queue)
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
