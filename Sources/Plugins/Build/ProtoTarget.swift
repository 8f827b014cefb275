import Foundation
import PackagePlugin

// Both plug-ins contain this file, because SwiftPM has no way to share code between plug-ins. A test compares
// the two.

/// The `.proto` files of a target, and the settings in its `swiftlet.json` that determine which
/// files are read and generated.
struct ProtoTarget {
    /// The settings that determine which files are read and generated. The generator reads all
    /// settings, and rejects unknown names.
    private struct Settings: Decodable {
        var importPaths: [String]?
        var files: [String]?
        var fileNaming: String?
        var fake: Bool?
        var service: Bool?

        /// The settings as `name=value`, in the form that the generator compares with its own.
        var planned: [String] {
            let lists = [("importPaths", importPaths), ("files", files)].map { name, list in
                "\(name)=\((list ?? []).joined(separator: ","))"
            }
            let switches = [("fake", fake), ("service", service)].map { "\($0)=\($1 ?? false)" }
            return lists + ["fileNaming=\(fileNaming ?? "")"] + switches
        }
    }

    private static let settingsName = "swiftlet.json"

    /// The file with settings; nil when the target has none.
    private let settingsFile: URL?
    private let settings: Settings
    /// The directories of the files and their imports.
    private let roots: [URL]
    /// The names by which the files are imported; empty for a target without any.
    let names: [String]

    /// Finds the `.proto` files and the settings among `sources`, the files of a target's directory. Throws
    /// when the settings are not JSON, and when a `.proto` file is in none of the import paths.
    init(_ directory: URL, sources: [URL]) throws {
        settingsFile = sources.first { $0.lastPathComponent == Self.settingsName }
        settings = try settingsFile.map(Self.read) ?? Settings()
        let roots = (settings.importPaths ?? ["."]).map {
            URL(filePath: $0, directoryHint: .isDirectory, relativeTo: directory)
                .standardizedFileURL
        }
        self.roots = roots
        let files = sources.filter { $0.pathExtension == "proto" }.sorted { $0.path < $1.path }
        names = try files.map { try Self.name(of: $0, in: roots) } + (settings.files ?? [])
    }

    private static func read(_ file: URL) throws -> Settings {
        do {
            return try JSONDecoder().decode(Settings.self, from: Data(contentsOf: file))
        } catch {
            throw ProtoTargetError(description: "\(file.path): error: \(error)")
        }
    }

    /// The name by which a file is imported.
    private static func name(of file: URL, in roots: [URL]) throws -> String {
        let path = file.standardizedFileURL.path
        for root in roots {
            let prefix = root.path.hasSuffix("/") ? root.path : root.path + "/"
            if path.hasPrefix(prefix) { return String(path.dropFirst(prefix.count)) }
        }
        let paths = roots.map(\.path).joined(separator: ", ")
        throw ProtoTargetError(
            description: "\(path): error: the file is in none of the import paths: \(paths); "
                + "add its directory to 'importPaths' in \(settingsName)")
    }
}

// MARK: - The generator's files

extension ProtoTarget {
    /// The arguments of the generator for the directory `output`. SwiftPM does not run a build
    /// plug-in again when only the settings have changed. The arguments therefore contain the
    /// settings that determine which files are generated. The generator fails if these have
    /// changed.
    func arguments(output: URL) -> [String] {
        let planned = settings.planned.flatMap { ["--planned", $0] }
        let described = settingsFile.map { ["--settings", $0.path] + planned } ?? []
        return ["--output", output.path] + described + roots.flatMap { ["-I", $0.path] } + names
    }

    /// The files that the generated source depends on: all `.proto` files below the import paths, because
    /// they may be imported, and the file with settings.
    var inputs: [URL] {
        let imports = roots.flatMap(Self.contents).filter { $0.pathExtension == "proto" }
        let paths = Set(imports.map(\.standardizedFileURL.path))
        return paths.sorted().map { URL(filePath: $0) } + (settingsFile.map { [$0] } ?? [])
    }

    /// All files and directories below a directory, except hidden ones.
    static func contents(of directory: URL) -> [URL] {
        let files = FileManager.default.enumerator(
            at: directory, includingPropertiesForKeys: nil, options: .skipsHiddenFiles)
        return files?.compactMap { $0 as? URL } ?? []
    }

    /// The files that the generator writes with the option `--empty-files`.
    func outputs(in directory: URL) -> [URL] {
        let hasTesting = settings.fake == true || settings.service == true
        let sources = names.flatMap { name in
            let base = fileName(of: String(name.dropLast(".proto".count)))
            return [base] + (hasTesting ? [base + "+Testing"] : [])
        }
        return (sources + ["+Packages"]).map { directory.appending(path: $0 + ".proto.swift") }
    }

    private func fileName(of name: String) -> String {
        switch settings.fileNaming {
        case "full-path": name
        case "drop-path": name.split(separator: "/").last.map(String.init) ?? name
        default: name.replacing("/", with: "_")
        }
    }
}

/// The reason why a target's files are not generated.
struct ProtoTargetError: Error, CustomStringConvertible {
    let description: String
}
