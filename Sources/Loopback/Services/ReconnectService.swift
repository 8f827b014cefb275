public import SwiftletCore
import SwiftletMessages
import SwiftletTransport
import Synchronization

/// `grpc.testing.ReconnectService`: a port that closes each connection. The service records the times at
/// which clients connect to it (the connection backoff test of gRPC's interop descriptions).
///
/// ```swift
/// let reconnects = try ReconnectService()
/// let server = try LoopbackServer { $0.add(reconnects) }
/// let lost = try Channel(reconnects.target, credentials: .insecure)
/// ```
public final class ReconnectService: LoopbackService {
    private struct State {
        var arrivals: [MonotonicInstant] = []
        var maximum = Duration.seconds(120)
    }

    /// The most connections that are recorded.
    static let maxArrivalCount = 1_000

    private let listener: ClosingListener
    private let initial: Duration
    private let slack: Duration
    private let state = Mutex(State())

    /// The target whose connections are closed at once.
    public var target: String { listener.target }

    /// - Parameter initial: The expected initial backoff of clients.
    public convenience init(initialBackoff initial: Duration = .seconds(1)) throws(RPCError) {
        try self.init(initialBackoff: initial, slack: BackoffVerdict.slack)
    }

    /// - Parameter slack: The tolerance of each delay.
    package init(initialBackoff initial: Duration, slack: Duration) throws(RPCError) {
        self.initial = initial
        self.slack = slack
        listener = try ClosingListener()
        try listener.open { [weak self] in self?.arrived() }
    }

    deinit { listener.close() }

    /// The number of connections since the last call of `Start`. Without one, since the service was made. At most
    /// 1,001: then `Stop` fails with RESOURCE_EXHAUSTED.
    public var arrivalCount: Int { state.withLock { $0.arrivals.count } }

    private func arrived() {
        state.withLock { state in
            if state.arrivals.count <= Self.maxArrivalCount { state.arrivals.append(.now) }
        }
    }

    public func register(in methods: inout ServerMethods) {
        typealias Nothing = GRPC.Testing.Empty
        let service = "/grpc.testing.ReconnectService/"
        methods.unary(
            Method<GRPC.Testing.ReconnectParams, Nothing>(bundled: service + "Start", .unary)
        ) { parameters, _ in
            self.state.withLock { state in
                state.arrivals = []
                if parameters.maxReconnectBackoffMs > 0 {
                    state.maximum = .milliseconds(parameters.maxReconnectBackoffMs)
                }
            }
            return Nothing()
        }
        methods.unary(
            Method<Nothing, GRPC.Testing.ReconnectInfo>(bundled: service + "Stop", .unary)
        ) { _, _ in
            let (arrivals, maximum) = self.state.withLock { ($0.arrivals, $0.maximum) }
            guard arrivals.count <= Self.maxArrivalCount else {
                throw RPCError(
                    .resourceExhausted,
                    "more than \(Self.maxArrivalCount) connections since 'Start'")
            }
            return BackoffVerdict.of(
                arrivals, initial: self.initial, maximum: maximum, slack: self.slack)
        }
    }
}

/// Checks the times between connections against gRPC's connection backoff.
enum BackoffVerdict {
    private static let multiplier = 1.6
    private static let jitter = 0.2
    /// The tolerance of each delay.
    static let slack = Duration.milliseconds(100)

    static func of(
        _ arrivals: [MonotonicInstant], initial: Duration, maximum: Duration,
        slack: Duration = slack
    ) -> GRPC.Testing.ReconnectInfo {
        var info = GRPC.Testing.ReconnectInfo(passed: true)
        var expected = min(initial, maximum)
        for (earlier, later) in zip(arrivals, arrivals.dropFirst()) {
            let delay = earlier.duration(to: later)
            info.backoffMs.append(
                Int32(clamping: Int((delay / .milliseconds(1)).rounded())))
            if delay < expected * (1 - jitter) - slack || delay > expected * (1 + jitter) + slack {
                info.passed = false
            }
            expected = min(expected * multiplier, maximum)
        }
        return info
    }
}
