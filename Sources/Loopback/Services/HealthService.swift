import SwiftletCore
import SwiftletMessages
import SwiftletServiceMessages
import SwiftletTransport
import Synchronization

/// `grpc.health.v1.Health`: reports whether services are able to serve, once or to watching clients.
///
/// ```swift
/// let health = HealthService()
/// let server = try LoopbackServer { $0.add(health) }
/// health.set(.notServing, for: "helloworld.Greeter")
/// ```
public final class HealthService: LoopbackService {
    public typealias ServingStatus = GRPC.Health.HealthCheckResponse.ServingStatus
    private typealias Watcher = AsyncStream<ServingStatus>.Continuation

    private struct State {
        /// The empty name means the server as a whole. It is SERVING from the start.
        var statuses: [String: ServingStatus] = ["": .serving]
        var watchers: [String: [UInt64: Watcher]] = [:]
        var nextWatcher: UInt64 = 0
    }

    private struct Change {
        let watchers: [Watcher]
        let status: ServingStatus
    }

    private let state = Mutex(State())
    private let changes = SerialMailbox<Change>()

    public init() {}
}

// MARK: - Setting states

extension HealthService {
    /// Sets the state of a service; nil removes it. The empty name, the default, means the server as a whole.
    public func set(_ status: ServingStatus?, for service: String = "") {
        let isDeliverer = state.withLock { state in
            state.statuses[service] = status
            let watchers = Array(state.watchers[service, default: [:]].values)
            // Under the lock, so that all watchers receive the changes in order.
            return changes.post(Change(watchers: watchers, status: status ?? .serviceUnknown))
        }
        guard isDeliverer else { return }
        while let change = changes.next() {
            for watcher in change.watchers { watcher.yield(change.status) }
        }
    }

    public func status(of service: String = "") -> ServingStatus? {
        state.withLock { $0.statuses[service] }
    }

    /// The number of calls that watch a service.
    public func watcherCount(of service: String = "") -> Int {
        state.withLock { $0.watchers[service]?.count ?? 0 }
    }
}

// MARK: - The methods

extension HealthService {
    public func register(in methods: inout ServerMethods) {
        typealias Request = GRPC.Health.HealthCheckRequest
        typealias Reply = GRPC.Health.HealthCheckResponse
        let service = "/grpc.health.v1.Health/"
        methods.unary(Method<Request, Reply>(bundled: service + "Check", .unary)) { request, _ in
            let service = WireText.bounded(request.service)
            guard let status = self.status(of: service) else {
                throw RPCError(.notFound, "unknown service '\(service)'")
            }
            return Reply(status: status)
        }
        methods.unary(
            Method<GRPC.Health.HealthListRequest, GRPC.Health.HealthListResponse>(
                bundled: service + "List", .unary)
        ) { _, _ in
            let statuses = self.state.withLock { $0.statuses }
            return .init(statuses: statuses.mapValues { Reply(status: $0) })
        }
        methods.serverStreaming(
            Method<Request, Reply>(bundled: service + "Watch", .serverStreaming)
        ) { request, replies, _ in
            var last: ServingStatus?
            // The changes end when the task is cancelled: the client has cancelled, the connection was lost,
            // or the deadline has passed.
            for await status in self.changes(of: WireText.bounded(request.service))
            where status != last {
                last = status
                try await replies.write(Reply(status: status))
            }
            try Task.checkCancellation()
        }
    }

    /// The state of a service: the current one, and each change. A slow reader receives only the newest
    /// state.
    private func changes(of service: String) -> AsyncStream<ServingStatus> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { watcher in
            let number = state.withLock { state in
                state.nextWatcher += 1
                state.watchers[service, default: [:]][state.nextWatcher] = watcher
                watcher.yield(state.statuses[service] ?? .serviceUnknown)
                return state.nextWatcher
            }
            watcher.onTermination = { [weak self] _ in self?.forget(number, of: service) }
        }
    }

    private func forget(_ number: UInt64, of service: String) {
        state.withLock { state in
            state.watchers[service]?[number] = nil
            if state.watchers[service]?.isEmpty == true { state.watchers[service] = nil }
        }
    }
}
