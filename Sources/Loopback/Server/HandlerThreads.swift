import SwiftletCore
import SwiftletTransport
import Synchronization

/// Runs the tasks of a server's handlers on threads of the server's own.
///
/// Tests block threads of Swift's cooperative thread pool, which has one for each processor. A
/// handler that needed that pool would wait for the very test that waits for its response.
final class HandlerThreads: TaskExecutor {
    private struct State {
        var jobs = Backlog<EventLoop.TaskJob>()
        /// The threads that wait for a job, each at its own gate. The last to begin waiting runs the
        /// next job.
        var idle: [BlockingGate] = []
        var threadCount = 0
        var isStopped = false
    }

    private enum Step {
        case run(EventLoop.TaskJob)
        case wait
        case end
    }

    /// How many handlers may block a thread at the same time.
    static let maxThreadCount = 16

    private let state = Mutex(State())
}

extension HandlerThreads {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = unsafe EventLoop.TaskJob(UnownedJob(job), on: asUnownedTaskExecutor())
        let (idle, mustStart) = state.withLock { state in
            state.jobs.append(job)
            if let idle = state.idle.popLast() { return (idle as BlockingGate?, false) }
            let mustStart = state.threadCount < Self.maxThreadCount
            if mustStart { state.threadCount += 1 }
            return (nil, mustStart)
        }
        idle?.open()
        if mustStart, !Thread.start("swiftlet-handle", { [self] in run() }) { threadDidNotStart() }
    }

    /// Ends the threads as soon as no job is left. A job that comes later gets a thread that ends
    /// with it.
    func stop() {
        let idle = state.withLock { state in
            state.isStopped = true
            defer { state.idle = [] }
            return state.idle
        }
        for gate in idle { gate.open() }
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
            if let job = state.jobs.popFirst() { return .run(job) }
            if state.isStopped {
                state.threadCount -= 1
                return .end
            }
            state.idle.append(gate)
            return .wait
        }
    }

    /// Called when a thread could not be started. The running threads run the queued jobs; without
    /// any thread, the jobs run on Swift's global executor.
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
