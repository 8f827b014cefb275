import SwiftletTransport
import Synchronization

/// Connects calls with the network: an event loop, the events of calls that have ended, and an
/// executor for tasks.
///
/// A queue either has its own thread, which sleeps while there is nothing to do, or the program
/// turns it by calling ``next(deadline:)``. Channels use ``shared`` by default.
///
/// Tasks that prefer the queue as their executor run on its thread, where responses arrive:
///
/// ```swift
/// try await withTaskExecutorPreference(queue) {
///     try await greeter.sayHello(.init(name: "world"))
/// }
/// ```
public final class CompletionQueue: TaskExecutor, Sendable {
    /// How the event loop is run.
    @nonexhaustive
    public enum Mode: Hashable, Sendable {
        /// A thread that the queue starts, and that ends after ``shutdown()``.
        case ownThread
        /// The program itself, by calling ``CompletionQueue/next(deadline:)``.
        case byHand
    }

    /// The result of ``next(deadline:)``.
    @nonexhaustive
    public enum Event: Hashable, Sendable {
        /// A batch of operations has ended; its tag, and whether all of it succeeded.
        case completed(tag: Tag, success: Bool)
        /// The deadline has passed.
        case timeout
        /// The queue was shut down and every event has been delivered.
        case shutdown
    }

    /// Identifies a batch of operations. The program chooses the value.
    public typealias Tag = UInt64

    private struct State: ~Copyable {
        /// Events that were not returned by ``next(deadline:)`` yet.
        var completed = Backlog<(tag: Tag, success: Bool)>()
        var isShutDown = false
        /// Whether the queue's own thread has ended.
        var hasEnded = false
        /// Resumed when the queue's own thread has ended.
        var endWaiters: [Resumption<Void>] = []
        /// Running batches. The shutdown waits for them.
        var pendingCount = 0
        /// The channels of the queue, until it is shut down. The references are strong: a weak one
        /// would add an allocation to each channel.
        var channels: [ObjectIdentifier: any QueueChannel] = [:]
    }

    package let loop: EventLoop
    /// How the event loop is run, as given to ``init(_:spin:)``.
    public let mode: Mode
    private let state = Mutex(State())
    /// Blocks threads that wait for an event, or for the thread that turns the queue by hand.
    private let gate = BlockingGate()

    /// The queue of channels for which the program sets no queue. It has its own thread and exists
    /// until the program ends. It is created on first use. That fails while the system has no file
    /// descriptors or threads left, and can be tried again.
    public static var shared: CompletionQueue {
        get throws(RPCError) {
            let result: Result<CompletionQueue, RPCError> = sharedQueue.withLock { queue in
                if let queue { return .success(queue) }
                do throws(RPCError) {
                    let made = try CompletionQueue()
                    queue = made
                    return .success(made)
                } catch {
                    return .failure(error)
                }
            }
            return try result.get()
        }
    }

    /// `queue`, or ``shared`` if it is nil.
    package static func orShared(_ queue: CompletionQueue?) throws(RPCError) -> CompletionQueue {
        if let queue { return queue }
        return try shared
    }

    private static let sharedQueue = Mutex<CompletionQueue?>(nil)

    /// Creates a queue. The program must call ``shutdown()`` at its end: until then the thread runs
    /// and the descriptors stay open, even if the queue is released.
    ///
    /// Throws RESOURCE_EXHAUSTED if the process has no descriptors or threads left.
    ///
    /// - Parameters:
    ///   - mode: How the event loop is run. The default is its own thread.
    ///   - spin: How long to poll for input before sleeping. The default is zero. A few tens of
    ///     microseconds halve the latency of calls that are made one at a time, but use processor
    ///     time while the queue is idle. With zero, and with many running calls to a server that
    ///     writes each response separately, the thread may rest for less than a tenth of a
    ///     millisecond between reads, so that responses arrive together.
    public init(_ mode: Mode = .ownThread, spin: Duration = .zero) throws(RPCError) {
        do throws(SystemError) {
            loop = try EventLoop(spin: spin, isTurnedByHand: mode == .byHand)
        } catch {
            throw .noResources(
                "the completion queue could not be created: \(error); close descriptors or raise their limit"
            )
        }
        self.mode = mode
        guard mode == .ownThread else { return }
        guard Thread.start("swiftlet-queue", { [self] in runUntilShutdown() }) else {
            throw .noResources("the thread of the completion queue could not be started")
        }
    }

}

// MARK: - Events

