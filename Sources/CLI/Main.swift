import Swiftlet
import SwiftletLoopback

/// The command line: one command and its arguments.
///
/// The exit status is 0 for success, 2 for a command line that is not valid, 3 for an interop case
/// that the server does not serve, 64 plus the gRPC status for a call that failed, 130 for a command
/// that was interrupted outside a call, and 1 for any other failure.
@main
enum Main {
    static let commands: [any Command.Type] = [
        CallCommand.self, ListCommand.self, DescribeCommand.self, HealthCommand.self,
        StateCommand.self, ChannelzCommand.self, MeshCommand.self, PingCommand.self,
        BenchCommand.self, ServeCommand.self,
        DemoCommand.self, HelloCommand.self, RouteCommand.self, InteropCommand.self,
        GenerateCommand.self, CheckCommand.self, RecordCommand.self, ReplayCommand.self,
        ReplCommand.self, CompletionCommand.self, ManCommand.self,
    ]

    /// Runs the command's task on the main thread. An asynchronous `main` would start Dispatch's threads and,
    /// on Linux, end the main thread. Both need time and memory, even for a short command. Printing may block
    /// this thread until the output is read.
    static func main() {
        keepStandardStreams()
        do {
            FreedMemory.keepForReuse()
            Interruption.hold()
            let queue = try CompletionQueue(.byHand)
            let command = Task(executorPreference: queue) { await run() }
            Interruption.onFirst { command.cancel() }
            // This loop does not end: the command's task ends the program.
            while true { _ = try queue.next() }
        } catch {
            printToStandardError("swiftlet: \(error)")
            leave(with: 1)
        }
    }

    static let helpWords: Set = ["--help", "-help", "-h"]
    private static let versionWords: Set = ["--version", "-version"]

    private static func run() async {
        var words = Array(CommandLine.arguments.dropFirst())
        guard !words.isEmpty else {
            print(Help.overview(commands))
            leave(with: 2)
        }
        let name = words.removeFirst()
        if name == "help", let topic = words.first {
            guard words.count == 1 else { complain("unexpected argument '\(words[1])'") }
            print(Help.page(findCommand(topic)))
            leave(with: 0)
        }
        let asksForVersion = versionWords.contains(name)
        if helpWords.contains(name) || name == "help" || asksForVersion {
            if let extra = words.first { complain("unexpected argument '\(extra)'") }
            print(asksForVersion ? "swiftlet \(UserAgent.version)" : Help.overview(commands))
            leave(with: 0)
        }
        let command = findCommand(name)
        if Arguments.askForHelp(words, of: command) {
            print(Help.page(command))
            leave(with: 0)
        }
        do {
            let arguments = try Arguments(words, of: command)
            try await command.run(arguments)
            leave(with: 0)
        } catch let error as UsageError {
            let usage = error.isAboutUsage ? "\n" + Help.usage(command) : ""
            complain(error.message + usage)
        } catch let error as ExitStatus {
            leave(with: error.status)
        } catch is CancellationError {
            leave(with: Interruption.exitStatus)
        } catch let failure as DetailedFailure {
            end(failure.error, details: failure.details)
        } catch let error as RPCError {
            end(error, details: "")
        } catch {
            printToStandardError("swiftlet: \(error)")
            leave(with: 1)
        }
    }

    private static func end(_ error: RPCError, details: String) -> Never {
        printToStandardError("swiftlet: \(text(of: error))")
        if !details.isEmpty { printToStandardError(details) }
        leave(with: ExitStatus.of(error))
    }

    /// The description of an error without the time of the next connection attempt. The program ends before
    /// that attempt. The text names options of the command line.
    static func text(of error: RPCError) -> String {
        var error = error.withOptionNames
        error.reconnection = nil
        return "\(error)"
    }

    private static func findCommand(_ name: String) -> any Command.Type {
        if let command = commands.first(where: { $0.name == name }) { return command }
        let hint = NearestMatch.hint(for: name, among: commands.map { $0.name })
        complain("unknown command '\(name)'\(hint); 'swiftlet help' lists the commands")
    }
}

/// Thrown to end the program with this exit status. The command has already printed the reason.
struct ExitStatus: Error {
    var status: Int32

    /// The status for an error that ends a command.
    static func of(_ error: any Error) -> Int32 {
        switch error {
        case is UsageError: 2
        case let error as ExitStatus: error.status
        case is CancellationError: Interruption.exitStatus
        case let failure as DetailedFailure: of(failure.error)
        case let error as RPCError: 64 + Int32(error.code.rawValue)
        default: 1
        }
    }
}

/// A command of the command line.
protocol Command: SendableMetatype {
    static var name: String { get }
    /// The command and its arguments, as the help shows them.
    static var usage: String { get }
    static var purpose: String { get }
    /// Command lines for the help, without the program's name. None by default.
    static var examples: [String] { get }
    /// The options of the command. None by default.
    static var options: [CommandOption] { get }
    static func run(_ arguments: Arguments) async throws
}

extension Command {
    static var examples: [String] { [] }
    static var options: [CommandOption] { [] }
}

private func complain(_ message: String) -> Never {
    printToStandardError("swiftlet: \(message)")
    leave(with: 2)
}
