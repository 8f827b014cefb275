import Swiftlet
import SwiftletDynamic

/// Determines the source of a command's schema.
enum SchemaOptions {
    static let all: [CommandOption] = [
        .value("proto", named: "FILE", help: "a .proto file, in place of reflection; repeatable"),
        .value(
            "I", "import-path", named: "DIR",
            help: "directory with .proto files; default: the directory of each --proto file"),
        .value(
            "protoset", named: "FILE",
            help: "a descriptor set of protoc, in place of reflection; repeatable"),
    ]
    /// The options of commands that can also use reflection.
    static let withReflection: [CommandOption] =
        all + [
            .flag(
                "use-reflection",
                help: "reflection, also with --proto or --protoset, which then add what the "
                    + "server does not describe")
        ]

    static let usage = "[--proto FILE [-I DIR] | --protoset FILE]"

    /// Whether the command needs a server to look up declarations.
    static func useReflection(_ local: Schema?, _ arguments: Arguments) -> Bool {
        local == nil || arguments.has("--use-reflection")
    }

    /// A schema that does not come from the server; nil if reflection must be used.
    static func localSchema(_ arguments: Arguments) throws -> Schema? {
        let sources = arguments.all("--proto")
        let sets = arguments.all("--protoset")
        try arguments.expectOne(of: ["--proto", "--protoset"])
        guard !sources.isEmpty || arguments["-I"] == nil else {
            throw UsageError(message: "-I needs --proto")
        }
        guard !sources.isEmpty || !sets.isEmpty else { return nil }
        return try Schema(
            sets.flatMap(descriptors) + compiled(sources, in: arguments.all("-I")))
    }

    private static func compiled(
        _ paths: [String], in directories: [String]
    ) throws -> [Google.Protobuf.FileDescriptorProto] {
        guard !paths.isEmpty else { return [] }
        let files = try ProtoArguments(paths, in: directories)
        do throws(ProtoCompilationError) {
            return try ProtoCompiler(reading: files.directories.read).compile(files.names).file
        } catch {
            throw UsageError(message: "\(error)", isAboutUsage: false)
        }
    }

    /// The files of a descriptor set.
    static func descriptors(
        _ path: String
    ) throws -> [Google.Protobuf.FileDescriptorProto] {
        let bytes = try Arguments.contents(of: path)
        do throws(WireError) {
            return try Google.Protobuf.FileDescriptorSet(decoding: bytes).file
        } catch {
            throw UsageError(
                message: "--protoset: '\(path)' is not a descriptor set: \(error)",
                isAboutUsage: false)
        }
    }
}

/// The `.proto` files of the command line, and the directories of the files and their imports.
struct ProtoArguments {
    let directories: ProtoDirectories
    /// The names by which other files import them, each once.
    let names: [String]

    /// - Parameters:
    ///   - paths: The files.
    ///   - directories: The values of `-I`. Without any, the directories of the files are used.
    ///
    /// Throws if a file would be read in place of one that was named, because both have one name.
    init(_ paths: [String], in directories: [String]) throws(UsageError) {
        let roots = directories.map(ProtoArgument.plain)
        let files = paths.map { ProtoArgument($0, in: roots) }
        self.directories = ProtoDirectories(roots.isEmpty ? files.map(\.directory) : roots)
        var known: Set<String> = []
        names = files.map(\.name).filter { known.insert($0).inserted }
        for file in files {
            guard let found = self.directories.path(of: file.name), let wanted = file.path,
                found != wanted
            else { continue }
            throw UsageError(
                message: "'\(wanted)' is hidden by '\(found)', because both have the name "
                    + "'\(file.name)'; give their common directory with -I, or check them one by one",
                isAboutUsage: false)
        }
    }
}

/// A `.proto` file of the command line, and the directory that its name is relative to.
private struct ProtoArgument {
    let directory: String
    /// The name by which other files import it.
    let name: String
    /// The path of the file; nil if the file was named by ``name``.
    var path: String? { isPath ? directory + name : nil }
    private let isPath: Bool

    /// A path without `./` at its beginning and without repeated slashes.
    static func plain(_ path: String) -> String {
        var parts = path.split(separator: "/", omittingEmptySubsequences: true)
        while parts.count > 1, parts.first == "." { parts.removeFirst() }
        return (path.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
    }

    /// - Parameters:
    ///   - path: The file, as it was named.
    ///   - directories: The values of `-I`, plain. Without any, the directory of the file is used.
    init(_ path: String, in directories: [String]) {
        let path = Self.plain(path)
        guard directories.isEmpty else {
            // As in protoc, the path may begin with one of the directories.
            let prefix = directories.map { $0.hasSuffix("/") ? $0 : $0 + "/" }
                .first { path.hasPrefix($0) }
            isPath = prefix != nil
            directory = prefix ?? ""
            name = String(path.dropFirst(directory.count))
            return
        }
        isPath = true
        let end = path.lastIndex(of: "/")
        directory = end.map { String(path[...$0]) } ?? ""
        name = end.map { String(path[path.index(after: $0)...]) } ?? path
    }
}
