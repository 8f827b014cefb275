import Swiftlet
import SwiftletDynamic

/// Prints declarations in the form of a `.proto` file.
enum DescribeCommand: Command {
    static let name = "describe"
    static let usage =
        "describe TARGET [SYMBOL] [--template] \(SchemaOptions.usage) \(ChannelOptions.usage)"
    static let purpose = """
        prints a service, method, message, field or enum as .proto text with its comments, by the
              server's reflection; without SYMBOL all services. With --proto or --protoset there is no TARGET
        """
    static let examples = [
        "describe localhost:50051 helloworld.Greeter",
        "describe localhost:50051 helloworld.HelloRequest --template",
        "describe --protoset app.protoset app.Admin.Reload",
    ]
    static let options: [CommandOption] =
        [.flag("template", help: "prints a message, or a method's request, as JSON to fill in")]
        + SchemaOptions.all + ChannelOptions.all

    static func run(_ arguments: Arguments) async throws {
        if let schema = try SchemaOptions.localSchema(arguments) {
            try arguments.expectAtMost(1)
            return try describe(arguments.words.first, in: schema, arguments)
        }
        let target = try arguments.word(0, "TARGET")
        try arguments.expectAtMost(2)
        let channel = try ChannelOptions.channel(target, arguments)
        try await channel.closing {
            let reflection = ServerReflection(channel: channel, target: target)
            guard arguments.words.count > 1 else {
                let schema = try await reflection.schemaNamingMissingServices()
                return try describe(nil, in: schema, arguments)
            }
            let symbol = arguments.words[1].bareSymbol
            try describe(
                symbol, in: try await reflection.schema(declaring: [symbol]), arguments)
        }
    }

    private static func describe(
        _ name: String?, in schema: Schema, _ arguments: Arguments
    ) throws {
        guard let name = name?.bareSymbol else {
            let text = schema.services.map { ProtoText.text(of: .service($0)) }
            return printText(text.joined(separator: "\n"), terminator: "")
        }
        let symbol = try SchemaSymbol(name, in: schema)
        guard arguments.has("--template") else {
            return printText(ProtoText.text(of: symbol), terminator: "")
        }
        guard let message = symbol.templateMessage else {
            throw UsageError(message: "--template needs a message or a method, not '\(name)'")
        }
        printText(JSONTemplate.text(for: message))
    }
}

extension String {
    /// The full name as the schema writes it. The input may be `/package.Service/Method` or
    /// `.package.Message`.
    fileprivate var bareSymbol: String {
        let bare = hasPrefix("/") || hasPrefix(".") ? dropFirst() : self[...]
        return String(bare.map { $0 == "/" ? "." : $0 })
    }
}
