#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A failed system call.
package struct SystemError: Error, Sendable {
    /// The system call, or its purpose: `connect`, `read`, `bind`.
    let operation: String

    /// The address, path or host name. Empty when there is none.
    let subject: String

    /// The value of `errno`.
    package let code: CInt

    package init(_ operation: String, _ subject: String, code: CInt) {
        self.operation = operation
        self.subject = subject
        self.code = code
    }

    /// The error in `errno`. Call it before any other system call.
    package static func current(_ operation: String, _ subject: String = "") -> SystemError {
        SystemError(operation, subject, code: errno)
    }
}

extension SystemError {
    /// The system's description, in lower case because it is used inside a sentence.
    package var text: String {
        // The C library owns the string, which is copied at once. On glibc (2.32) and musl it is
        // constant or belongs to the thread.
        guard let pointer = unsafe strerror(code) else { return "error \(code)" }
        let text = unsafe String(cString: pointer)
        let second = text.dropFirst().first
        // Some texts, such as "RPC struct is bad" and "I/O error", keep their capitals.
        guard let first = text.first, second?.isLowercase == true else { return text }
        return first.lowercased() + text.dropFirst()
    }
}

extension SystemError: CustomStringConvertible {
    package var description: String {
        let place = subject.isEmpty ? operation : "\(operation) \(subject)"
        // The subject describes an error of TLS, which no system call has reported.
        return code == 0 ? place : "\(place): \(text)"
    }
}
