#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A system call that failed: what was tried, on what, and what the system said.
package struct SystemError: Error, Hashable, Sendable {
    /// The system call, or what it was made for: `connect`, `read`, `bind`.
    package let operation: String

    /// The address, path or host name that it was about; empty when there is none.
    package let subject: String

    /// The value of `errno`.
    package let code: CInt

    package init(_ operation: String, _ subject: String, code: CInt) {
        self.operation = operation
        self.subject = subject
        self.code = code
    }

    /// The error that `errno` holds right now; to be made before any other call into the system.
    static func current(_ operation: String, _ subject: String = "") -> SystemError {
        SystemError(operation, subject, code: errno)
    }
}

extension SystemError {
    /// The system's sentence, in lower case as it stands in the middle of ours.
    package var text: String {
        // The string belongs to the C library and is copied at once. On glibc (2.32) and musl it
        // is either constant or the thread's own.
        guard let pointer = unsafe strerror(code) else { return "error \(code)" }
        let text = unsafe String(cString: pointer)
        let second = text.dropFirst().first
        // "RPC struct is bad", "I/O error" keep their capitals.
        guard let first = text.first, second?.isLowercase == true else { return text }
        return first.lowercased() + text.dropFirst()
    }
}

extension SystemError: CustomStringConvertible {
    package var description: String {
        subject.isEmpty ? "\(operation): \(text)" : "\(operation) \(subject): \(text)"
    }
}
