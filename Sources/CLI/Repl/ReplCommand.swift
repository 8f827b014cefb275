import Swiftlet
import SwiftletDynamic

/// Calls methods from a prompt.
enum ReplCommand: Command {
    static let name = "repl"
    static let usage = "repl TARGET [-v] \(SchemaOptions.usage) \(ChannelOptions.usage)"
    static let purpose = """
        calls methods that are typed at a prompt, with completion of names, a history, and the last
              answer as part of the next request. Type 'help' there. If the standard input is not a
              terminal, the exit status is that of the last command that failed
        """
    static let examples = [
        "repl localhost:50051", "repl localhost:50051 --proto Protos/helloworld.proto",
    ]
    static let options: [CommandOption] =
        [.flag("v", "verbose", help: "prints metadata and times to the standard error")]
        + SchemaOptions.withReflection + ChannelOptions.all

    static func run(_ arguments: Arguments) async throws {
        let target = try arguments.word(0, "TARGET")
        try arguments.expectAtMost(1)
        let localSchema = try SchemaOptions.localSchema(arguments)
        // Ctrl-C ends a call that lasts too long.
        let channel = try ChannelOptions.channel(target, arguments, timeout: nil)
        try await channel.closing {
            let source = SchemaSource(
                localSchema, or: ServerReflection(channel: channel, target: target), arguments)
            let schema = try await source.schemaOfAllServices().readingAny()
            let session = ReplSession(
                schema: schema, channel: channel, reflection: source.reflection,
                log: CallLog(isEnabled: arguments.isVerbose),
                expandsHeaders: arguments.has("--expand-headers"))
            let terminal = RawTerminal.make()
            let isTerminal = terminal != nil
            if isTerminal {
                let count = schema.services.count
                print("\(target): \(count) service\(count == 1 ? "" : "s"). Type 'help' for help.")
            }
            var shell = ReplShell(session, isTerminal: isTerminal)
            try await shell.run()
            if !isTerminal, shell.failureStatus != 0 {
                throw ExitStatus(status: shell.failureStatus)
            }
            // Keeps `terminal` alive while the shell runs: its deinit ends raw mode.
            _ = consume terminal
        }
    }
}
