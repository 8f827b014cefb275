import SwiftletDynamic

/// Schemas of `.proto` source, for tests of the generator and the check.
enum GeneratorSchema {
    /// The schema of one file without imports.
    static func schema(_ source: String, name: String = "test.proto") throws -> Schema {
        try Schema(ProtoCompiler().compile(source: source, name: name))
    }

    /// The generated source of the messages and clients of one file.
    static func source(
        _ source: String, options: GeneratorOptions = GeneratorOptions()
    ) throws -> String {
        let files = try SwiftGenerator(options).generate(schema(source))
        return files.first { $0.path == "test.swift" }?.source ?? ""
    }
}
