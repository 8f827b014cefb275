import SwiftletCore
import SwiftletTransport
import Synchronization

/// Runs the tasks of a server's handlers on the server's own threads.
///
/// Tests block threads of Swift's cooperative thread pool, which has one thread for each processor. If a
/// handler needed that pool, it would wait for the test that waits for the handler's response.
///
/// While handlers do not block, they share a few threads. More threads than processors would only run in
/// turn. If jobs wait, and no job has begun for a while, handlers block the threads. One more thread is then
/// started.
final class HandlerThreads: TaskExecutor {
    fileprivate struct State {
        var jobs = Backlog<EventLoop.TaskJob>()
        /// The gates of the threads that wait for a job. The thread that began to wait last runs the next
        /// job.
        var idle: [BlockingGate] = []
        var threadCount = 0
        /// The number of threads that may run jobs. It is above the usual number while handlers block
        /// threads.
        var allowedCount = HandlerThreads.usualThreadCount
        /// The number of jobs that have begun.
        var begunCount: UInt64 = 0
        /// The number of jobs that had begun when the timer was scheduled; nil if none is.
        var watchedCount: UInt64?
        var isStopped = false
    }

    private enum Step {
        case run(EventLoop.TaskJob)
        case wait
        case end
    }

    /// The way to get a thread for the next job.
    fileprivate enum Supply {
        case wake(BlockingGate)
        case start
        /// All allowed threads run a job. A timer checks whether another job begins in the meantime.
        case watch
        case enough
    }

    /// The most threads that handlers may block at the same time.
    static let maxThreadCount = 256
    /// The number of threads that may run jobs while no handler blocks a thread.
    fileprivate static let usualThreadCount = 2
    private static let blockedThreshold = Duration.milliseconds(5)

    private let state = Mutex(State())
    private let timer = TimerSlot()
    private let loop: EventLoop

    /// - Parameter loop: The loop that runs the timer.
    init(_ loop: EventLoop) { self.loop = loop }
}

extension HandlerThreads {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = unsafe EventLoop.TaskJob(UnownedJob(job), on: asUnownedTaskExecutor())
        supply(
            state.withLock { state in
                state.jobs.append(job)
                let mayRun = state.runningCount < state.allowedCount || state.isStopped
                return mayRun ? state.thread() : state.watch()
            })
    }

    private func supply(_ supply: Supply) {
        switch supply {
        case .wake(let gate): gate.open()
        case .start:
            if !Thread.start("swiftlet-handle", { [self] in run() }) { threadDidNotStart() }
        case .watch:
            timer.schedule(self, at: .now + Self.blockedThreshold, on: loop)
        case .enough: return
        }
    }

    private func addThreadIfBlocked() {
        let supplies = state.withLock { state -> [Supply] in
            let isBlocked = state.watchedCount == state.begunCount
            state.watchedCount = nil
            guard !state.jobs.isEmpty, !state.isStopped else { return [] }
            guard isBlocked else { return [state.watch()] }
            state.allowedCount = min(state.runningCount + 1, Self.maxThreadCount)
            return [state.thread(), state.watch()]
        }
        for supply in supplies { self.supply(supply) }
    }

    /// Ends the threads when no job is left. A later job gets a new thread, which ends after the job. The
    /// timer is closed, so each waiting job gets a thread now, up to the limit.
    func stop() {
        timer.close()
        let supplies = state.withLock { state in
            state.isStopped = true
            let idle = state.idle.map { Supply.wake($0) }
            state.idle = []
            return idle + (0..<state.jobs.count).map { _ in state.thread() }
        }
        for supply in supplies { self.supply(supply) }
    }

    private func run() {
        let gate = BlockingGate()
        while true {
            // Read before other threads can see the gate, so that no `open()` is missed.
            let mark = gate.mark
            switch nextStep(at: gate) {
            case .run(let job): job.run()
            case .wait: gate.wait(since: mark)
            case .end: return
            }
        }
    }

    private func nextStep(at gate: BlockingGate) -> Step {
        state.withLock { state in
            if let job = state.jobs.popFirst() {
                state.begunCount += 1
                return .run(job)
            }
            if state.isStopped {
                state.threadCount -= 1
                return .end
            }
            state.idle.append(gate)
            // The threads that still run may be blocked.
            let needed = max(state.runningCount + 1, Self.usualThreadCount)
            state.allowedCount = min(state.allowedCount, needed)
            return .wait
        }
    }

    /// Called when a thread could not be started. The running threads run the queued jobs. If there is no
    /// thread, Swift's global executor runs them.
    private func threadDidNotStart() {
        let jobs = state.withLock { state in
            state.threadCount -= 1
            var jobs: [EventLoop.TaskJob] = []
            while state.threadCount == 0, let job = state.jobs.popFirst() { jobs.append(job) }
            return jobs
        }
        for job in jobs { job.runElsewhere() }
    }
}

extension HandlerThreads: TimerTarget {
    func timerFired(now: MonotonicInstant) {
        timer.hasFired(now: now)
        addThreadIfBlocked()
    }
}

extension HandlerThreads.State {
    fileprivate var runningCount: Int { threadCount - idle.count }

    /// Supplies one more thread, if the limit allows it.
    fileprivate mutating func thread() -> HandlerThreads.Supply {
        if let gate = idle.popLast() { return .wake(gate) }
        guard threadCount < HandlerThreads.maxThreadCount else { return .enough }
        threadCount += 1
        return .start
    }

    fileprivate mutating func watch() -> HandlerThreads.Supply {
        guard watchedCount == nil else { return .enough }
        watchedCount = begunCount
        return .watch
    }
}
