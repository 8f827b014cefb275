import Swiftlet
import SwiftletDynamic

/// Prints the names of services and methods.
enum ListCommand: Command {
    static let name = "list"
    static let usage = "list [TARGET] [SERVICE] \(SchemaOptions.usage) \(ChannelOptions.usage)"
    static let purpose = """
        lists the services of a server, or the methods of one of them, by the server's reflection.
              With --proto or --protoset there is no TARGET
        """
    static let examples = [
        "list localhost:50051", "list localhost:50051 helloworld.Greeter",
        "list --proto Protos/helloworld.proto",
    ]
    static let options = SchemaOptions.all + ChannelOptions.all

    static func run(_ arguments: Arguments) async throws {
        if let schema = try SchemaOptions.localSchema(arguments) {
            try arguments.expectAtMost(1)
            guard let service = arguments.words.first else {
                for service in schema.services { printText(service.fullName) }
                return
            }
            return try printMethods(of: service, schema)
        }
        try arguments.expectAtMost(2)
        let target = arguments.words.first ?? ChannelOptions.defaultTarget
        let channel = try ChannelOptions.channel(target, arguments)
        try await channel.closing {
            let reflection = ServerReflection(channel: channel, target: target)
            guard arguments.words.count > 1 else {
                for service in try await reflection.serviceNames() { printText(service) }
                return
            }
            let service = arguments.words[1]
            try printMethods(
                of: service, try await reflection.schema(declaring: [service]))
        }
    }

    private static func printMethods(of name: String, _ schema: Schema) throws {
        guard let service = schema.service(name) else {
            let hint = NearestMatch.hint(for: name, among: schema.services.map(\.fullName))
            throw LookupError(description: "'\(name)' is not a service\(hint)")
        }
        for method in service.methods { printText("\(name)/\(method.name)") }
    }
}
