import Swiftlet
import SwiftletDynamic
import SwiftletLoopback

/// Writes Swift source for `.proto` files, or for the services that a server describes.
enum GenerateCommand: Command {
    static let name = "generate"
    static let usage = """
        generate FILE.proto… [TYPE…] [-I DIR[:DIR…]] [--output DIR]
            [--visibility internal|package|public] [--client yes|no]
            [--messages swiftlet|swift-protobuf] [--services-only]
            [--faces handlers,blocking,futures] [--fake yes|no] [--service yes|no]
            [--file-naming full-path|drop-path|path-to-underscores]
            [--keep-method-casing yes|no] [--modules FILE.proto=MODULE[,…]]
            [--empty-files yes|no]
          generate --protoset FILE [FILE.proto…] [TYPE…] [the options above but -I]
          generate --reflect TARGET [TYPE…] [connection options] [the options above but -I]
        """
    static let purpose = """
        prints the Swift source of messages and clients, or writes it to files below DIR. With TYPEs,
              only those messages, enums and services, and what they need. With --reflect the schema
              comes from a server
        """
    static let examples = [
        "generate Protos/helloworld.proto",
        "generate shop.proto -I Protos --output Sources/Shop/Generated --visibility public",
        "generate --reflect localhost:50051 helloworld.Greeter",
        "generate shop.proto --services-only --messages swift-protobuf --output Sources/Shop",
    ]
    static let options: [CommandOption] =
        [
            .value(
                "I", "import-path", named: "DIR",
                help: "directories of the files and their imports; default: '.'"),
            .value(
                "protoset", named: "FILE",
                help: "a descriptor set that has the files, in place of -I; repeatable"),
            .value(
                "reflect", named: "TARGET",
                help: "the server whose services are generated, by its reflection"),
            .value(
                "output", named: "DIR",
                help: "where to write; files that this command did not write are kept; the "
                    + "source is printed otherwise"),
        ] + GeneratorArguments.all + ChannelOptions.all

    static func run(_ arguments: Arguments) async throws {
        try arguments.expectOne(of: ["--reflect", "--protoset", "-I"])
        let options = try GeneratorArguments.options(arguments)
        let sources =
            if let target = arguments["--reflect"] {
                try await sources(of: target, options, arguments)
            } else {
                try sources(options, arguments)
            }
        if let output = arguments["--output"] {
            try GeneratedFile.write(sources, below: output)
        } else {
            for source in sources { print(source.source, terminator: "") }
        }
    }

    private static func sources(
        _ options: GeneratorOptions, _ arguments: Arguments
    ) throws -> [GeneratedFile] {
        let files = arguments.words.filter(isFile)
        let types = arguments.words.filter { !isFile($0) }
        let sets = arguments.all("--protoset")
        if !sets.isEmpty {
            let schema = try Schema(sets.flatMap(SchemaOptions.descriptors))
            return try SwiftGenerator(options).generate(
                schema, files: files.isEmpty ? nil : files, types: types)
        }
        guard !files.isEmpty else { throw UsageError(message: "FILE.proto is missing") }
        let paths = arguments.all("-I").flatMap { $0.split(separator: ":").map(String.init) }
        let arguments = try ProtoArguments(files, in: paths.isEmpty ? ["."] : paths)
        let (directories, names) = (arguments.directories, arguments.names)
        do {
            let schema = try Schema(ProtoCompiler(reading: directories.read).compile(names))
            return try SwiftGenerator(options).generate(schema, files: names, types: types)
        } catch let error as ProtoCompilationError {
            let report = DiagnosticReport(directories: directories)
            for diagnostic in error.diagnostics {
                printToStandardError(report.text(of: diagnostic))
            }
            throw ExitStatus(status: 1)
        }
    }

    /// The sources of the types, or of all services that the server describes.
    private static func sources(
        of target: String, _ options: GeneratorOptions, _ arguments: Arguments
    ) async throws -> [GeneratedFile] {
        if let file = arguments.words.first(where: isFile) {
            throw UsageError(message: "a file and --reflect exclude each other: '\(file)'")
        }
        let channel = try ChannelOptions.channel(target, arguments)
        return try await channel.closing {
            let reflection = ServerReflection(channel: channel, target: target)
            var types = arguments.words
            let schema: Schema
            if types.isEmpty {
                let described = try await reflection.schemaOfDescribedServices()
                for name in described.missing {
                    printToStandardError("swiftlet: the server does not describe '\(name)'")
                }
                schema = described.schema
                types = schema.services.map(\.fullName)
                guard !types.isEmpty else {
                    throw LookupError(
                        description: "the server at \(target) describes no services")
                }
            } else {
                schema = try await reflection.schema(declaring: types)
            }
            return try SwiftGenerator(options).generate(schema, types: types)
        }
    }

    private static func isFile(_ word: String) -> Bool { word.hasSuffix(".proto") }
}
