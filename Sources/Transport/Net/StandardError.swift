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
    package static func writeLine(_ line: String) { write(line + "\n") }

    /// Writes a text. Gives up when standard error is closed or full.
    package static func write(_ text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            // The buffer is the array's own, with its count.
            let written = unsafe bytes.withUnsafeBytes { buffer in
                unsafe systemWrite(2, buffer.baseAddress, buffer.count)
            }
            guard written > 0 else { return }
            bytes = bytes.dropFirst(written)
        }
    }
}

/// The name of the system's call is that of a function above.
private func systemWrite(_ descriptor: CInt, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    // Safe: the caller's buffer has so many bytes.
    unsafe write(descriptor, bytes, count)
}
