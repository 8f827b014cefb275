import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

// What the command line needs of the operating system. Foundation has it too, and would make a
// static binary fifteen times as large.

/// Writes a line to standard error.
func say(_ message: String) {
    var octets = Array((message + "\n").utf8)[...]
    while !octets.isEmpty {
        // The buffer is the array's own, with its count.
        let written = unsafe octets.withUnsafeBytes { bytes in
            unsafe write(2, bytes.baseAddress, bytes.count)
        }
        guard written > 0 else { return }
        octets = octets.dropFirst(written)
    }
}

/// Has what was printed leave at once, for whoever waits for it through a pipe. False when it
/// cannot.
@discardableResult
func flushOutput() -> Bool {
    // Nil is every stream that is open.
    if fflush(nil) != 0 { outputWasLost.store(true, ordering: .relaxed) }
    return !outputWasLost.load(ordering: .relaxed)
}

/// What was lost once is not found by flushing again.
private let outputWasLost = Atomic(false)

/// Ends the program. What was printed and got lost is a failure, whatever else was achieved.
func leave(with status: Int32) -> Never {
    if !flushOutput(), status == 0 {
        say("swiftlet: the output cannot be written")
        exit(1)
    }
    exit(status)
}

/// Sees to it that no connection takes the number of a standard stream that was closed, and gets
/// what is printed.
func keepStandardStreams() {
    var descriptor: CInt
    repeat { descriptor = unsafe open("/dev/null", O_RDONLY) } while (0...2).contains(descriptor)
    _ = close(descriptor)
}

/// A file that cannot be read.
struct FileError: Error {
    var path: String
    var code: CInt

    /// In the system's words.
    var reason: String {
        // A string that ends in zero and stays valid until the next call; it is copied here.
        guard let words = unsafe strerror(code) else { return "error \(code)" }
        return unsafe String(cString: words)
    }
}

/// All octets of a file.
func readFile(_ path: String) throws(FileError) -> [UInt8] {
    let descriptor = unsafe path.withCString { unsafe open($0, O_RDONLY) }
    guard descriptor >= 0 else { throw FileError(path: path, code: errno) }
    defer { _ = close(descriptor) }
    var content: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while true {
        // The buffer is the array's own, with its count.
        let count = unsafe chunk.withUnsafeMutableBytes { bytes in
            unsafe read(descriptor, bytes.baseAddress, bytes.count)
        }
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { throw FileError(path: path, code: errno) }
        if count == 0 { return content }
        content += chunk[..<count]
    }
}
