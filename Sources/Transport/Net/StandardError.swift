#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The standard error of the process.
package enum StandardError {
    /// Writes a line. Gives up when standard error is closed or full.
    package static func writeLine(_ line: String) {
        var bytes = Array((line + "\n").utf8)[...]
        while !bytes.isEmpty {
            // The buffer is the array's own, with its count.
            let written = unsafe bytes.withUnsafeBytes { buffer in
                unsafe write(2, buffer.baseAddress, buffer.count)
            }
            guard written > 0 else { return }
            bytes = bytes.dropFirst(written)
        }
    }
}
