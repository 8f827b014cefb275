import Swiftlet
import SwiftletDynamic

/// Calls any method, with messages as JSON.
enum CallCommand: Command {
    static let name = "call"
    static let usage =
        "call TARGET SERVICE/METHOD [-d JSON|@|@FILE] [--format json|text|binary] [-v] "
        + "\(SchemaOptions.usage) \(ChannelOptions.usage)"
    static let purpose = """
        calls a method of any shape. The schema comes from the server's reflection, or from a file.
              Requests are read while the call runs, and responses are printed as they arrive
        """
    static let examples = [
        "call localhost:50051 helloworld.Greeter/SayHello -d '{\"name\": \"Ada\"}'",
        "call api.example.com:443 shop.Cart/Watch -H 'authorization: Bearer TOKEN' -d @request.json",
        "call localhost:50051 routeguide.RouteGuide/RouteChat -d @  # typed",
        "call unix:/run/app.sock app.Admin/Reload --proto app/admin.proto -I Protos -v",
    ]
    static let options: [CommandOption] =
        [
            .value(
                "d", "data", named: "JSON|@|@FILE",
                help: "the request; several for a stream, also by several -d; '@' reads the "
                    + "standard input"),
            .value(
                "format", named: "json|text|binary",
                help: "the form of requests and responses; default: json"),
            .flag("emit-defaults", help: "prints fields that have their default, too"),
            .flag("allow-unknown-fields", help: "ignores members of requests that are no fields"),
            .flag("v", "verbose", help: "prints metadata and times to the standard error"),
            ProtosetOutput.option,
        ] + SchemaOptions.withReflection + ChannelOptions.all

    static func run(_ arguments: Arguments) async throws {
        let target = try arguments.word(0, "TARGET")
        let reference = try MethodReference(try arguments.word(1, "SERVICE/METHOD"))
        try arguments.expectAtMost(2)
        var format = MessageFormat(name: try arguments.choice("--format") ?? .json)
        format.emitsDefaults = arguments.has("--emit-defaults")
        format.ignoresUnknownFields = arguments.has("--allow-unknown-fields")
        let input = try RequestInput(arguments.all("-d"))
        let localSchema = try SchemaOptions.localSchema(arguments)
        // A stream may be typed by hand, so only --max-time limits it.
        let channel = try ChannelOptions.channel(target, arguments, timeout: nil)
        try await channel.closing {
            let source = SchemaSource(
                localSchema, or: ServerReflection(channel: channel, target: target), arguments)
            let method = try await reference.find(in: source)
            try ProtosetOutput.write([method.service.file], arguments)
            let call = DynamicCall(
                method: method, format: format, log: CallLog(isEnabled: arguments.isVerbose))
            do {
                try await call.run(on: channel, input)
            } catch let error as RPCError {
                let details = StatusDetails(
                    schema: method.schema, reflection: source.reflection)
                throw DetailedFailure(error: error, details: await details.text(of: error))
            }
        }
    }
}
