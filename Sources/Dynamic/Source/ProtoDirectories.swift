#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Finds files in directories, as `protoc -I` does.
public struct ProtoDirectories: Sendable {
    /// The largest file that is read, in bytes.
    public static let maxFileByteCount = 64 << 20

    private let roots: [String]

    /// Makes a search in the directories, in their order.
    public init(_ roots: [String]) { self.roots = roots }

    /// The bytes of the file that is imported by `name`. Nil when no directory has it, when it cannot be
    /// read, or when it is larger than ``maxFileByteCount``. A name outside the directories, such as
    /// `../a.proto`, is never found.
    public func read(_ name: String) -> [UInt8]? { find(name)?.bytes }

    /// The path of the file that ``read(_:)`` finds by `name`; nil if it finds none.
    public func path(of name: String) -> String? { find(name)?.path }

    private func find(_ name: String) -> (bytes: [UInt8], path: String)? {
        guard ProtoName.problem(inFileName: name) == nil else { return nil }
        for root in roots {
            if let bytes = Self.contents(of: Self.path(of: name, in: root)) {
                return (bytes, Self.path(of: name, in: root))
            }
        }
        return nil
    }

    private static func path(of name: String, in root: String) -> String {
        root.isEmpty || root.hasSuffix("/") ? root + name : root + "/" + name
    }

    private static func contents(of path: String) -> [UInt8]? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_size <= maxFileByteCount
        else { return nil }
        return contents(of: descriptor, byteCount: Int(status.st_size))
    }

    /// Reads `byteCount` bytes, or fewer if the file is shorter. Nil if a read fails.
    private static func contents(of descriptor: Int32, byteCount: Int) -> [UInt8]? {
        var isRead = true
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
            while count < byteCount {
                // Safe: at most the rest of the buffer is written.
                let added = unsafe system(
                    descriptor, buffer.baseAddress.map { unsafe $0 + count }, byteCount - count)
                if added < 0, errno == EINTR { continue }
                isRead = added >= 0
                guard added > 0 else { return }
                count += added
            }
        }
        return isRead ? bytes : nil
    }

    /// Calls the system's `read`, because ``read(_:)`` hides its name.
    private static func system(
        _ descriptor: Int32, _ buffer: UnsafeMutablePointer<UInt8>?, _ byteCount: Int
    ) -> Int {
        #if canImport(Darwin)
            return unsafe Darwin.read(descriptor, buffer, byteCount)
        #elseif canImport(Musl)
            return unsafe Musl.read(descriptor, buffer, byteCount)
        #else
            return unsafe Glibc.read(descriptor, buffer, byteCount)
        #endif
    }
}
