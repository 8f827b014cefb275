#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The file that a protocol analyser reads a connection's secrets from.
final class TLSKeyLog: Sendable {
    private let descriptor: CInt

    init(path: String) throws(TLSError) {
        descriptor = unsafe open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw TLSError(.configuration, "the key log \(path) cannot be opened")
        }
    }

    deinit {
        _ = close(descriptor)
    }

    /// One call, so that the lines of several connections do not mix.
    func append(_ line: String) {
        let octets = Array((line + "\n").utf8)
        // A log that cannot be written is not worth a connection.
        _ = unsafe octets.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
    }
}
