#if canImport(Glibc)
    import Glibc
    import Synchronization
#endif

/// Settings of the C library's allocator. They apply to the whole program.
public enum FreedMemory {
    /// Keeps the memory of large messages for reuse, instead of returning it to the system. For
    /// programs that exchange messages above 128 KiB at a high rate. The library does not call it
    /// by itself.
    ///
    /// glibc returns freed blocks to the system if they are larger than a threshold. The threshold
    /// starts at 128 KiB and grows to the size of the largest block that was freed. Without this,
    /// each message of one megabyte causes hundreds of page faults, which take two thirds of the
    /// processor time of the call. The function allocates one large block and frees it without
    /// writing to it. The program may then keep up to 32 MiB of freed memory. Does nothing with
    /// other C libraries.
    public static func keepForReuse() { _ = once }

    private static let once: Void = {
        #if canImport(Glibc)
            // The threshold grows to at most 32 MiB. The address is stored in a global variable, so
            // that the compiler does not remove the pair of calls.
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
