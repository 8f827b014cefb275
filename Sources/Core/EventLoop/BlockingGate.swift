#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Stops threads until something happens elsewhere.
///
/// Who waits for a condition takes a mark, looks whether it holds, and then waits for what happens
/// after the mark: so nothing that happens after the look is missed.
@safe final class BlockingGate: @unchecked Sendable {
    // Unchecked and called safe, because the two are the system's and live at fixed addresses from
    // init to deinit, and the mutex guards `happenings`.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var happenings: UInt64 = 0

    init() {
        unsafe pthread_mutex_init(mutex, nil)
        #if canImport(Darwin)
            unsafe pthread_cond_init(condition, nil)
        #else
            // The time of day may be set back while somebody waits; this clock may not.
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

    /// What has happened so far.
    var mark: UInt64 {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return happenings
    }

    /// Something has happened.
    func open() {
        unsafe pthread_mutex_lock(mutex)
        happenings &+= 1
        unsafe pthread_mutex_unlock(mutex)
        // After it, so that who wakes does not find the mutex locked and sleeps again.
        unsafe pthread_cond_broadcast(condition)
    }

    /// Waits until something has happened after `mark`.
    func wait(since mark: UInt64 = 0) {
        unsafe pthread_mutex_lock(mutex)
        while happenings == mark { unsafe pthread_cond_wait(condition, mutex) }
        unsafe pthread_mutex_unlock(mutex)
    }

    /// The same, but for so much time at most.
    func wait(since mark: UInt64, upTo duration: Duration) {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        let (seconds, attoseconds) = max(duration, .zero).components
        var time = timespec()
        #if canImport(Darwin)
            time.tv_sec = numericCast(seconds)
            time.tv_nsec = numericCast(attoseconds / 1_000_000_000)
            if happenings == mark {
                unsafe pthread_cond_timedwait_relative_np(condition, mutex, &time)
            }
        #else
            unsafe clock_gettime(CLOCK_MONOTONIC, &time)
            let nanoseconds = Int64(time.tv_nsec) + attoseconds / 1_000_000_000
            // A deadline beyond what a clock can say is for ever.
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