extension CompletionQueue {
    /// Waits for the next event: the end of a batch of operations that was started with a tag. Any
    /// number of threads may wait. On a queue that is turned by hand, one of them turns the event
    /// loop.
    ///
    /// The end of a batch that was started with a handler is not an event. If the deadline has
    /// passed, the event loop is turned once, so that a program can poll.
    ///
    /// Throws FAILED_PRECONDITION in a handler or a task that runs on the queue: it would block the
    /// queue that it waits for.
    public func next(deadline: Deadline = .never) throws(RPCError) -> Event {
        guard !blocksItself else { throw .blockedQueue }
        var scratch = EventLoop.Scratch()
        if mode == .byHand, let instant = deadline.moment, MonotonicInstant.now >= instant {
            turnOnce(until: instant, &scratch)
        }
        while true {
            let mark = gate.mark
            if let event = takeEvent() { return event }
            if let instant = deadline.moment, MonotonicInstant.now >= instant { return .timeout }
            if mode == .byHand, turnOnce(until: tick(before: deadline.moment), &scratch) {
                continue
            }
            wait(since: mark, until: tick(before: deadline.moment))
        }
    }

    /// Shuts the queue down. Calls that have no connection yet, and new calls, end with
    /// UNAVAILABLE. Running calls continue; after the last one the thread ends, or
    /// ``next(deadline:)`` returns ``Event/shutdown``. A call that an interceptor holds without
    /// `InterceptedCall.holdRequests()` ends when the interceptor continues it.
    ///
    /// Tasks that prefer the queue as their executor then run on the global executor.
    public func shutdown() {
        let channels = state.withLock { state in
            state.isShutDown = true
            return Array(state.channels.values)
        }
        for channel in channels { channel.queueWasShutDown() }
        gate.open()
        loop.wakeUp()
    }

    /// Adds `channel` to the channels that ``shutdown()`` shuts down. ``remove(_:)`` removes it.
    /// False if the queue was shut down before.
    func add(_ channel: any QueueChannel) -> Bool {
        state.withLock { state in
            if !state.isShutDown { state.channels[ObjectIdentifier(channel)] = channel }
            return !state.isShutDown
        }
    }

    func remove(_ channel: any QueueChannel) {
        state.withLock { $0.channels[ObjectIdentifier(channel)] = nil }
    }

    var isShutDown: Bool { state.withLock { $0.isShutDown } }

    /// Counts a batch that begins. False if the queue was shut down.
    package func batchBegins() -> Bool {
        state.withLock { state in
            guard !state.isShutDown else { return false }
            state.pendingCount += 1
            return true
        }
    }

    /// Ends a batch that was started with a tag.
    package func batchEnded(tag: Tag, success: Bool) {
        state.withLock { state in
            state.pendingCount -= 1
            state.completed.append((tag, success))
        }
        wakeWaiters()
    }

    /// Ends a batch that was started with a handler, after the handler was called.
    package func batchEnded() {
        state.withLock { $0.pendingCount -= 1 }
        wakeWaiters()
    }

    /// Whether the calling thread is running a turn of this queue. If so, it must not wait for
    /// another turn.
    package var blocksItself: Bool { loop.isCurrent }

    private func wakeWaiters() {
        gate.open()
        if !loop.isCurrent { loop.wakeUp() }
    }

    private func wait(since mark: UInt64, until deadline: MonotonicInstant?) {
        guard let deadline else { return gate.wait(since: mark) }
        let left = MonotonicInstant.now.duration(to: deadline)
        // The gate's clock stops while the system sleeps, and that of deadlines does not. The caller waits again.
        gate.wait(since: mark, upTo: min(left, .seconds(30)))
    }

    private func takeEvent() -> Event? {
        let (event, isOver): (Event?, Bool) = state.withLock { state in
            guard let (tag, success) = state.completed.popFirst() else {
                return (nil, state.isShutDown && state.pendingCount == 0)
            }
            return (.completed(tag: tag, success: success), false)
        }
        // A queue that is shut down begins no batch, so it stays over. On a queue with its own thread,
        // connections do not count: that thread waits for their end, and closes the loop. On a queue that
        // is turned by hand, this closes the loop, because the program need not turn it again.
        guard isOver, mode == .ownThread || loop.isUnused && loop.close() else { return event }
        return .shutdown
    }

    /// Blocks the calling thread while `isWaiting`, for a blocking call on a queue that is turned
    /// by hand. If several threads wait, one of them turns the loop. When its own wait is over,
    /// another one turns the loop.
    @inline(never)  // Has many callers.
    package func turn(while isWaiting: () -> Bool) {
        var scratch = EventLoop.Scratch()
        while true {
            let mark = gate.mark
            guard isWaiting() else { return }
            if !turnOnce(until: nil, &scratch) { gate.wait(since: mark) }
        }
    }

