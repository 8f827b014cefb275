import Swiftlet

/// The command line: one command, its arguments, and an exit status that tells.
///
/// 0 is success, 2 is a command line that makes no sense, 3 is an interop case that could not be
/// served, a call that failed is 64 and its gRPC status, and 1 is anything else that failed.
@main
enum Main {
    static let commands: [any Command.Type] = [
        DemoCommand.self, HealthCommand.self, HelloCommand.self, InteropCommand.self,
        RouteCommand.self, ServeCommand.self, ServicesCommand.self,
    ]

    /// Commands run on the main thread, which turns a queue for it: what is printed may wait there
    /// for whoever reads it. Beneath an asynchronous `main` there would be Dispatch's threads, and on
    /// Linux it leaves its own by unwinding it: both cost a short command time and memory.
    static func main() {
        keepStandardStreams()
        do {
            let queue = try CompletionQueue(.byHand)
            Task(executorPreference: queue) { await run() }
            // The end of the command ends the program.
            while true { _ = queue.next() }
        } catch {
            say("swiftlet: \(error)")
            leave(with: 1)
        }
    }

    private static func run() async {
        var words = Array(CommandLine.arguments.dropFirst())
        guard let name = words.first, name != "help", name != "--help", name != "-h" else {
            printUsage()
            leave(with: words.isEmpty ? 2 : 0)
        }
        guard name != "--version" else {
            print("swiftlet \(UserAgent.version)")
            leave(with: 0)
        }
        words.removeFirst()
        guard let command = commands.first(where: { $0.name == name }) else {
            complain("there is no command '\(name)'; 'swiftlet help' lists them")
        }
        if words.prefix(while: { $0 != "--" }).contains("--help") {
            print("usage: swiftlet \(command.usage)\n\n\(command.purpose)")
            leave(with: 0)
        }
        do {
            try await command.run(Arguments(words, of: command))
            leave(with: 0)
        } catch let error as UsageError {
            complain("\(error.message)\nusage: swiftlet \(command.usage)")
        } catch let error as ExitStatus {
            leave(with: error.status)
        } catch let error as RPCError {
            say("swiftlet: \(error)")
            leave(with: 64 + Int32(error.code.rawValue))
        } catch {
            say("swiftlet: \(error)")
            leave(with: 1)
        }
    }

    private static func printUsage() {
        print("usage: swiftlet COMMAND …\n")
        for command in commands {
            print("  swiftlet \(command.usage)\n      \(command.purpose)")
        }
        print(
            """

            'swiftlet --version' prints the version. Behind '--' no word is an option. The exit status
            is 0, 2 for wrong usage, 64 + gRPC status for a failed call, 3 for an interop case that was
            named and could not be served, and 1 for anything else that fails.
            """)
    }
}

/// A command has said what there is to say, and wants this status.
struct ExitStatus: Error {
    var status: Int32
}

/// Something that the command line can do.
protocol Command: SendableMetatype {
    static var name: String { get }
    /// The command with its arguments, as help shows it.
    static var usage: String { get }
    static var purpose: String { get }
    /// Options that are followed by a value.
    static var options: Set<String> { get }
    static func run(_ arguments: Arguments) async throws
}

extension Command {
    static var options: Set<String> { [] }
}

private func complain(_ message: String) -> Never {
    say("swiftlet: \(message)")
    leave(with: 2)
}
