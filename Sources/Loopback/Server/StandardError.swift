#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Writes a line to standard error. Gives up when that is closed or full.
package func printToStandardError(_ line: String) { writeToStandardError(line + "\n") }

/// Writes a text to standard error. Gives up when that is closed or full.
package func writeToStandardError(_ text: String) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
        // The buffer is the array's own, with its count.
        let written = unsafe bytes.withUnsafeBytes { buffer in
            unsafe write(2, buffer.baseAddress, buffer.count)
        }
        guard written > 0 else { return }
        bytes = bytes.dropFirst(written)
    }
}
