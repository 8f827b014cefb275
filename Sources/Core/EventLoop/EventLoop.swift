package import SwiftletTransport
import Synchronization

/// Something with a descriptor that an event loop watches.
package protocol Pollable: AnyObject, Sendable {
    /// Called on the loop's thread, without a lock.
    func ready(_ readiness: Poller.Readiness, now: MonotonicInstant)
}

/// Something that has gathered output, and is asked to write it at the end of a turn.
package protocol Flushable: AnyObject, Sendable {
    func flush()
}

/// Waits for descriptors and deadlines, and runs what is due, one turn after the other.
///
/// Whose thread runs it is decided elsewhere: ``CompletionQueue`` gives it one of its own, or lets
/// the program turn it by hand. Everything here may be called from any thread, but for ``turn``.
package final class EventLoop: Sendable {
    package typealias Instant = MonotonicInstant

    /// What others leave for the loop's thread.
    private struct Inbox {
        var jobs: [Job] = []
        var unflushed: [any Flushable] = []
        /// Who stopped reading to let others have their turn.
        var unread: [Unread] = []
        var isEmpty: Bool { jobs.isEmpty && unflushed.isEmpty && unread.isEmpty }
        /// Nobody turns the loop now, or it waits: who has output writes it himself.
        var isAsleep = true
        /// A thread does nothing but turn the loop.
        var isAttended = false
        /// Nobody will turn the loop any more.
        var isClosed = false
    }

    fileprivate struct Unread {
        var target: any Pollable
        var readiness: Poller.Readiness
    }

    /// Work for the loop's thread.
    package enum Job: Sendable {
        case task(TaskJob)
        case closure(@Sendable () -> Void)

        fileprivate func run() {
            switch self {
            case .task(let job): job.run()
            case .closure(let body): body()
            }
        }

    }

    /// A piece of a task, and who runs it.
    ///
    /// The run-time hands each job over once and wants it run once; the loop takes it out of its
    /// inbox to run it, so it does.
    @safe package struct TaskJob: Sendable {
        private let job: UnownedJob
        private let executor: UnownedTaskExecutor

        package init(_ job: UnownedJob, on executor: UnownedTaskExecutor) {
            self.job = job
            unsafe self.executor = executor
        }

        fileprivate func run() { unsafe job.runSynchronously(on: executor) }
        fileprivate func runElsewhere() { globalConcurrentExecutor.enqueue(job) }
    }

    /// Descriptors by token: the low half is a place here, the high half tells apart those that
    /// have had the place one after the other.
    private struct Registry {
        var entries: [(target: (any Pollable)?, generation: UInt32)] = []
        var free: [Int] = []
    }

    private let poller: Poller
    /// Closures that came when nobody turned the loop any more.
    private let late = SerialMailbox<@Sendable () -> Void>()
    private let timers = LoopTimers()
    private let inbox = Mutex(Inbox())
    private let registry = Mutex(Registry())
    /// What connections receive into, one after the other.
    private let receiveMemory = Mutex<[UInt8]>([])
    /// Who turns the loop now; zero is nobody.
    private let turner = Atomic<Thread.ID>(0)
    /// How long to look for input before going to sleep.
    private let spin: Duration
    /// What the connections have read in this turn. Only the loop's thread looks.
    private let answerCount = Atomic<Int>(0)
    private let openCount = Atomic<Int>(0)

    package init(spin: Duration = .zero) throws(SystemError) {
        poller = try Poller()
        self.spin = spin
    }
}

// MARK: - From any thread

extension EventLoop {
    /// Whether the caller runs inside a turn of this loop.
    package var isCurrent: Bool { turner.load(ordering: .relaxed) == Thread.currentID }

    /// Runs `job` on the loop's thread, in the order in which jobs are handed over. When that has
    /// ended, it runs somewhere else.
    package func enqueue(_ job: Job) {
        let (isClosed, mustWake) = inbox.withLock { inbox in
            if !inbox.isClosed { inbox.jobs.append(job) }
            return (inbox.isClosed, inbox.isAsleep)
        }
        guard !isClosed else { return runElsewhere(job) }
        if mustWake { poller.wakeUp() }
    }

    /// Closures one after the other here, too: their order means something.
    private func runElsewhere(_ job: Job) {
        switch job {
        case .task(let job): job.runElsewhere()
        case .closure(let body):
            guard late.post(body) else { return }
            Task { [late] in while let body = late.next() { body() } }
        }
    }

    /// Takes no jobs any more, unless there are some, or timers. False when there are.
    func close() -> Bool {
        inbox.withLock { inbox in
            inbox.isClosed = inbox.isEmpty && timers.count == 0
            return inbox.isClosed
        }
    }

