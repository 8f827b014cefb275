import Swiftlet
import SwiftletDynamic

/// Prints declarations in the form of a `.proto` file.
enum DescribeCommand: Command {
    static let name = "describe"
    static let usage =
        "describe TARGET [SYMBOL] [--template] [--format text|json] \(SchemaOptions.usage) "
        + "\(ChannelOptions.usage)"
    static let purpose = """
        prints a service, method, message, field or enum as .proto text with its comments, by the
              server's reflection; without SYMBOL all services. With --proto or --protoset there is no
              TARGET, unless --use-reflection is given
        """
    static let examples = [
        "describe localhost:50051 helloworld.Greeter",
        "describe localhost:50051 helloworld.HelloRequest --template",
        "describe --protoset app.protoset app.Admin.Reload",
        "describe localhost:50051 helloworld.Greeter --protoset-out greeter.protoset",
    ]
    static let options: [CommandOption] =
        [
            .flag(
                "template", "msg-template",
                help: "prints a message, or a method's request, as JSON to fill in"),
            .value(
                "format", named: "text|json",
                help: "json prints a list with the descriptors; default: text"),
            ProtosetOutput.option,
        ] + SchemaOptions.withReflection + ChannelOptions.all

    static func run(_ arguments: Arguments) async throws {
        try await SchemaSource.withSource(
            arguments, target: { try arguments.word(0, "TARGET") }
        ) { source, name in try await describe(name, in: source, arguments) }
    }

    private static func describe(
        _ name: String?, in source: SchemaSource, _ arguments: Arguments
    ) async throws {
        let format = try arguments.choice("--format", as: ListingFormat.self) ?? .text
        let schema: Schema
        let symbols: [SchemaSymbol]
        if let name = name?.bareSymbol {
            schema = try await source.schema(declaring: name)
            symbols = [try SchemaSymbol(name, in: schema)]
        } else {
            schema = try await source.schemaOfAllServices()
            symbols = schema.services.map { .service($0) }
        }
        try ProtosetOutput.write(symbols.map(\.file), arguments)
        guard arguments.has("--template") else {
            switch format {
            case .text: printText(try ProtoText.text(of: symbols, in: schema), terminator: "")
            case .json: printText(try SymbolJSON.text(of: symbols, in: schema))
            }
            return
        }
        guard name != nil, let type = symbols[0].templateMessage?.fullName else {
            throw UsageError(
                message: "--template needs a message or a method, not '\(name ?? "")'")
        }
        let message = try schema.readingAny().requiredMessage(type)
        printText(JSONTemplate.text(for: message))
    }
}

/// The form of the output of commands that list declarations.
enum ListingFormat: String, CaseIterable {
    case text, json
}

extension String {
    /// The full name as the schema writes it. The input may be `/package.Service/Method` or
    /// `.package.Message`.
    fileprivate var bareSymbol: String {
        let bare = hasPrefix("/") || hasPrefix(".") ? dropFirst() : self[...]
        return String(bare.map { $0 == "/" ? "." : $0 })
    }
}
