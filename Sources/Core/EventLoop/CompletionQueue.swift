import SwiftletTransport
import Synchronization

/// Where calls meet the network: an event loop, the events of calls that ended, and an executor
/// for tasks.
///
/// A queue either has a thread of its own, which waits without using the processor, or is turned
/// by the program through ``next(deadline:)``. Channels share ``shared`` unless told otherwise.
///
/// Tasks that prefer the queue as their executor run on its thread, right where answers arrive:
///
/// ```swift
/// try await withTaskExecutorPreference(queue) {
///     try await greeter.sayHello(.init(name: "world"))
/// }
/// ```
public final class CompletionQueue: TaskExecutor, Sendable {
    /// Who waits for the network.
    public enum Mode: Hashable, Sendable {
        /// A thread that the queue starts and that ends with its ``shutdown()``.
        case ownThread
        /// The program itself, by calling ``CompletionQueue/next(deadline:)``.
        case byHand
    }

    /// What ``next(deadline:)`` found.
    public enum Event: Hashable, Sendable {
        /// A batch of operations has ended; its tag, and whether all of it succeeded.
        case completed(tag: Tag, success: Bool)
        /// The deadline has passed.
        case timeout
        /// The queue was shut down and every event has been delivered.
        case shutdown
    }

    /// Names a batch of operations: any value of the program's own.
    public typealias Tag = UInt64

    private struct State {
        /// Events that nobody has taken.
        var completed = Backlog<(tag: Tag, success: Bool)>()
        var isShutDown = false
        /// Batches under way; the end waits for them.
        var pendingCount = 0
        /// Whose calls run here, until they are shut down. Not weakly: each call would pay for the
        /// side table that an object gets with its first weak reference.
        var channels: [ObjectIdentifier: ChannelCore] = [:]
    }

    package let loop: EventLoop
    public let mode: Mode
    private let state = Mutex(State())
    /// Where those wait who take events of a queue that has a thread of its own.
    private let gate = BlockingGate()

    /// The queue that channels use when they are not given one. It has a thread of its own and
    /// lives as long as the program.
    public static let shared = shared(of: Result { try CompletionQueue() })

    /// One that a program makes it also shuts down: until then its thread goes on, and its
    /// descriptors stay open, though nobody holds it any more.
    ///
    /// - Parameters:
    ///   - mode: Who waits for the network.
    ///   - spin: How long to look for input before going to sleep. A few tens of microseconds halve
    ///     the latency of calls made one at a time, at the price of processor time while nothing
    ///     comes. Without it, and with many calls under way to a server that writes each answer by
    ///     itself, the thread of a queue may rest for less than a tenth of a millisecond between
    ///     reads to let answers come together.
    public init(_ mode: Mode = .ownThread, spin: Duration = .zero) throws(RPCError) {
        do throws(SystemError) {
            loop = try EventLoop(spin: spin)
        } catch {
            throw RPCError(.internal, "cannot make a completion queue: \(error)")
        }
        self.mode = mode
        FreedMemory.keepForReuse()
        guard mode == .ownThread else { return }
        guard Thread.start({ [self] in runUntilShutdown() }) else {
            throw RPCError(.internal, "cannot start the thread of a completion queue")
        }
    }

    private static func shared(of result: Result<CompletionQueue, any Error>) -> CompletionQueue {
        switch result {
        case .success(let queue): queue
        case .failure(let error):
            // Without a descriptor or a thread for its one queue the program cannot make a call;
            // there is nobody yet to whom that could be reported.
            preconditionFailure("\(error)")
        }
    }
}

// MARK: - Events

extension CompletionQueue {
    /// Waits for the next event: the end of a batch of operations that was started with a tag. On a
    /// queue that is turned by hand it turns the event loop meanwhile, in the calling thread, and
    /// only one thread may do so at a time; on one with a thread of its own, any number may wait.
    ///
    /// Batches that were started with a handler have their handler called, and are no events here.
    /// A deadline that has passed turns the loop once, for a program that looks in now and then.
    public func next(deadline: Deadline = .never) -> Event {
        var scratch = EventLoop.Scratch()
        if mode == .byHand, let instant = deadline.moment, MonotonicInstant.now >= instant {
            turn(until: instant, &scratch)
        }
        while true {
            let mark = gate.mark
            if let event = takeEvent() { return event }
            if let instant = deadline.moment, MonotonicInstant.now >= instant { return .timeout }
            switch mode {
            case .byHand: turn(until: tick(before: deadline.moment), &scratch)
            case .ownThread: wait(since: mark, until: deadline.moment)
            }
        }
    }

    /// Refuses new work: calls that have no connection yet and those made from now on end with
    /// UNAVAILABLE. Calls that run go on, and behind the last of them the thread ends, or
    /// ``next(deadline:)`` says that the queue was shut down. A call that an interceptor keeps back
    /// otherwise than by ``InterceptedCall/holdRequests()`` ends when that lets it go on.
    ///
    /// Tasks that prefer the queue as their executor run elsewhere then.
    public func shutdown() {
        let channels = state.withLock { state in
            state.isShutDown = true
            return Array(state.channels.values)
        }
        for channel in channels { channel.shutDown() }
        gate.open()
        loop.wakeUp()
    }

