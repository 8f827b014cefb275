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

    /// The bytes of the file that is imported by `name`. Nil when no directory has it. A name outside the
    /// directories, such as `../a.proto`, is never found.
    ///
    /// Throws when the file cannot be read, or when it is larger than ``maxFileByteCount``.
    public func read(_ name: String) throws(ProtoFileError) -> [UInt8]? { try find(name)?.bytes }

    /// The path of the file that ``read(_:)`` finds by `name`; nil if it finds none, or cannot read it.
    public func path(of name: String) -> String? { try? find(name)?.path }

    private func find(
        _ name: String
    ) throws(ProtoFileError) -> (bytes: [UInt8], path: String)? {
        guard ProtoName.problem(inFileName: name) == nil else { return nil }
        var folder: ProtoFileError?
        for root in roots {
            let path = Self.path(of: name, in: root)
            do throws(ProtoFileError) {
                if let bytes = try Self.contents(of: path) { return (bytes, path) }
            } catch {
                // The next directory may have a file of this name.
                guard error.isAboutFolder else { throw error }
                folder = folder ?? error
            }
        }
        if let folder { throw folder }
        return nil
    }

    private static func path(of name: String, in root: String) -> String {
        root.isEmpty || root.hasSuffix("/") ? root + name : root + "/" + name
    }

    /// Nil if there is no such file.
    private static func contents(of path: String) throws(ProtoFileError) -> [UInt8]? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw ProtoFileError(path, systemErrorText())
        }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else {
            throw ProtoFileError(path, systemErrorText())
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw ProtoFileError(path, "it is a folder, not a file", isAboutFolder: true)
        default: throw ProtoFileError(path, "it is not a regular file; copy its content to one")
        }
        guard status.st_size <= maxFileByteCount else {
            throw ProtoFileError(
                path,
                "it has \(status.st_size) bytes (at most \(maxFileByteCount) are allowed); split it"
            )
        }
        guard let bytes = contents(of: descriptor, byteCount: Int(status.st_size)) else {
            throw ProtoFileError(path, systemErrorText())
        }
        return bytes
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

/// The reason why a file that exists cannot be read.
public struct ProtoFileError: Error, Hashable, Sendable {
    /// The path of the file.
    public let path: String

    /// The system's text, or the rule that the file does not follow.
    public let reason: String

    fileprivate let isAboutFolder: Bool

    fileprivate init(_ path: String, _ reason: String, isAboutFolder: Bool = false) {
        self.path = path
        self.reason = reason
        self.isAboutFolder = isAboutFolder
    }
}

extension ProtoFileError: CustomStringConvertible {
    public var description: String { "cannot read '\(path)': \(reason)" }
}

/// The system's text for its last error.
func systemErrorText() -> String {
    let code = errno
    // The system's text is a string that ends with a zero byte.
    return unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
}
