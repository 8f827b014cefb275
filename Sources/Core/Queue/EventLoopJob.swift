import SwiftletTransport

extension EventLoop {
    /// Work for the loop's thread.
    package enum Job: Sendable {
        case task(TaskJob)
        case closure(@Sendable () -> Void)

        func run() {
            HeldLocks.assertNone(calling: "job")
            switch self {
            case .task(let job): job.run()
            case .closure(let body): body()
            }
        }
    }

    /// A job of a task, and its executor.
    ///
    /// Safe, although the compiler cannot check it: the runtime enqueues each job once, and the
    /// loop takes it out of its inbox to run it, so that it runs once.
    @safe package struct TaskJob: Sendable {
        private let job: UnownedJob
        private let executor: UnownedTaskExecutor

        package init(_ job: UnownedJob, on executor: UnownedTaskExecutor) {
            self.job = job
            unsafe self.executor = executor
        }

        package func run() { unsafe job.runSynchronously(on: executor) }
        package func runElsewhere() { globalConcurrentExecutor.enqueue(job) }
    }
}

extension EventLoop: TaskExecutor {
    package func enqueue(_ job: consuming ExecutorJob) {
        enqueue(.task(unsafe TaskJob(UnownedJob(job), on: asUnownedTaskExecutor())))
    }
}