    /// Has `channel` closed with the queue, unless it lets go of it before. False when the queue has
    /// been shut down already.
    func adopt(_ channel: ChannelCore) -> Bool {
        state.withLock { state in
            if !state.isShutDown { state.channels[ObjectIdentifier(channel)] = channel }
            return !state.isShutDown
        }
    }

    func letGo(of channel: ChannelCore) {
        state.withLock { $0.channels[ObjectIdentifier(channel)] = nil }
    }

    var isShutDown: Bool { state.withLock { $0.isShutDown } }

    /// Whether a batch may begin; it is waited for from then on.
    func batchBegins() -> Bool {
        state.withLock { state in
            guard !state.isShutDown else { return false }
            state.pendingCount += 1
            return true
        }
    }

    /// A batch has ended that nobody gave a handler for.
    func batchEnded(tag: Tag, success: Bool) {
        state.withLock { state in
            state.pendingCount -= 1
            state.completed.append((tag, success))
        }
        wakeWaiters()
    }

    /// A batch's handler has been called.
    func batchEnded() {
        state.withLock { $0.pendingCount -= 1 }
        wakeWaiters()
    }

    private func wakeWaiters() {
        gate.open()
        if !loop.isCurrent { loop.wakeUp() }
    }

    private func wait(since mark: UInt64, until deadline: MonotonicInstant?) {
        guard let deadline else { return gate.wait(since: mark) }
        gate.wait(since: mark, upTo: MonotonicInstant.now.duration(to: deadline))
    }

    private func takeEvent() -> Event? {
        state.withLock { state in
            guard let (tag, success) = state.completed.popFirst() else {
                return state.isShutDown && isDone(state) ? .shutdown : nil
            }
            return .completed(tag: tag, success: success)
        }
    }

    /// Whether nothing is under way any more. On a queue with a thread of its own that sees to the
    /// connections by itself.
    private func isDone(_ state: borrowing State) -> Bool {
        state.pendingCount == 0 && (mode == .ownThread || loop.isUnused)
    }

    /// Turns the loop in the calling thread until `isDone`, for a blocking call on a queue that
    /// is turned by hand.
    func turn(while isWaiting: () -> Bool) {
        var scratch = EventLoop.Scratch()
        while isWaiting() { turn(until: nil, &scratch) }
    }

    /// Something has happened that a blocking call waits for. The thread that turns the queue for
    /// it by hand sleeps until there is input, and that may have come to another thread.
    func wakeTurner() {
        if mode == .byHand, !loop.isCurrent { loop.wakeUp() }
    }

    private func runUntilShutdown() {
        var scratch = EventLoop.Scratch()
        loop.setAttended(true)
        while true {
            let (isShutDown, isIdle) = state.withLock { ($0.isShutDown, $0.pendingCount == 0) }
            // What was handed over before the end is run, not dropped: it may own what it is about.
            if isShutDown, isIdle, loop.isUnused, loop.close() { break }
            turn(until: tick(before: nil), &scratch)
        }
        loop.setAttended(false)
    }

    /// Until when to wait. A timer that another thread has cancelled wakes nobody, so a queue that
    /// is shut down looks now and then whether it was the last.
    private func tick(before deadline: MonotonicInstant?) -> MonotonicInstant? {
        guard isShutDown else { return deadline }
        let tick = MonotonicInstant.now + Duration.milliseconds(100)
        return deadline.map { min($0, tick) } ?? tick
    }

    private func turn(until deadline: MonotonicInstant?, _ scratch: inout EventLoop.Scratch) {
        do throws(SystemError) {
            try loop.turn(until: deadline, &scratch)
        } catch {
            // Only a descriptor that is not a poller's can make waiting fail.
            preconditionFailure("\(error)")
        }
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
    /// Several queues with a thread each; channels are dealt out to them in turn.
    public final class Group: Sendable {
        /// All of them.
        public let queues: [CompletionQueue]
        private let turn = Atomic(0)

        /// - Parameter count: How many queues; one at the least.
        public init(threads count: Int) throws(RPCError) {
            var queues: [CompletionQueue] = []
            do throws(RPCError) {
                for _ in 0..<max(1, count) { queues.append(try CompletionQueue()) }
            } catch {
                // Their threads would wait for ever.
                for queue in queues { queue.shutdown() }
                throw error
            }
            self.queues = queues
        }

        /// The queue whose turn it is.
        public func next() -> CompletionQueue {
            let turn = turn.wrappingAdd(1, ordering: .relaxed).newValue
            return queues[Int(UInt(bitPattern: turn) % UInt(queues.count))]
        }

        /// Shuts all of them down.
        public func shutdown() {
            for queue in queues { queue.shutdown() }
        }
    }
}