    /// Whether nobody turns the loop any more: a timer that was scheduled before this said no will
    /// fire.
    package var isClosed: Bool { inbox.withLock { $0.isClosed } }

    package func run(_ body: @escaping @Sendable () -> Void) {
        enqueue(.closure(body))
    }

    /// Has `target` flushed: by the loop at the end of its turn while it is awake, so that what a
    /// turn produces leaves in one system call; otherwise at once by the caller, so that no thread
    /// has to be woken.
    ///
    /// - Parameter willGrow: Others are about to have output for the same target. Then the loop's
    ///   thread is woken after all, and writes what has come together by then.
    package func flushSoon(_ target: any Flushable, willGrow: Bool) {
        enum Writer { case caller, loop, sleepingLoop }
        let writer: Writer = inbox.withLock { inbox in
            guard !inbox.isAsleep || (willGrow && inbox.isAttended) else { return .caller }
            inbox.unflushed.append(target)
            return inbox.isAsleep ? .sleepingLoop : .loop
        }
        switch writer {
        case .caller: target.flush()
        case .loop: break
        case .sleepingLoop: poller.wakeUp()
        }
    }

    /// Has `target` flushed by the loop's thread, in its next turn.
    package func flushLater(_ target: any Flushable) {
        let (isClosed, mustWake) = inbox.withLock { inbox in
            if !inbox.isClosed { inbox.unflushed.append(target) }
            return (inbox.isClosed, inbox.isAsleep)
        }
        if isClosed { return runElsewhere(.closure { target.flush() }) }
        if mustWake { poller.wakeUp() }
    }

    /// A thread turns the loop from now on, or no longer.
    package func setAttended(_ isAttended: Bool) {
        inbox.withLock { $0.isAttended = isAttended }
    }

    /// Has `target` read on in the next turn: what its descriptor has left is not announced again,
    /// nor is a hang-up. To be called by the loop's own thread.
    package func readAgain(_ target: any Pollable, untilEmpty: Bool) {
        let readiness: Poller.Readiness = untilEmpty ? [.readable, .hungUp] : .readable
        inbox.withLock { $0.unread.append(Unread(target: target, readiness: readiness)) }
    }

    /// Counts what a connection has read. To be called by the loop's own thread.
    ///
    /// - Parameter openCount: Calls under way on it before.
    func hasRead(answerCount: Int, openCount: Int) {
        self.answerCount.wrappingAdd(answerCount, ordering: .relaxed)
        self.openCount.wrappingAdd(openCount, ordering: .relaxed)
    }

    /// Memory to receive into; empty when another connection has it.
    package func takeReceiveMemory() -> [UInt8] {
        receiveMemory.withLock { kept in
            var memory: [UInt8] = []
            swap(&memory, &kept)
            return memory
        }
    }

    /// Gives it back for the next.
    package func keepReceiveMemory(_ memory: consuming [UInt8]) {
        var memory = memory
        receiveMemory.withLock { if memory.count > $0.count { swap(&memory, &$0) } }
    }

    package func wakeUp() { poller.wakeUp() }

    package func schedule(_ target: any TimerTarget, at deadline: Instant) -> TimerHandle {
        let (handle, mustWake) = timers.insert(target, at: deadline)
        if mustWake, !isCurrent { poller.wakeUp() }
        return TimerHandle(handle: handle)
    }

    package func cancel(_ timer: TimerHandle) { timers.cancel(timer.handle) }

    package var timerCount: Int { timers.count }

    /// Watches `descriptor`, which must be removed before it is closed.
    package func add(_ descriptor: CInt, _ target: any Pollable) throws(SystemError) -> UInt64 {
        let token = registry.withLock { registry in
            let place: Int
            if let reused = registry.free.popLast() {
                place = reused
            } else {
                registry.entries.append((nil, 0))
                place = registry.entries.count - 1
            }
            registry.entries[place].target = target
            registry.entries[place].generation &+= 1
            return UInt64(registry.entries[place].generation) << 32 | UInt64(place)
        }
        do throws(SystemError) {
            try poller.add(descriptor, token: token)
        } catch {
            forget(token)
            throw error
        }
        return token
    }

    package func remove(_ descriptor: CInt, _ token: UInt64) {
        forget(token)
        // Fails only for a descriptor that is not watched, and then there is nothing to do.
        try? poller.remove(descriptor)
    }

    /// Descriptors that are watched: what a test of leaks counts.
    package var descriptorCount: Int {
        registry.withLock { $0.entries.count - $0.free.count }
    }

    /// Whether nothing is left that could bring about anything.
    var isUnused: Bool { descriptorCount == 0 && timers.count == 0 && !hasWork }

