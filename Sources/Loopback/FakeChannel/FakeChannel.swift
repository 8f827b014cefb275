public import SwiftletCore
import SwiftletTransport
import Synchronization

/// A channel without a network, for tests of code that makes calls. The test queues responses for each
/// method, and calls receive them in order.
///
/// ```swift
/// let fake = try FakeChannel()
/// try fake.respond(to: sayHello).sendMessage(HelloReply(message: "Hello you"))
/// let greeter = Greeter(channel: fake.channel)
/// #expect(try await greeter.sayHello(.init(name: "you")).message == "Hello you")
/// ```
///
/// The code under test gets an ordinary `Channel`. All kinds of calls, interceptors, deadlines, limits and
/// cancellation work as over a network, and responses arrive on the queue's thread.
public final class FakeChannel: Sendable {
    /// The channel for the code under test.
    public let channel: Channel
    private let backend: FakeBackend

    /// Throws when `queue` is nil and `CompletionQueue.shared` cannot be made.
    public init(
        defaultOptions: CallOptions = CallOptions(), interceptors: [ChannelInterceptor] = [],
        queue: CompletionQueue? = nil
    ) throws(RPCError) {
        backend = FakeBackend(try CompletionQueue.orShared(queue))
        channel = Channel(
            backend: backend, defaultOptions: defaultOptions, interceptors: interceptors)
    }

    /// Queues a response for the next call of `method` that has no response yet. Parts that are sent before
    /// the call starts are kept for the call.
    ///
    /// - Parameters:
    ///   - method: The method of the call.
    ///   - onRequest: Receives the parts of the request instead of ``FakeResponse/requestParts``.
    ///     If nil, the default, the writer of requests waits while too many parts are unread.
    public func respond<Request, Reply>(
        to method: Method<Request, Reply>,
        onRequest: (@Sendable (FakeRequestPart<Request>) -> Void)? = nil
    ) -> FakeResponse<Request, Reply> {
        let response = FakeResponse(method, onRequest, loop: backend.loop)
        backend.add(response.stream, for: method.path)
        return response
    }

    /// Queues a response for the next call to `path` that has no response yet. Use this for calls
    /// without a `Method`, such as `Channel.post`. Requests and responses are bytes.
    ///
    /// ```swift
    /// try fake.respond(to: "/rpc").send(
    ///     HTTPReply(contentType: "application/json", body: Array("{}".utf8)))
    /// ```
    public func respond(
        to path: String,
        onRequest: (@Sendable (FakeRequestPart<[UInt8]>) -> Void)? = nil
    ) -> FakeResponse<[UInt8], [UInt8]> {
        let response = FakeResponse(
            path, .unary, request: Codec.bytes, reply: Codec.bytes, onRequest,
            loop: backend.loop)
        backend.add(response.stream, for: path)
        return response
    }

    /// The number of queued responses of a method that no call has received.
    public func unusedResponseCount<Request, Reply>(for method: Method<Request, Reply>) -> Int {
        backend.unusedCount(for: method.path)
    }

    /// The number of queued responses of a path that no call has received.
    public func unusedResponseCount(for path: String) -> Int { backend.unusedCount(for: path) }
}

extension FakeBackend: FakeStreamOwner {
    func streamBegan(_ stream: FakeStream) {
        state.withLock { $0.running[ObjectIdentifier(stream)] = stream }
    }

    func streamEnded(_ stream: FakeStream) {
        let watchers = state.withLock { state in
            state.running[ObjectIdentifier(stream)] = nil
            guard state.running.isEmpty else { return [] as [AsyncStream<Void>.Continuation] }
            defer { state.idleWatchers = [] }
            return state.idleWatchers
        }
        for watcher in watchers { watcher.yield() }
    }
}

