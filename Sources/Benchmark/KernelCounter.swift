import Foundation

/// Counts events of this process in the kernel. Needs Linux and the permission to read trace points.
/// Counted events take longer.
struct KernelCounter {
    #if os(Linux)
        private let descriptor: CInt

        var count: Int? {
            var value: UInt64 = 0
            // The kernel writes the eight bytes of the counter.
            let byteCount = unsafe read(descriptor, &value, MemoryLayout<UInt64>.size)
            return byteCount == MemoryLayout<UInt64>.size ? Int(clamping: value) : nil
        }

        /// Ends the counting.
        func close() { _ = Foundation.close(descriptor) }

        /// Counts the system calls of the calling thread, and of the threads that it starts later,
        /// directly or indirectly.
        static func systemCalls() -> KernelCounter? {
            for folder in ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"] {
                let file = folder + "/events/raw_syscalls/sys_enter/id"
                guard let event = number(in: file) else { continue }
                let tracePoint: UInt64 = 2
                return open(kind: tracePoint, event: event)
            }
            return nil
        }

        /// Counts calls of `malloc`, in all threads that start later. `malloc` allocates all memory of
        /// the program, including that of the Swift runtime.
        static func allocations() -> KernelCounter? {
            guard let kind = number(in: "/sys/bus/event_source/devices/uprobe/type"),
                let symbol = unsafe dlsym(nil, "malloc"),
                let (path, offset) = place(of: UInt(bitPattern: symbol))
            else { return nil }
            // Never freed: the kernel reads the path again for each new thread.
            guard let kept = unsafe strdup(path) else { return nil }
            return open(kind: kind, event: 0, UInt64(UInt(bitPattern: kept)), offset)
        }
    #else
        var count: Int? { nil }
        func close() {}
        static func systemCalls() -> KernelCounter? { nil }
        static func allocations() -> KernelCounter? { nil }
    #endif
}

#if os(Linux)
    extension KernelCounter {
        private static func number(in file: String) -> UInt64? {
            let text = try? String(contentsOfFile: file, encoding: .utf8)
            return text.flatMap { UInt64($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
        }

        /// The file that is mapped at an address of this process, and the offset in it.
        private static func place(of address: UInt) -> (path: String, offset: UInt64)? {
            // Read to the end: `String(contentsOfFile:)` stops after one page of such a file.
            let file = FileHandle(forReadingAtPath: "/proc/self/maps")
            guard let bytes = try? file?.readToEnd() else { return nil }
            let maps = String(decoding: bytes, as: UTF8.self)
            // "7f00-7f80 r-xp 00026000 fe:00 1234   /lib/libc.so.6"
            for line in maps.split(separator: "\n") {
                let words = line.split(separator: " ", omittingEmptySubsequences: true)
                let bounds = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
                guard words.count == 6, bounds.count == 2,
                    (bounds[0]..<bounds[1]).contains(address),
                    let start = UInt64(words[2], radix: 16)
                else { continue }
                return (String(words[5]), UInt64(address - bounds[0]) + start)
            }
            return nil
        }

        /// `perf_event_open(2)`. The C libraries have no function for this system call.
        private static func open(
            kind: UInt64, event: UInt64, _ first: UInt64 = 0, _ second: UInt64 = 0
        ) -> KernelCounter? {
            #if arch(x86_64)
                let number = 298
            #elseif arch(arm64)
                let number = 241
            #else
                let number = -1
            #endif
            guard number > 0, let symbol = unsafe dlsym(nil, "syscall") else { return nil }
            // The second published form of `perf_event_attr`, 72 bytes: kind and size, the event,
            // three words that are zero, the flag that threads inherit the counter, another zero,
            // and two words whose meaning depends on the kind.
            var attributes = [kind | 72 << 32, event, 0, 0, 0, 1 << 1, 0, first, second]
            typealias PerfEventOpen =
                @convention(c) (Int, UnsafeMutableRawPointer, Int, Int, Int, Int) -> Int
            let open = unsafe unsafeBitCast(symbol, to: PerfEventOpen.self)
            let descriptor = unsafe attributes.withUnsafeMutableBytes { bytes in
                // The calling thread, on any processor, in no group. The kernel reads 72 bytes.
                unsafe bytes.baseAddress.map { unsafe open(number, $0, 0, -1, -1, 0) } ?? -1
            }
            return descriptor >= 0 ? KernelCounter(descriptor: CInt(descriptor)) : nil
        }
    }
#endif
