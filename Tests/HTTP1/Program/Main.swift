import Foundation
import Swiftlet

/// Tests HTTP/1.1 against other implementations: see `Tests/HTTP1/run`.
@main
struct HTTP1Program {
    static func main() async {
        do {
            try await run()
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }

    private static func run() async throws {
        let words = CommandLine.arguments.dropFirst()
        switch (words.first, words.count) {
        case ("requests", 3): try await Requests.run(words[2], authorities: words[3])
        case ("serve", 1): try await EchoServer.run()
        case ("soak", 4): try await soak(words[2], seconds: words[3], tasks: words[4])
        default:
            throw RPCError(
                .invalidArgument,
                "expected: requests FILE CERTIFICATES | serve | soak URL SECONDS TASKS")
        }
    }

    private static func soak(_ url: String, seconds: String, tasks: String) async throws {
        guard let seconds = Int(seconds), let taskCount = Int(tasks), taskCount > 0 else {
            throw RPCError(.invalidArgument, "not a number: '\(seconds)' or '\(tasks)'")
        }
        try await Soak(url: url, taskCount: taskCount).run(for: .seconds(seconds))
    }
}
