package import SwiftletTransport
import Synchronization

/// Waits for descriptors and timers, and calls their targets, in turns.
///
/// ``CompletionQueue`` decides which thread turns the loop. All methods may be called on any
/// thread, unless their comment names the loop's thread.
package final class EventLoop: Sendable {
    package typealias Instant = MonotonicInstant

    /// Work that other threads add for the loop's thread.
    private struct Inbox {
        var jobs: [Job] = []
        var unflushed: [any Flushable] = []
        /// Descriptors that have more to read. Reading stopped, so that other descriptors are read.
        var unread: [Unread] = []
        var isEmpty: Bool { jobs.isEmpty && unflushed.isEmpty && unread.isEmpty }
        /// Whether no thread turns the loop, or it sleeps. Then a thread that has output writes it
        /// itself.
        var isAsleep = true
        /// Whether a thread does nothing but turn the loop.
        var isAttended = false
        /// Whether the loop will not be turned again.
        var isClosed = false
    }

    fileprivate typealias Unread = (target: any Pollable, readiness: Poller.Readiness)

    /// Targets by token. The low half of a token is the index of an entry, and the high half
    /// distinguishes the targets that have used the entry one after the other.
    private struct Registry {
        var entries: [(target: (any Pollable)?, generation: UInt32)] = []
        var free: [Int] = []
    }

    private let poller: Poller
    /// Closures that were enqueued after the loop was closed. They run one after the other in a
    /// task.
    private let late = SerialMailbox<@Sendable () -> Void>()
    private let timers = LoopTimers()
    private let inbox = Mutex(Inbox())
    private let registry = Mutex(Registry())
    /// The receive buffer, which connections use one after the other.
    private let receiveMemory = Mutex<[UInt8]>([])
    /// The thread that is running the loop; zero means none.
    private let turner = Atomic<Thread.ID>(0)
    /// How long to poll for input before sleeping.
    private let spin: Duration
    /// The answers that the connections have read in this turn, and how many they expected. Used by the
    /// loop's thread alone.
    private let answerCount = Atomic<Int>(0)
    private let expectedAnswerCount = Atomic<Int>(0)

    /// Whether a thread of the program runs the loop, instead of a thread of the queue.
    let isTurnedByHand: Bool

    init(
        spin: Duration = .zero, isTurnedByHand: Bool = false
    ) throws(SystemError) {
        self.isTurnedByHand = isTurnedByHand
        poller = try Poller()
        self.spin = spin
    }
}

// MARK: - From any thread

extension EventLoop {
    /// Whether a thread runs the loop now.
    var isTurning: Bool { turner.load(ordering: .relaxed) != 0 }

    /// Whether the caller runs inside a turn of this loop.
    package var isCurrent: Bool { turner.load(ordering: .relaxed) == Thread.currentID }

    /// Runs `job` on the loop's thread. Jobs run in the order of their enqueueing. After the loop
    /// was closed, they run on the global executor.
    @inline(never)  // Has many callers.
    package func enqueue(_ job: Job) {
        let (isClosed, mustWake) = inbox.withLock { inbox in
            if !inbox.isClosed { inbox.jobs.append(job) }
            return (inbox.isClosed, inbox.isAsleep)
        }
        guard !isClosed else { return runElsewhere(job) }
        if mustWake { poller.wakeUp() }
    }

    /// Closures run one after the other here too, because their order matters.
    private func runElsewhere(_ job: Job) {
        switch job {
        case .task(let job): job.runElsewhere()
        case .closure(let body):
            guard late.post(body) else { return }
            Task { while let body = late.next() { body() } }
        }
    }

    /// Closes the loop: it accepts no more jobs. False if there are jobs or timers, or during a
    /// turn, whose jobs may add some. A closed loop stays closed.
    func close() -> Bool {
        inbox.withLock { inbox in
            // A turn takes its jobs under the lock, so it is visible if it has taken any.
            let isTurning = turner.load(ordering: .acquiring) != 0
            let isUnused = inbox.isEmpty && timers.count == 0 && !isTurning
            inbox.isClosed = inbox.isClosed || isUnused
            return inbox.isClosed
        }
    }

    /// Whether the loop is closed. If not, a timer that was scheduled before fires.
    package var isClosed: Bool { inbox.withLock { $0.isClosed } }

    package func run(_ body: @escaping @Sendable () -> Void) {
        enqueue(.closure(body))
    }

