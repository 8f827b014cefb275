#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The properties that change when a file is written or replaced: its number, size and time of
/// modification.
package struct FileStamp: Equatable, Sendable {
    private let device: UInt64
    private let number: UInt64
    private let byteCount: Int64
    private let seconds: Int64
    private let nanoseconds: Int64

    /// Nil if the file does not exist, or its properties cannot be read.
    package init?(path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        device = UInt64(truncatingIfNeeded: status.st_dev)
        number = UInt64(truncatingIfNeeded: status.st_ino)
        byteCount = Int64(status.st_size)
        #if canImport(Darwin)
            let modified = status.st_mtimespec
        #else
            let modified = status.st_mtim
        #endif
        seconds = Int64(modified.tv_sec)
        nanoseconds = Int64(modified.tv_nsec)
    }
}