    private func forget(_ token: UInt64) {
        let target: (any Pollable)? = registry.withLock { registry in
            let place = Int(token & 0xffff_ffff)
            guard registry.entries[place].generation == UInt32(token >> 32),
                let target = registry.entries[place].target.take()
            else { return nil }
            registry.free.append(place)
            return target
        }
        // Let go of outside the lock.
        _ = target
    }

    private func target(of token: UInt64) -> (any Pollable)? {
        registry.withLock { registry in
            let entry = registry.entries[Int(token & 0xffff_ffff)]
            return entry.generation == UInt32(token >> 32) ? entry.target : nil
        }
    }
}

/// A timer of an event loop. One that has fired or was cancelled names nothing.
package struct TimerHandle: Sendable {
    fileprivate let handle: LoopTimers.Handle
}

// MARK: - A turn

extension EventLoop {
    /// What a loop keeps from turn to turn on the stack of the thread that turns it.
    package struct Scratch: ~Copyable {
        fileprivate var events: [Poller.Event] = []
        fileprivate var jobs: [Job] = []
        fileprivate var unflushed: [any Flushable] = []
        fileprivate var unread: [Unread] = []
        fileprivate var gathering = AnswerGathering()

        package init() {}
    }

    /// Runs what is due, and otherwise waits until something is, or until `deadline`.
    package func turn(until deadline: Instant?, _ scratch: inout Scratch) throws(SystemError) {
        let outer = turner.exchange(Thread.currentID, ordering: .relaxed)
        inbox.withLock { $0.isAsleep = false }
        defer {
            // Between turns nobody looks after what is handed over.
            inbox.withLock { $0.isAsleep = true }
            turner.store(outer, ordering: .relaxed)
        }
        runJobs(&scratch)
        flushAll(&scratch)
        try waitForEvents(until: deadline, &scratch)

        let now = Instant.now
        inbox.withLock { swap(&$0.unread, &scratch.unread) }
        for event in scratch.events {
            guard let target = target(of: event.token) else { continue }
            // Who reads on anyway would otherwise read twice.
            var readiness = event.readiness
            if let index = scratch.unread.firstIndex(where: { $0.target === target }) {
                readiness.formUnion(scratch.unread.remove(at: index).readiness)
            }
            target.ready(readiness, now: now)
        }
        for unread in scratch.unread { unread.target.ready(unread.readiness, now: now) }
        scratch.unread.removeAll(keepingCapacity: true)
        while let target = timers.popExpired(now: now) { target.timerFired(now: now) }
        runJobs(&scratch)
        flushAll(&scratch)
        gather(&scratch)
    }

    /// Rests a moment where that brings answers together.
    private func gather(_ scratch: inout Scratch) {
        let answers = answerCount.exchange(0, ordering: .relaxed)
        let open = openCount.exchange(0, ordering: .relaxed)
        // Who looks for answers instead of sleeping wants them at once, and the time of a thread
        // that turns the loop by hand is not ours.
        guard spin == .zero, inbox.withLock({ $0.isAttended }),
            scratch.gathering.shouldRest(answerCount: answers, openCount: open)
        else { return }
        Thread.rest(for: AnswerGathering.rest)
    }

    private func waitForEvents(
        until deadline: Instant?, _ scratch: inout Scratch
    ) throws(SystemError) {
        let start = Instant.now
        if spin > .zero {
            let end = start + spin
            repeat {
                let wasWoken = try poller.wait(until: start, into: &scratch.events)
                guard scratch.events.isEmpty, !hasWork, !wasWoken else { return }
            } while Instant.now < end
        }
        let maySleep = inbox.withLock { inbox in
            inbox.isAsleep = inbox.isEmpty
            return inbox.isAsleep
        }
        var until: Instant? = start
        if maySleep {
            until = timers.fallAsleep(now: start)
            if let deadline { until = until.map { min($0, deadline) } ?? deadline }
        }
        defer {
            if maySleep { timers.wake() }
            inbox.withLock { $0.isAsleep = false }
        }
        try poller.wait(until: until, into: &scratch.events)
    }

    /// Whether something was handed over that the next turn will see to.
    var hasWork: Bool {
        inbox.withLock { !$0.isEmpty }
    }

    /// A few rounds, because jobs beget jobs; then the descriptors have their turn again.
    private func runJobs(_ scratch: inout Scratch) {
        for _ in 0..<16 {
            inbox.withLock { swap(&$0.jobs, &scratch.jobs) }
            guard !scratch.jobs.isEmpty else { return }
            for job in scratch.jobs { job.run() }
            scratch.jobs.removeAll(keepingCapacity: true)
        }
    }

    private func flushAll(_ scratch: inout Scratch) {
        inbox.withLock { swap(&$0.unflushed, &scratch.unflushed) }
        for target in scratch.unflushed { target.flush() }
        scratch.unflushed.removeAll(keepingCapacity: true)
    }
}
