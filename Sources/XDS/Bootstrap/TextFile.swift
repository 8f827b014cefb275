import SwiftletCore
import SwiftletTransport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A small file that is read as a whole.
enum TextFile {
    private static let maxByteCount = 4 << 20

    /// Throws INVALID_ARGUMENT with the path and the reason if the file cannot be read, or is larger than 4 MiB.
    static func contents(of path: String) throws(RPCError) -> String {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unreadable(path, .current("open")) }
        defer { _ = close(descriptor) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= maxByteCount {
            let count = unsafe part.withUnsafeMutableBytes { buffer in
                // In bounds: no more than the buffer holds.
                unsafe read(descriptor, buffer.baseAddress, buffer.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .unreadable(path, .current("read")) }
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += part[..<count]
        }
        throw .refused(
            .invalidArgument,
            "the file '\(RPCError.shown(path))' is larger than \(maxByteCount) bytes")
    }
}

extension RPCError {
    fileprivate static func unreadable(_ path: String, _ error: SystemError) -> RPCError {
        .refused(
            .invalidArgument, "the file '\(RPCError.shown(path))' cannot be read: \(error.text)")
    }
}
