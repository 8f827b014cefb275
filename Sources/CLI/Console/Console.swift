import SwiftletLoopback
import SwiftletTransport
import Synchronization

#if canImport(Darwin)
    // The variable of standard output does not change.
    @unsafe @preconcurrency import Darwin
#elseif canImport(Musl)
    import Musl
#else
    @unsafe @preconcurrency import Glibc
#endif

// The functions of the operating system that the command line uses. Foundation also offers them, but makes a
// static binary fifteen times as large.

/// Prints a text that contains names or comments from a server or a `.proto` file. Characters that control a
/// terminal become spaces.
func printText(_ text: String, terminator: String = "\n") {
    print(PeerText.cleanLines(text), terminator: terminator)
}

/// Flushes the printed output, so that a reader of a pipe receives it. Returns false if output was lost.
@discardableResult
func flushOutput() -> Bool {
    // Nil flushes all open streams. A write that failed earlier is only in the error state of the stream.
    let failsNow = fflush(nil) != 0
    if unsafe failsNow || ferror(stdout) != 0 {
        outputWasLost.store(true, ordering: .relaxed)
    }
    return !outputWasLost.load(ordering: .relaxed)
}

/// Whether printed output was lost. It is stored because a later `fflush` does not report an earlier failure.
private let outputWasLost = Atomic(false)

/// Ends the program. The exit status is 1 instead of 0 when printed output was lost.
func leave(with status: Int32) -> Never {
    if !flushOutput(), status == 0 {
        printToStandardError("swiftlet: the output cannot be written")
        exit(1)
    }
    exit(status)
}

/// Opens closed standard streams on /dev/null. Otherwise a connection could get the descriptor of a
/// standard stream, and would then send the printed output to the server.
func keepStandardStreams() {
    var descriptor: CInt
    repeat { descriptor = unsafe open("/dev/null", O_RDONLY) } while (0...2).contains(descriptor)
    _ = close(descriptor)
}

/// A file that cannot be read or written.
struct FileError: Error, CustomStringConvertible {
    var path: String
    var code: CInt

    /// The system's description of the error.
    var reason: String {
        // The string is valid until the next call of strerror, and is copied here.
        guard let words = unsafe strerror(code) else { return "error \(code)" }
        return unsafe String(cString: words)
    }

    var description: String { "\(path): \(reason)" }
}

/// Reads a whole file.
func readFile(_ path: String) throws(FileError) -> [UInt8] {
    let descriptor = unsafe path.withCString { unsafe open($0, O_RDONLY) }
    guard descriptor >= 0 else { throw FileError(path: path, code: errno) }
    defer { _ = close(descriptor) }
    var content: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while true {
        let count = readSome(descriptor, into: &chunk)
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { throw FileError(path: path, code: errno) }
        if count == 0 { return content }
        content += chunk[..<count]
    }
}

/// Reads the available bytes, at most `chunk.count`. Returns the count of bytes; 0 at the end of the file. If
/// the read fails, returns a negative number, and the reason is in `errno`.
func readSome(_ descriptor: CInt, into chunk: inout [UInt8]) -> Int {
    // Safe: the pointer and the count are those of the array, and are used only in the closure.
    unsafe chunk.withUnsafeMutableBytes { bytes in
        unsafe read(descriptor, bytes.baseAddress, bytes.count)
    }
}

/// Writes all bytes to the standard output, after the text that was printed before.
func writeToStandardOutput(_ bytes: [UInt8]) throws(FileError) {
    flushOutput()
    try writeAll(bytes, to: 1, named: "standard output")
}

/// An output file. It is truncated when it is opened. Several threads may write to it.
final class OutputFile: Sendable {
    let path: String
    private let descriptor: CInt
    private let lock = Mutex(())

    /// Opens the file. Its content remains until ``removeContent()``.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - isPrivate: Whether only the owner may read the file, also if others could read it before. No
    ///     effect on what is not a regular file; false by default.
    init(_ path: String, isPrivate: Bool = false) throws(FileError) {
        self.path = path
        let mode: mode_t = isPrivate ? 0o600 : 0o666
        descriptor = unsafe path.withCString {
            unsafe open($0, O_WRONLY | O_CREAT | O_CLOEXEC, mode)
        }
        guard descriptor >= 0 else { throw FileError(path: path, code: errno) }
        guard isPrivate, isRegular, fchmod(descriptor, mode) != 0 else { return }
        throw FileError(path: path, code: errno)
    }

    private var isRegular: Bool {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Removes the content of a regular file. A pipe or a terminal has none.
    func removeContent() throws(FileError) {
        guard ftruncate(descriptor, 0) != 0, errno != EINVAL else { return }
        throw FileError(path: path, code: errno)
    }

    deinit { _ = close(descriptor) }

    /// Writes all bytes together, so that bytes of several threads are not mixed.
    func write(_ bytes: [UInt8]) throws(FileError) {
        try lock.withLock { _ throws(FileError) in
            try writeAll(bytes, to: descriptor, named: path)
        }
    }
}

private func writeAll(
    _ bytes: [UInt8], to descriptor: CInt, named name: String
) throws(FileError) {
    var written = 0
    while written < bytes.count {
        // Safe: the pointer and the count are those of the slice, and are used only in the closure.
        let count = unsafe bytes[written...].withUnsafeBytes { bytes in
            unsafe write(descriptor, bytes.baseAddress, bytes.count)
        }
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { throw FileError(path: name, code: errno) }
        written += count
    }
}
