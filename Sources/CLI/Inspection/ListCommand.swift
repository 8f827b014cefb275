import Swiftlet
import SwiftletDynamic

/// Prints the names of services and methods.
enum ListCommand: Command {
    static let name = "list"
    static let usage =
        "list [TARGET] [SERVICE] [--format text|json] \(SchemaOptions.usage) "
        + "\(ChannelOptions.usage)"
    static let purpose = """
        lists the services of a server, or the methods of one of them, by the server's reflection.
              With --proto or --protoset there is no TARGET, unless --use-reflection is given
        """
    static let examples = [
        "list localhost:50051", "list localhost:50051 helloworld.Greeter",
        "list --proto Protos/helloworld.proto", "list localhost:50051 --format json",
    ]
    static let options: [CommandOption] =
        [
            .value(
                "format", named: "text|json",
                help: "json prints a list of objects; default: text"),
            ProtosetOutput.option,
        ] + SchemaOptions.withReflection + ChannelOptions.all

    static func run(_ arguments: Arguments) async throws {
        try await SchemaSource.withSource(
            arguments, target: { arguments.words.first ?? ChannelOptions.defaultTarget }
        ) { source, name in try await list(name, in: source, arguments) }
    }

    private static func list(
        _ name: String?, in source: SchemaSource, _ arguments: Arguments
    ) async throws {
        let format = try arguments.choice("--format", as: ListingFormat.self) ?? .text
        guard let name else { return try await listServices(of: source, format, arguments) }
        let service = try await source.schema(declaring: name).service(orNearest: name)
        try ProtosetOutput.write([service.file], arguments)
        switch format {
        case .text: for method in service.methods { printText("\(name)/\(method.name)") }
        case .json: printText(SymbolJSON.text(of: service.methods))
        }
    }

    private static func listServices(
        of source: SchemaSource, _ format: ListingFormat, _ arguments: Arguments
    ) async throws {
        if ProtosetOutput.isWanted(arguments) {
            let schema = try await source.schemaOfAllServices()
            try ProtosetOutput.write(schema.services.map(\.file), arguments)
        }
        let names = try await source.serviceNames()
        switch format {
        case .text: for name in names { printText(name) }
        case .json: printText(SymbolJSON.text(ofNames: names))
        }
    }
}

extension Schema {
    /// The service of that name. Throws an error that names the nearest one if there is none.
    func service(orNearest name: String) throws -> ServiceSchema {
        if let service = service(name) { return service }
        let hint = NearestMatch.hint(for: name, among: services.map(\.fullName))
        throw LookupError(description: "'\(name)' is not a service\(hint)")
    }
}
