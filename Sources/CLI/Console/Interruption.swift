import SwiftletTransport
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Handles Ctrl-C.
enum Interruption {
    /// The exit status of a command that an interrupt ends: 128 plus the number of the signal.
    static let exitStatus = 128 + SIGINT

    /// Blocks SIGINT, so that it does not end the program. Call this before other threads start,
    /// because they inherit the signal mask.
    static func hold() {
        var signals = interrupt
        // Safe: the call only reads the set.
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Calls `cancel` on the first interrupt, and ends the program on the second.
    static func onFirst(_ cancel: @escaping @Sendable () -> Void) {
        let isWatched = Thread.start("swiftlet-signal") {
            waitForInterrupt()
            cancel()
            waitForInterrupt()
            _exit(exitStatus)
        }
        guard !isWatched else { return }
        // Without a thread, the first interrupt ends the program.
        var signals = interrupt
        unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    private static func waitForInterrupt() {
        var signals = interrupt
        var signal: CInt = 0
        // Safe: both arguments live on this stack.
        while unsafe sigwait(&signals, &signal) != 0 {}
    }

    private static var interrupt: sigset_t {
        var signals = sigset_t()
        // Safe: the calls only write to the set.
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGINT)
        return signals
    }
}
