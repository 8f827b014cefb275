#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A Swift source file that a ``SwiftGenerator`` wrote.
public struct GeneratedFile: Hashable, Sendable {
    /// The path relative to the output directory, for example `grpc/health/v1/health.swift`.
    public let path: String

    /// The source, which ends with a newline.
    public let source: String
}

// MARK: - Writing

extension GeneratedFile {
    /// Writes the file below a directory, and makes missing directories. If a file with the same content
    /// exists, it is not written, so that a build does not compile it again.
    ///
    /// Throws when a directory or the file cannot be written. Also throws, and writes nothing, when the path leads
    /// out of the directory.
    public func write(below directory: String) throws(GeneratedFileError) {
        if let problem = ProtoName.problem(inFileName: path) {
            throw GeneratedFileError(at: ProtoName.shown(path), problem)
        }
        let bytes = Array(source.utf8)
        guard (try? ProtoDirectories([directory]).read(path)) != bytes else { return }
        let path = "\(directory)/\(path)"
        try Self.makeDirectories(of: path)
        guard let stream = unsafe fopen(path, "w") else { throw GeneratedFileError(at: path) }
        // Safe: the pointer and the count are those of the array, and are used only in the closure.
        let count = unsafe bytes.withUnsafeBytes {
            unsafe fwrite($0.baseAddress, 1, $0.count, stream)
        }
        // Closing writes buffered bytes, so it can fail, too.
        guard unsafe fclose(stream) == 0, count == bytes.count else {
            throw GeneratedFileError(at: path)
        }
    }

    private static func makeDirectories(of path: String) throws(GeneratedFileError) {
        for index in path.indices.dropFirst() where path[index] == "/" {
            let directory = String(path[..<index])
            guard unsafe mkdir(directory, 0o777) != 0, errno != EEXIST else { continue }
            throw GeneratedFileError(at: directory)
        }
    }
}

/// The reason why a generated file was not written.
public struct GeneratedFileError: Error, Hashable, Sendable {
    /// The file or the directory.
    public let path: String

    /// The system's text, or the mistake in the name of the file.
    public let reason: String

    fileprivate init(at path: String, _ reason: String) {
        self.path = path
        self.reason = reason
    }

    /// Describes the last error of the system.
    fileprivate init(at path: String) {
        self.init(at: path, systemErrorText())
    }
}

extension GeneratedFileError: CustomStringConvertible {
    public var description: String { "cannot write '\(path)': \(reason)" }
}
