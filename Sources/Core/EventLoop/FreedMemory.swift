#if canImport(Glibc)
    import Glibc
    import Synchronization
#endif

/// Has the C library keep the memory of large messages for the next ones.
///
/// glibc returns freed memory to the system above a threshold of 128 KiB, which follows the size of
/// the largest block that was ever freed. Below it every message of a megabyte costs hundreds of
/// page faults, each time anew: two thirds of the processor time of such a call. So one large block
/// is got and freed, without ever being touched; up to twice its size may then stay with the
/// program. Other C libraries have no such threshold.
enum FreedMemory {
    static func keepForReuse() { _ = once }

    private static let once: Void = {
        #if canImport(Glibc)
            // The largest size that the threshold follows is 32 MiB. The address goes through a
            // variable that anybody could look at: otherwise the compiler takes the pair away.
            address.store(
                UInt(bitPattern: unsafe malloc(16 << 20)), ordering: .sequentiallyConsistent)
            let kept = address.exchange(0, ordering: .sequentiallyConsistent)
            unsafe free(UnsafeMutableRawPointer(bitPattern: kept))
        #endif
    }()

    #if canImport(Glibc)
        private static let address = Atomic<UInt>(0)
    #endif
}
