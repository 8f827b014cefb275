import Foundation

/// A file of a test, which is removed with the value's last reference.
final class TemporaryFile: Sendable {
    let path: String

    /// - Parameters:
    ///   - text: The content.
    ///   - suffix: The end of the file's name.
    init(_ text: String, suffix: String = ".proto") throws {
        path =
            FileManager.default.temporaryDirectory
            .appending(path: "swiftlet-\(UUID().uuidString)\(suffix)").path
        try Data(text.utf8).write(to: URL(filePath: path))
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// A folder of a test, which is removed with the value's last reference.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path =
            FileManager.default.temporaryDirectory
            .appending(path: "swiftlet-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file, and makes the folders that it needs.
    func write(_ text: String, to name: String) throws {
        let file = URL(filePath: "\(path)/\(name)")
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }
}

extension TemporaryFolder {
    /// The different lines of a file.
    func lines(of name: String) throws -> Set<String> {
        let text = try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8)
        return Set(text.split(separator: "\n").map(String.init))
    }
}

/// The files of the repository.
enum RepositoryFiles {
    static func path(_ name: String) -> String {
        var root = URL(filePath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        return root.appending(path: name).path
    }
}
