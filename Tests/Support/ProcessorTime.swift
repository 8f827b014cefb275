#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The processor time that a piece of work costs, for tests that compare two inputs of the same size.
///
/// The time of one input means nothing. The ratio of two inputs tells linear cost from quadratic cost: for 16 kB of
/// combining marks it is far above 100 for quadratic cost, and a few for linear cost.
public enum ProcessorTime {
    /// How often `work` costs what `reference` costs, in time of this thread alone. The least of several runs of each,
    /// so that a busy machine does not count.
    public static func ratio(of work: () -> Void, to reference: () -> Void) -> Double {
        // A reference that is too short for the clock counts as 20 microseconds.
        least(work) / max(least(reference), 20_000)
    }

    /// Of five runs, or of fewer if they are long: noise is a small part of these.
    private static func least(_ work: () -> Void) -> Double {
        var (least, sum) = (Double.infinity, 0.0)
        for _ in 0..<5 where sum < 500_000_000 {
            let start = nanoseconds()
            work()
            let time = nanoseconds() - start
            (least, sum) = (min(least, time), sum + time)
        }
        return least
    }

    private static func nanoseconds() -> Double {
        var time = timespec()
        // The pointer is valid for the call.
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}
