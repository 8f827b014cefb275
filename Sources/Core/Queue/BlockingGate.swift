import SwiftletTransport

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Blocks threads until another thread opens the gate.
///
/// A thread that waits for a condition reads ``mark``, tests the condition, and then waits for an
/// opening after the mark. So it does not miss an opening that happens after the test.
@safe package final class BlockingGate: @unchecked Sendable {
    // Safe, although the compiler cannot check it: the mutex and the condition variable have fixed
    // addresses from init to deinit, and the mutex guards `happenings`.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var happenings: UInt64 = 0

    package init() {
        unsafe pthread_mutex_init(mutex, nil)
        #if canImport(Darwin)
            unsafe pthread_cond_init(condition, nil)
        #else
            // The wall clock can be set back during a wait; this clock cannot.
            var attributes = pthread_condattr_t()
            unsafe pthread_condattr_init(&attributes)
            unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
            unsafe pthread_cond_init(condition, &attributes)
            unsafe pthread_condattr_destroy(&attributes)
        #endif
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    /// The number of openings so far.
    package var mark: UInt64 {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return happenings
    }

    /// Wakes all threads that wait.
    package func open() {
        unsafe pthread_mutex_lock(mutex)
        happenings &+= 1
        unsafe pthread_mutex_unlock(mutex)
        // After the unlock, so that the threads that wake do not block on the mutex.
        unsafe pthread_cond_broadcast(condition)
    }

    /// Waits until the gate was opened after `mark`.
    package func wait(since mark: UInt64 = 0) {
        HeldLocks.assertNone(calling: "wait")
        unsafe pthread_mutex_lock(mutex)
        while happenings == mark { unsafe pthread_cond_wait(condition, mutex) }
        unsafe pthread_mutex_unlock(mutex)
    }

    /// Like ``wait(since:)``, but waits at most for `duration`.
    func wait(since mark: UInt64, upTo duration: Duration) {
        HeldLocks.assertNone(calling: "wait")
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        #if canImport(Darwin)
            let end = MonotonicInstant.now + duration
            // The system may wake a thread without a reason.
            while happenings == mark {
                let remaining = MonotonicInstant.now.duration(to: end)
                guard remaining > .zero else { break }
                let (seconds, attoseconds) = remaining.components
                var time = timespec()
                time.tv_sec = numericCast(seconds)
                time.tv_nsec = numericCast(attoseconds / 1_000_000_000)
                unsafe pthread_cond_timedwait_relative_np(condition, mutex, &time)
            }
        #else
            let (seconds, attoseconds) = max(duration, .zero).components
            var time = timespec()
            unsafe clock_gettime(CLOCK_MONOTONIC, &time)
            let nanoseconds = Int64(time.tv_nsec) + attoseconds / 1_000_000_000
            // A deadline that the clock cannot represent means no limit.
            let end = Int64(time.tv_sec).addingReportingOverflow(
                seconds &+ nanoseconds / 1_000_000_000)
            time.tv_sec = end.overflow ? .max : numericCast(end.partialValue)
            time.tv_nsec = numericCast(nanoseconds % 1_000_000_000)
            while happenings == mark {
                guard unsafe pthread_cond_timedwait(condition, mutex, &time) == 0 else { break }
            }
        #endif
    }
}
