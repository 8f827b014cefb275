#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The file from which a protocol analyser reads the secrets of connections.
final class TLSKeyLog: Sendable {
    private let descriptor: CInt

    init(path: String) throws(TLSError) {
        descriptor = unsafe open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw TLSError(.configuration, "the key log \(path) cannot be opened: error \(errno)")
        }
    }

    deinit {
        _ = close(descriptor)
    }

    /// Appends a line with one call, so that lines of several connections do not mix.
    func append(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        // A failed write must not end the connection.
        _ = unsafe bytes.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
    }
}
