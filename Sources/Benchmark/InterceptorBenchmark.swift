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
            complain("interceptors: no completion queue")
        }
        let forwarding = InterceptorFactory("forwarding") { _ in Forwarding() }
        let none = nanoseconds(queue, [])
        let some = nanoseconds(
            queue,
            [ChannelInterceptor](repeating: .all(forwarding), count: interceptorCount))
        report.add("fake-unary", none, "ns", note: "a call without interceptors")
        report.add(
            "forwarding-event", (some - none) / Double(interceptorCount * eventCount), "ns",
            note: "an event through an interceptor that forwards it, its making included")
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
                complain("interceptors: \(error)")
            }
        }
    }
}
