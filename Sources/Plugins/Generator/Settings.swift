import SwiftletDynamic
import SwiftletMessages

/// The content of a `swiftlet.json`.
struct Settings: Message {
    var visibility: String?
    var client: Bool?
    var faces: [String] = []
    var fake: Bool?
    var service: Bool?
    var fileNaming: String?
    var keepMethodCasing: Bool?
    var modules: [String: String] = [:]
    var importPaths: [String] = []
    var files: [String] = []
    var unknownFields = UnknownFields()

    static var messageName: String { "Settings" }

    static let layout = Layout<Self> { field in
        field.string(1, \.visibility)
        field.bool(2, \.client)
        field.string(3, \.faces)
        field.bool(4, \.fake)
        field.bool(5, \.service)
        field.string(6, \.fileNaming)
        field.bool(7, \.keepMethodCasing)
        field.map(8, \.modules, .string, .string)
        field.string(9, \.importPaths)
        field.string(10, \.files)
    }

    private static let schema = """
        syntax = "proto3";
        message Settings {
          optional string visibility = 1;
          optional bool client = 2;
          repeated string faces = 3;
          optional bool fake = 4;
          optional bool service = 5;
          optional string fileNaming = 6;
          optional bool keepMethodCasing = 7;
          map<string, string> modules = 8;
          repeated string importPaths = 9;
          repeated string files = 10;
        }
        """
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
    /// Reads the JSON. Throws if the text is not JSON, names an unknown setting, or has a value of the wrong
    /// type.
    init(json: [UInt8]) throws {
        let schema = try Schema(ProtoCompiler().compile(source: Self.schema))
        let type = try schema.requiredMessage(Self.messageName)
        try self.init(decoding: DynamicMessage(json: json, as: type).encoded())
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