/// Assigns the queued streams to calls.
private final class FakeBackend: ChannelBackend {
    private struct State {
        var streams: [String: Backlog<FakeStream>] = [:]
        var usedCounts: [String: Int] = [:]
        var running: [ObjectIdentifier: FakeStream] = [:]
        var isShutDown = false
        var watchers: [AsyncStream<ConnectivityState>.Continuation] = []
        /// Callers that wait until no call runs.
        var idleWatchers: [AsyncStream<Void>.Continuation] = []
    }

    let queue: CompletionQueue
    let loop: EventLoop
    let limits = MessageLimits()
    let methodConfigs: MethodConfigs? = nil
    let metrics: (any ChannelMeter)? = nil
    let authority = "fake"
    let encryption = Encryption.all
    let openCalls = CallRegistry()
    private let state = Mutex(State())

    init(_ queue: CompletionQueue) {
        self.queue = queue
        loop = queue.loop
    }
}

extension FakeBackend {
    func add(_ stream: FakeStream, for path: String) {
        state.withLock { $0.streams[path, default: Backlog()].append(stream) }
    }

    func unusedCount(for path: String) -> Int {
        state.withLock { $0.streams[path]?.count ?? 0 }
    }

    func begin(_ call: CallCore) {
        let path = call.head.path
        let result: Result<FakeStream, RPCError> = state.withLock { state in
            guard !state.isShutDown else {
                return .failure(Self.closedError)
            }
            let used = state.usedCounts[path, default: 0]
            guard let stream = state.streams[path]?.popFirst() else {
                return .failure(
                    RPCError(
                        .failedPrecondition,
                        "the fake channel has no response left for \(path) (used: \(used))"))
            }
            state.usedCounts[path] = used + 1
            return .success(stream)
        }
        switch result {
        case .success(let stream): stream.attach(call, owner: self)
        case .failure(let error): call.end(with: error)
        }
    }

    private static var closedError: RPCError {
        RPCError(.unavailable, "the fake channel was closed")
    }

    func forget(_ call: CallCore) {}

    func deadlineError(of call: CallCore) -> RPCError {
        RPCError(.deadlineExceeded, "the deadline passed before the fake channel answered")
    }

    // A fake channel is connected until it is closed.

    var connectivity: ConnectivityState { state.withLock { $0.isShutDown ? .shutdown : .ready } }

    func connectivityChanges() -> AsyncStream<ConnectivityState> {
        let (stream, continuation) = AsyncStream.makeStream(of: ConnectivityState.self)
        let isShutDown = state.withLock { state in
            if !state.isShutDown { state.watchers.append(continuation) }
            return state.isShutDown
        }
        continuation.yield(isShutDown ? .shutdown : .ready)
        if isShutDown { continuation.finish() }
        return stream
    }

    func connect() {}

    func close(grace: Duration) async {
        channelWasReleased()
        if grace > .zero {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await self.waitUntilIdle() }
                group.addTask { try? await Task.sleep(for: grace) }
                await group.next()
                group.cancelAll()
            }
        }
        for stream in state.withLock({ Array($0.running.values) }) { stream.cancel() }
        openCalls.endAll(with: RPCError(.cancelled, "the fake channel was closed"))
    }

    private func waitUntilIdle() async {
        let (idle, continuation) = AsyncStream.makeStream(of: Void.self)
        let isIdle = state.withLock { state in
            if !state.running.isEmpty { state.idleWatchers.append(continuation) }
            return state.running.isEmpty
        }
        if !isIdle { for await _ in idle { break } }
        let (ended, lastEnds) = AsyncStream.makeStream(of: Void.self)
        openCalls.whenEmpty { lastEnds.yield() }
        for await _ in ended { break }
    }

    func channelWasReleased() {
        let (watchers, streams) = state.withLock { state in
            defer {
                state.isShutDown = true
                state.watchers = []
            }
            return (state.watchers, state.isShutDown ? [:] : state.streams)
        }
        for unused in streams.values { unused.forEach { $0.wasNotUsed() } }
        for watcher in watchers {
            watcher.yield(.shutdown)
            watcher.finish()
        }
        openCalls.close(with: Self.closedError)
    }
}