    /// Flushes `target` soon: at the end of the turn if the loop is awake, so that the output of a
    /// turn is written in one system call; otherwise at once on the calling thread, so that no
    /// thread has to be woken.
    ///
    /// - Parameter willGrow: Whether more output for the target is likely to follow. Then the
    ///   loop's thread is woken, and writes all of it together.
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

    /// Sets whether a thread does nothing but turn the loop.
    func setAttended(_ isAttended: Bool) {
        inbox.withLock { $0.isAttended = isAttended }
    }

    /// Makes `target` read again in the next turn: the poller does not report again the bytes that
    /// the descriptor already has. To be called on the loop's thread.
    package func readAgain(_ target: any Pollable, untilEmpty: Bool) {
        let readiness: Poller.Readiness = untilEmpty ? .hungUp : .readable
        inbox.withLock { $0.unread.append((target, readiness)) }
    }

    /// Counts the answers that a connection has read, for ``AnswerGathering``. To be called on the loop's
    /// thread.
    ///
    /// - Parameter expectedCount: How many it expected before the read.
    func hasRead(answerCount: Int, expectedCount: Int) {
        self.answerCount.wrappingAdd(answerCount, ordering: .relaxed)
        expectedAnswerCount.wrappingAdd(expectedCount, ordering: .relaxed)
    }

    /// The receive buffer; empty if another connection uses it.
    func takeReceiveMemory() -> [UInt8] {
        receiveMemory.withLock { kept in
            var memory: [UInt8] = []
            swap(&memory, &kept)
            return memory
        }
    }

    /// Gives the receive buffer back. If the loop has another one, it keeps the larger one.
    func keepReceiveMemory(_ memory: consuming [UInt8]) {
        var memory = memory
        receiveMemory.withLock { if memory.count > $0.count { swap(&memory, &$0) } }
    }

    func wakeUp() { poller.wakeUp() }

    package func schedule(_ target: any TimerTarget, at deadline: Instant) -> TimerHandle {
        let (handle, mustWake) = timers.insert(target, at: deadline)
        if mustWake, !isCurrent { poller.wakeUp() }
        return handle
    }

    func cancel(_ timer: TimerHandle) { timers.cancel(timer) }

    package var timerCount: Int { timers.count }

    /// Watches `descriptor`. It must be removed before it is closed.
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
        // Fails only if the descriptor is not watched.
        try? poller.remove(descriptor)
    }

    /// The number of watched descriptors, for tests.
    package var descriptorCount: Int {
        registry.withLock { $0.entries.count - $0.free.count }
    }

    /// Whether the loop has no descriptors, timers or work.
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
        // Released outside the lock.
        _ = target
    }

    private func target(of token: UInt64) -> (any Pollable)? {
        registry.withLock { registry in
            let entry = registry.entries[Int(token & 0xffff_ffff)]
            return entry.generation == UInt32(token >> 32) ? entry.target : nil
        }
    }
}

// MARK: - A turn

extension EventLoop {
    /// Memory that is reused from turn to turn.
    struct Scratch: ~Copyable {
        fileprivate var events: [Poller.Event] = []
        fileprivate var jobs: [Job] = []
        fileprivate var unflushed: [any Flushable] = []
        fileprivate var unread: [Unread] = []
        fileprivate var gathering = AnswerGathering()

        init() {}
    }

    /// Runs jobs, waits for events and timers until `deadline` at the latest, and handles them.
    /// Returns false and does nothing during another turn, on another thread or on the same stack:
    /// turns do not nest.
    @discardableResult
    func turn(
        until deadline: Instant?, _ scratch: inout Scratch
    ) throws(SystemError) -> Bool {
        HeldLocks.assertNone(calling: "event loop")
        guard
            turner.compareExchange(
                expected: 0, desired: Thread.currentID, ordering: .acquiringAndReleasing
            ).exchanged
        else { return false }
        inbox.withLock { $0.isAsleep = false }
        defer {
            // Between turns, threads that have output write it themselves.
            inbox.withLock { $0.isAsleep = true }
            turner.store(0, ordering: .releasing)
        }
        runJobs(&scratch)
        flushAll(&scratch)
        try waitForEvents(until: deadline, &scratch)

        let now = Instant.now
        inbox.withLock { swap(&$0.unread, &scratch.unread) }
        handleEvents(&scratch, now: now)
        for unread in scratch.unread { unread.target.ready(unread.readiness, now: now) }
        scratch.unread.removeAll(keepingCapacity: true)
        try fireTimers(&scratch, now: now)
        runJobs(&scratch)
        flushAll(&scratch)
        gather(&scratch)
        return true
    }

