import SwiftletDynamic

/// Options of the command line that determine the generated source.
enum GeneratorArguments {
    static let all: [CommandOption] = [
        .value(
            "visibility", named: "internal|package|public",
            help: "the access of declarations; default: internal"),
        .value(
            "messages", named: "swiftlet|swift-protobuf",
            help: "whose messages the services have; swift-protobuf: those that its generator "
                + "makes from the same files, and none is written; default: swiftlet"),
        .flag("services-only", help: "writes no messages and enums, because they are elsewhere"),
        .value("client", named: "yes|no", help: "writes clients; default: yes"),
        .value(
            "faces", named: "handlers,blocking,futures",
            help:
                "functions of clients besides async ones, separated by commas; the source imports "
                + "SwiftletStyles then"),
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

    static func options(_ arguments: Arguments) throws -> GeneratorOptions {
        var options = GeneratorOptions()
        options.visibility = try arguments.choice("--visibility") ?? options.visibility
        options.fileNaming = try arguments.choice("--file-naming") ?? options.fileNaming
        options.messages = try arguments.choice("--messages") ?? options.messages
        options.writesServicesOnly = arguments.has("--services-only")
        options.writesClients = try isOn("--client", arguments) ?? options.writesClients
        options.writesFakes = try isOn("--fake", arguments) ?? options.writesFakes
        options.writesServices = try isOn("--service", arguments) ?? options.writesServices
        options.keepsMethodCasing =
            try isOn("--keep-method-casing", arguments) ?? options.keepsMethodCasing
        options.writesEmptyFiles = try isOn("--empty-files", arguments) ?? options.writesEmptyFiles
        options.modules = try modules(arguments)
        options.faces = try faces(arguments)
        return options
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

    private static func faces(_ arguments: Arguments) throws -> Set<GeneratorOptions.Face> {
        var faces: Set<GeneratorOptions.Face> = []
        for name in arguments.all("--faces").flatMap({ $0.split(separator: ",") }) {
            guard let face = GeneratorOptions.Face(rawValue: String(name)) else {
                let all = GeneratorOptions.Face.allCases.map(\.rawValue).joined(separator: ", ")
                throw UsageError(
                    message: "not a value of --faces: '\(name)' (expected \(all))")
            }
            faces.insert(face)
        }
        return faces
    }

    private static func modules(_ arguments: Arguments) throws -> [String: String] {
        var modules: [String: String] = [:]
        for part in arguments.all("--modules").flatMap({ $0.split(separator: ",") }) {
            let pair = part.split(separator: "=")
            guard pair.count == 2, isIdentifier(pair[1]) else {
                throw UsageError(
                    message: "not a module: '\(part)' (expected FILE.proto=MODULE)")
            }
            modules[String(pair[0])] = String(pair[1])
        }
        return modules
    }

    private static func isIdentifier(_ name: Substring) -> Bool {
        name.first?.isNumber == false
            && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    }
}
