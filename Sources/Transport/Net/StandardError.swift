#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The standard error of the process.
package enum StandardError {
    /// Writes a line. Drops the rest if standard error is closed or full.
    package static func writeLine(_ line: String) { write(line + "\n") }

    /// Writes a text. Drops the rest if standard error is closed or full.
    package static func write(_ text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            // Safe: the pointer and the count are those of the slice, and are used only in the
            // closure.
            let written = unsafe bytes.withUnsafeBytes { buffer in
                unsafe systemWrite(2, buffer.baseAddress, buffer.count)
            }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { return }
            bytes = bytes.dropFirst(written)
        }
    }
}

/// The system's `write`. Inside the type, `StandardError.write(_:)` hides it.
private func systemWrite(_ descriptor: CInt, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    // Safe: the caller passes a pointer to `count` bytes.
    unsafe write(descriptor, bytes, count)
}