    /// Wakes the threads that wait in ``turn(while:)``: the one that turns the loop, and the
    /// others.
    package func wakeTurner() {
        guard mode == .byHand else { return }
        gate.open()
        if !loop.isCurrent { loop.wakeUp() }
    }

    private func runUntilShutdown() {
        var scratch = EventLoop.Scratch()
        loop.setAttended(true)
        while true {
            let (isShutDown, isIdle) = state.withLock { ($0.isShutDown, $0.pendingCount == 0) }
            // Jobs that were enqueued before the end are run, not dropped.
            if isShutDown, isIdle, loop.isUnused, loop.close() { break }
            turnOnce(until: tick(before: nil), &scratch)
        }
        loop.setAttended(false)
        let waiters = state.withLock { state in
            state.hasEnded = true
            defer { state.endWaiters = [] }
            return state.endWaiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Suspends until ``shutdown()`` was called and the last call and the thread of the queue have
    /// ended. For a queue that is turned by hand it returns at once: there, ``next(deadline:)``
    /// returns ``Event/shutdown`` at the end.
    public func waitForShutdown() async {
        guard mode == .ownThread else { return }
        await Resumption<Void>.wait { waiter in
            let hasEnded = state.withLock { state in
                if !state.hasEnded { state.endWaiters.append(waiter) }
                return state.hasEnded
            }
            if hasEnded { waiter.resume() }
        }
    }

    /// The end of a wait. Cancelling a timer does not wake the queue, so a queue that is shut down
    /// checks regularly whether the last timer is gone.
    private func tick(before deadline: MonotonicInstant?) -> MonotonicInstant? {
        guard isShutDown else { return deadline }
        let tick = MonotonicInstant.now + Duration.milliseconds(100)
        return deadline.map { min($0, tick) } ?? tick
    }

    /// Turns the loop once. False if another thread is turning it. After each turn of a queue that
    /// is turned by hand, another thread may take over.
    @discardableResult
    private func turnOnce(
        until deadline: MonotonicInstant?, _ scratch: inout EventLoop.Scratch
    ) -> Bool {
        do throws(SystemError) {
            guard try loop.turn(until: deadline, &scratch) else { return false }
        } catch {
            // Fails only if the program has closed the descriptor of the poller. Then no call of
            // the queue can continue, and no end of a call can be reported.
            fatalError("the completion queue's descriptor was closed: \(error)")
        }
        if mode == .byHand { gate.open() }
        return true
    }
}

// MARK: - Executor

extension CompletionQueue {
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = unsafe EventLoop.TaskJob(UnownedJob(job), on: asUnownedTaskExecutor())
        loop.enqueue(.task(job))
    }
}

// MARK: - Groups

extension CompletionQueue {
    /// Several queues with one thread each. ``next()`` distributes channels over them.
    public final class Group: Sendable {
        /// All queues.
        public let queues: [CompletionQueue]
        private let turn = Atomic(0)

        /// - Parameter count: The number of queues. Numbers below 1 mean 1.
        public init(threads count: Int) throws(RPCError) {
            var queues: [CompletionQueue] = []
            do throws(RPCError) {
                for _ in 0..<max(1, count) { queues.append(try CompletionQueue()) }
            } catch {
                // Otherwise their threads would never end.
                for queue in queues { queue.shutdown() }
                throw error
            }
            self.queues = queues
        }

        /// Returns one of the queues. Successive calls return the queues in round-robin order.
        public func next() -> CompletionQueue {
            let turn = turn.wrappingAdd(1, ordering: .relaxed).newValue
            return queues[Int(UInt(bitPattern: turn) % UInt(queues.count))]
        }

        /// Shuts all queues down. Returns at once; see ``waitForShutdown()``.
        public func shutdown() {
            for queue in queues { queue.shutdown() }
        }

        /// Suspends until ``shutdown()`` was called and the last call and the thread of every queue
        /// have ended.
        public func waitForShutdown() async {
            for queue in queues { await queue.waitForShutdown() }
        }
    }
}

extension RPCError {
    package static var blockedQueue: RPCError {
        .refused(
            .failedPrecondition,
            "a blocking call in a handler or task on its own completion queue would never end; "
                + "use await or a handler there")
    }

    /// This process has no descriptors or threads left. It is not a defect, and a later attempt may succeed.
    fileprivate static func noResources(_ message: String) -> RPCError {
        .refused(.resourceExhausted, message)
    }
}