    private func handleEvents(_ scratch: inout Scratch, now: Instant) {
        for event in scratch.events {
            guard let target = target(of: event.token) else { continue }
            // A target that reads again would otherwise read twice.
            var readiness = event.readiness
            if let index = scratch.unread.firstIndex(where: { $0.target === target }) {
                readiness.formUnion(scratch.unread.remove(at: index).readiness)
            }
            target.ready(readiness, now: now)
        }
    }

    /// Fires the timers that are due by `now`, after the events that preceded them: there may be more
    /// events than one wait returns, and some arrive while the system does not run this thread.
    private func fireTimers(_ scratch: inout Scratch, now: Instant) throws(SystemError) {
        guard let first = timers.earliest, first <= now else { return }
        for _ in 0..<Self.maxWaitsBeforeTimers {
            try poller.wait(until: now, into: &scratch.events)
            guard !scratch.events.isEmpty else { break }
            handleEvents(&scratch, now: now)
        }
        // Fires no more timers than there are now: a timer that is scheduled again for a time that
        // has passed must not keep the loop from its other work.
        for _ in 0..<timers.count {
            guard let target = timers.popExpired(now: now) else { break }
            target.timerFired(now: now)
        }
    }

    /// Limits how long peers that always have something to report can delay the timers.
    private static let maxWaitsBeforeTimers = 16

    /// Rests for a moment if that gathers answers.
    private func gather(_ scratch: inout Scratch) {
        let answers = answerCount.exchange(0, ordering: .relaxed)
        let expected = expectedAnswerCount.exchange(0, ordering: .relaxed)
        // A queue that spins wants each answer at once, and a thread that turns the loop by hand
        // must not be delayed.
        guard spin == .zero, inbox.withLock({ $0.isAttended }),
            scratch.gathering.shouldRest(answerCount: answers, expectedCount: expected)
        else { return }
        Thread.rest(for: AnswerGathering.rest)
    }

    private func waitForEvents(
        until deadline: Instant?, _ scratch: inout Scratch
    ) throws(SystemError) {
        let start = Instant.now
        if spin > .zero {
            let end = deadline.map { min(start + spin, $0) } ?? start + spin
            repeat {
                let wasWoken = try poller.wait(until: start, into: &scratch.events)
                guard scratch.events.isEmpty, !hasWork, !wasWoken else { return }
                // Read in each round: a timer that is added does not wake a loop that is awake.
            } while Instant.now < (timers.earliest.map { min(end, $0) } ?? end)
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

    /// Whether there is work for the next turn.
    var hasWork: Bool { inbox.withLock { !$0.isEmpty } }

    /// Several rounds, because jobs add jobs. Their number and their time are limited, so that descriptors
    /// are handled, too.
    private func runJobs(_ scratch: inout Scratch) {
        var time = JobTime()
        for _ in 0..<16 {
            inbox.withLock { swap(&$0.jobs, &scratch.jobs) }
            guard !scratch.jobs.isEmpty else { return }
            defer { scratch.jobs.removeAll(keepingCapacity: true) }
            for (index, job) in scratch.jobs.enumerated() {
                job.run()
                guard time.isOver() else { continue }
                // The rest is first in the next turn.
                return inbox.withLock {
                    $0.jobs.insert(contentsOf: scratch.jobs[(index + 1)...], at: 0)
                }
            }
        }
    }

    /// The time of the jobs of a turn.
    private struct JobTime {
        /// A task that connects takes a fifth of a millisecond.
        private static let limit = Duration.milliseconds(2)
        /// The clock is read so seldom, because most jobs are short.
        private static let jobsPerLook = 8

        private var jobCount = 0
        private var end: Instant?

        /// Whether no job may follow the one that has run.
        mutating func isOver() -> Bool {
            jobCount += 1
            guard jobCount.isMultiple(of: Self.jobsPerLook) else { return false }
            let now = Instant.now
            if let end { return now >= end }
            end = now + Self.limit
            return false
        }
    }

    private func flushAll(_ scratch: inout Scratch) {
        inbox.withLock { swap(&$0.unflushed, &scratch.unflushed) }
        for target in scratch.unflushed { target.flush() }
        scratch.unflushed.removeAll(keepingCapacity: true)
    }
}
