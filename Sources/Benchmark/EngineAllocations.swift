import Foundation

/// Counts the objects that the Swift runtime allocates. Memory of unsafe pointers is not counted.
enum AllocationCount {
    /// The count of allocations while `body` ran; nil if the runtime has no hook. No other code may
    /// run at the same time.
    static func measure(_ body: () -> Void) -> Int? {
        // A hook that is never called would count zero.
        let check = count { for size in 1...10 { blackHole([UInt8](repeating: 1, count: size)) } }
        guard check == 10 else { return nil }
        return count(body)
    }

    private static func count(_ body: () -> Void) -> Int? {
        #if os(Linux)
            // The runtime calls the allocator whose address is in `_swift_allocObject`, if the flag
            // with this name is set. Both variables live as long as the program, and are restored
            // before this function returns.
            let switchName =
                "_swift_enableSwizzlingOfAllocationAndRefCountingFunctions_forInstrumentsOnly"
            guard let symbol = unsafe dlsym(nil, "_swift_allocObject"),
                let switchSymbol = unsafe dlsym(nil, switchName)
            else { return nil }
            let hook = unsafe symbol.assumingMemoryBound(to: Allocator.self)
            let isHooked = unsafe switchSymbol.assumingMemoryBound(to: Bool.self)
            unsafe isHooked.pointee = true
            unsafe originalAllocator = unsafe hook.pointee
            unsafe allocationCount = 0
            unsafe hook.pointee = { type, byteCount, alignmentMask in
                unsafe allocationCount += 1
                return unsafe originalAllocator?(type, byteCount, alignmentMask)
            }
            body()
            unsafe isHooked.pointee = false
            if let original = unsafe originalAllocator { unsafe hook.pointee = original }
            return unsafe allocationCount
        #else
            body()
            return nil
        #endif
    }

    /// Returns unused memory of the C library to the system, if the library supports it.
    static func giveBackFreeMemory() {
        guard let symbol = unsafe dlsym(nil, "malloc_trim") else { return }
        // glibc's function: it takes the count of bytes to keep, and returns whether memory was released.
        typealias Trim = @convention(c) (Int) -> CInt
        _ = unsafe unsafeBitCast(symbol, to: Trim.self)(0)
    }

    /// The resident memory of the program, in bytes.
    static var residentByteCount: Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else {
            return nil
        }
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) }
        return pages.map { $0 * Int(sysconf(Int32(_SC_PAGESIZE))) }
    }
}

#if os(Linux)
    private typealias Allocator =
        @convention(c) (UnsafeRawPointer?, Int, Int) -> UnsafeMutableRawPointer?

    // Used only by the measuring thread, while no other thread runs.
    nonisolated(unsafe) private var originalAllocator: Allocator?
    nonisolated(unsafe) private var allocationCount = 0
#endif
