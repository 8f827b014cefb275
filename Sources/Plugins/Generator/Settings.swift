import SwiftletCompiler

/// The content of a `swiftlet.json`.
struct Settings {
    private var visibility: String?
    private var messages: String?
    private var servicesOnly: Bool?
    private var client: Bool?
    private var faces: [String] = []
    private var fake: Bool?
    private var service: Bool?
    private var fileNaming: String?
    private var keepMethodCasing: Bool?
    private var modules: [String: String] = [:]
    private var importPaths: [String] = []
    private var files: [String] = []
}

// MARK: - Planned settings

extension Settings {
    /// The settings that determine which files are generated, in the form of the `--planned`
    /// arguments.
    private var planned: [String] {
        [
            "importPaths=\(importPaths.joined(separator: ","))",
            "files=\(files.joined(separator: ","))", "fileNaming=\(fileNaming ?? "")",
            "fake=\(fake ?? false)", "service=\(service ?? false)",
        ]
    }

    /// Throws if a setting differs from the one that the plug-in planned the build with. SwiftPM
    /// does not run a build plug-in again when only the settings have changed.
    func expect(_ planned: [String]) throws(SettingsError) {
        guard let change = self.planned.first(where: { !planned.contains($0) }) else { return }
        let name = change.prefix { $0 != "=" }
        throw SettingsError(
            description: "error: '\(name)' has changed since the build was planned; "
                + "touch Package.swift, so that it is planned again")
    }
}

// MARK: - Reading

extension Settings {
    /// Reads the JSON. Throws if the text is not JSON, has an unknown setting or a setting twice, or has a value of
    /// the wrong type.
    init(json: [UInt8]) throws(FormatError) {
        var settings = Settings()
        var names: Set<String> = []
        var scanner = JSONScanner(json, maxDepth: 2)
        try scanner.object { scanner, name throws(FormatError) in
            guard names.insert(name).inserted else {
                throw scanner.error("the setting '\(name)' occurs twice")
            }
            try settings.read(name, from: &scanner)
        }
        try scanner.end()
        self = settings
    }

    private mutating func read(
        _ name: String, from scanner: inout JSONScanner
    ) throws(FormatError) {
        switch name {
        case "visibility": visibility = try scanner.string()
        case "messages": messages = try scanner.string()
        case "servicesOnly": servicesOnly = try scanner.bool()
        case "client": client = try scanner.bool()
        case "faces": faces = try Self.strings(from: &scanner)
        case "fake": fake = try scanner.bool()
        case "service": service = try scanner.bool()
        case "fileNaming": fileNaming = try scanner.string()
        case "keepMethodCasing": keepMethodCasing = try scanner.bool()
        case "modules":
            try scanner.object { scanner, file throws(FormatError) in
                modules[file] = try scanner.string()
            }
        case "importPaths": importPaths = try Self.strings(from: &scanner)
        case "files": files = try Self.strings(from: &scanner)
        default: throw scanner.error("there is no setting '\(name)'")
        }
    }

    private static func strings(from scanner: inout JSONScanner) throws(FormatError) -> [String] {
        var strings: [String] = []
        try scanner.list { scanner, _ throws(FormatError) in strings.append(try scanner.string()) }
        return strings
    }

    /// The options of a target without settings. The output names contain the path of the `.proto`
    /// file, because file names must be unique in a Swift module.
    static var defaultOptions: GeneratorOptions {
        var options = GeneratorOptions()
        options.fileNaming = .pathToUnderscores
        return options
    }

    /// The options of the generator. Throws when a setting has a value that is not allowed.
    func options() throws(SettingsError) -> GeneratorOptions {
        var options = Self.defaultOptions
        if let visibility {
            options.visibility = try Self.choice(visibility, of: "visibility")
        }
        if let messages { options.messages = try Self.choice(messages, of: "messages") }
        options.writesServicesOnly = servicesOnly ?? options.writesServicesOnly
        if let fileNaming { options.fileNaming = try Self.choice(fileNaming, of: "fileNaming") }
        for face in faces { options.faces.insert(try Self.choice(face, of: "faces")) }
        options.writesClients = client ?? options.writesClients
        options.writesFakes = fake ?? options.writesFakes
        options.writesServices = service ?? options.writesServices
        options.keepsMethodCasing = keepMethodCasing ?? options.keepsMethodCasing
        options.modules = modules
        return options
    }

    private static func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ text: String, of name: String
    ) throws(SettingsError) -> Choice {
        guard let choice = Choice(rawValue: text) else {
            let all = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw SettingsError(
                description: "error: \(name): not a value: '\(text)' (expected \(all))")
        }
        return choice
    }
}

/// The error for a setting whose value is not allowed, or has changed since the build was planned.
struct SettingsError: Error, CustomStringConvertible {
    let description: String
}
