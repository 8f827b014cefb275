import SwiftletDynamic
import SwiftletLoopback

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Writes Swift source for `.proto` files.
enum GenerateCommand: Command {
    static let name = "generate"
    static let usage = """
        generate FILE.proto… [TYPE…] [-I DIR[:DIR…]] [--output DIR]
            [--visibility internal|package|public] [--client yes|no] [--fake yes|no]
            [--service yes|no] [--file-naming full-path|drop-path|path-to-underscores]
            [--keep-method-casing yes|no] [--modules FILE.proto=MODULE[,…]]
            [--empty-files yes|no]
        """
    static let purpose = """
        prints the Swift source of messages and clients, or writes it to files below DIR. With TYPEs,
              only those messages, enums and services, and what they need
        """
    static let examples = [
        "generate Protos/helloworld.proto",
        "generate shop.proto -I Protos --output Sources/Shop/Generated --visibility public",
    ]
    static let options: [CommandOption] = [
        .value(
            "I", named: "DIR", help: "directories of the files and their imports; default: '.'"),
        .value("output", named: "DIR", help: "where to write; the source is printed otherwise"),
        .value(
            "visibility", named: "internal|package|public",
            help: "the access of declarations; default: internal"),
        .value("client", named: "yes|no", help: "writes clients; default: yes"),
        .value("fake", named: "yes|no", help: "writes fake clients for tests; default: no"),
        .value("service", named: "yes|no", help: "writes services for test servers; default: no"),
        .value(
            "file-naming", named: "full-path|drop-path|path-to-underscores",
            help: "the names of the files; default: full-path"),
        .value("keep-method-casing", named: "yes|no", help: "keeps 'SayHello'; default: no"),
        .value(
            "modules", named: "FILE.proto=MODULE",
            help: "the modules of imported files, separated by commas"),
        .value("empty-files", named: "yes|no", help: "writes files without types; default: no"),
    ]

    static func run(_ arguments: Arguments) async throws {
        let files = arguments.words.filter { $0.hasSuffix(".proto") }
        guard !files.isEmpty else { throw UsageError(message: "FILE.proto is missing") }
        let types = arguments.words.filter { !$0.hasSuffix(".proto") }
        let directories = arguments.all("-I").flatMap { $0.split(separator: ":").map(String.init) }
        let compiler = ProtoCompiler(
            reading: ProtoDirectories(directories.isEmpty ? ["."] : directories).read)
        let generator = SwiftGenerator(try generatorOptions(arguments))
        let sources = try generator.generate(
            Schema(compiler.compile(files)), files: files, types: types)
        for source in sources {
            if let output = arguments["--output"] {
                try GeneratedOutput.write(source, below: output)
            } else {
                print(source.source, terminator: "")
            }
        }
    }
}

// MARK: - Options

extension GenerateCommand {
    private static func generatorOptions(_ arguments: Arguments) throws -> GeneratorOptions {
        var options = GeneratorOptions()
        options.visibility = try choice("--visibility", arguments) ?? options.visibility
        options.fileNaming = try choice("--file-naming", arguments) ?? options.fileNaming
        options.writesClients = try isOn("--client", arguments) ?? options.writesClients
        options.writesFakes = try isOn("--fake", arguments) ?? options.writesFakes
        options.writesServices = try isOn("--service", arguments) ?? options.writesServices
        options.keepsMethodCasing =
            try isOn("--keep-method-casing", arguments) ?? options.keepsMethodCasing
        options.writesEmptyFiles = try isOn("--empty-files", arguments) ?? options.writesEmptyFiles
        options.modules = try modules(arguments)
        return options
    }

    private static func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ option: String, _ arguments: Arguments
    ) throws -> Choice? {
        guard let text = arguments[option] else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let all = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw UsageError(message: "not a value of \(option): '\(text)' (expected \(all))")
        }
        return choice
    }

    private static func isOn(_ option: String, _ arguments: Arguments) throws -> Bool? {
        switch arguments[option] {
        case nil: nil
        case "yes": true
        case "no": false
        case let text?:
            throw UsageError(message: "not a value of \(option): '\(text)' (expected yes, no)")
        }
    }

    private static func modules(_ arguments: Arguments) throws -> [String: String] {
        var modules: [String: String] = [:]
        for part in (arguments["--modules"] ?? "").split(separator: ",") {
            let pair = part.split(separator: "=")
            guard pair.count == 2 else {
                throw UsageError(
                    message: "not a module: '\(part)' (expected FILE.proto=MODULE)")
            }
            modules[String(pair[0])] = String(pair[1])
        }
        return modules
    }
}

// MARK: - Files

/// Writes generated files.
private enum GeneratedOutput {
    /// Writes a file, and makes the directories that it needs. A file that has the same content
    /// already is not written, so that a build does not compile it again.
    static func write(_ file: GeneratedFile, below directory: String) throws {
        let path = "\(directory)/\(file.path)"
        guard (try? readFile(path)) != Array(file.source.utf8) else { return }
        try makeDirectories(of: path)
        guard let stream = unsafe fopen(path, "w") else { throw failure(path) }
        let bytes = Array(file.source.utf8)
        // The buffer is the array's, with its count.
        let count = unsafe bytes.withUnsafeBytes {
            unsafe fwrite($0.baseAddress, 1, $0.count, stream)
        }
        // Closing writes what is buffered, so it can fail, too.
        guard unsafe fclose(stream) == 0, count == bytes.count else { throw failure(path) }
    }

    private static func makeDirectories(of path: String) throws {
        for index in path.indices.dropFirst() where path[index] == "/" {
            let directory = String(path[..<index])
            guard unsafe mkdir(directory, 0o777) != 0, errno != EEXIST else { continue }
            throw failure(directory)
        }
    }

    private static func failure(_ path: String) -> ExitStatus {
        let error = FileError(path: path, code: errno)
        printToStandardError("swiftlet: cannot write '\(path)': \(error.reason)")
        return ExitStatus(status: 1)
    }
}
