import Foundation
import Swiftlet
import SwiftletLoopback
import Testing

@testable import SwiftletCLI

@Suite("A command", .timeLimit(.minutes(5)))
struct CommandTests {
    @Test("refuses unknown options, also with one hyphen")
    func unknownOptions() throws {
        for word in ["-x", "--x", "-1", "--timeou=1", "-nam"] {
            let error = #expect(throws: UsageError.self) {
                _ = try Arguments(["name", word], of: HelloCommand.self)
            }
            #expect(error?.message.hasPrefix("unknown option '-") == true)
        }
        #expect(try Arguments(["-", "--", "-x"], of: HelloCommand.self).words == ["-", "-x"])
    }

    private static let excess: [(any Command.Type, [String])] = [
        (DemoCommand.self, ["x"]), (HealthCommand.self, ["a:1", "s", "x"]),
        (HelloCommand.self, ["n", "a:1", "x"]), (InteropCommand.self, ["x"]),
        (RouteCommand.self, ["chat", "a:1", "x"]), (ServeCommand.self, ["x"]),
        (ListCommand.self, ["a:1", "s", "x"]), (CallCommand.self, ["a:1", "s/m", "x"]),
        (DescribeCommand.self, ["a:1", "s", "x"]), (StateCommand.self, ["a:1", "x"]),
        (ChannelzCommand.self, ["a:1", "x"]), (PingCommand.self, ["a:1", "x"]),
        (BenchCommand.self, ["a:1", "s/m", "x"]),
        (RecordCommand.self, ["a:1", "x"]), (ReplayCommand.self, ["f", "x"]),
        (ReplCommand.self, ["a:1", "x"]), (CompletionCommand.self, ["bash", "x"]),
        (ManCommand.self, ["x"]),
    ]

    @Test("refuses more words than it accepts")
    func extraWords() async throws {
        // `generate`, `check` and `xds` accept any number of words.
        #expect(Self.excess.count == Main.commands.count - 3)
        for (command, words) in Self.excess {
            let error = await #expect(throws: UsageError.self) {
                try await command.run(Arguments(words, of: command))
            }
            #expect(error?.message == "unexpected argument 'x'", "\(command)")
        }
    }

    @Test("empties the file of a trace only when its options are valid")
    func traceFile() async throws {
        let server = try LoopbackServer { $0.addGreeter() }
        let file = try TemporaryFile("earlier", suffix: ".jsonl")
        func content() throws -> String { try String(contentsOfFile: file.path, encoding: .utf8) }
        let hello = ["hello", "Ada", server.target, "--trace-out", file.path]
        for mistake in [["--output", "x"], ["--retry", "9"], ["--plaintext", "--tls"], ["x"]] {
            #expect(try await Program.run(hello + mistake).status == 2)
            #expect(try content() == "earlier", "\(mistake)")
        }
        #expect(try await Program.run(hello).status == 0)
        #expect(try content().hasPrefix("{"))
        #expect(try content().contains("SayHello"))
    }

    @Test("names the range of ports when one is outside of it")
    func ports() async throws {
        for (command, words) in [
            (ServeCommand.self, ["--port", "70000"]),
            (HelloCommand.self, ["n", "localhost:70000"]),
            (HealthCommand.self, ["[::1]:99999999999"]),
        ] as [(any Command.Type, [String])] {
            let error = await #expect(throws: UsageError.self) {
                try await command.run(Arguments(words, of: command))
            }
            #expect(error?.message.contains("(expected 0–65535)") == true, "\(words)")
        }
    }

    @Test("for health fails unless the answer is SERVING")
    func health() async throws {
        let health = HealthService()
        health.set(.notServing, for: "a.B")
        let server = try LoopbackServer { $0.add(health) }
        try await HealthCommand.run(Arguments([server.target], of: HealthCommand.self))
        let error = await #expect(throws: ExitStatus.self) {
            try await HealthCommand.run(Arguments([server.target, "a.B"], of: HealthCommand.self))
        }
        #expect(error?.status == 1)
    }

    @Test("that ends with its call does not print the time of the next attempt to connect")
    func noNextAttempt() async throws {
        // No server listens on port 1. Another process may use the port of a server that has ended.
        let error = await #expect(throws: RPCError.self) {
            try await HealthCommand.run(Arguments(["127.0.0.1:1"], of: HealthCommand.self))
        }
        let failure = try #require(error)
        #expect("\(failure)".contains("; attempt 1"))
        #expect(!Main.text(of: failure).contains("tries again in"))
        #expect(!Main.text(of: failure).contains("attempt"))
    }

    @Test("with --retry sends a call again that found no server, and reaches one that starts then")
    func retry() async throws {
        // A path, because another test may use the port of a server that has ended.
        let path = "/tmp/swiftlet-retry-\(UInt64.random(in: 0 ... .max)).sock"
        let arguments = try Arguments(["--retry", "5"], of: HealthCommand.self)
        let channel = try ChannelOptions.channel("unix:\(path)", arguments)
        let changes = channel.connectivityChanges
        try await channel.closing {
            async let answer = HealthClient(channel: channel).check()
            // On a thread of its own: the server starts before the attempts are spent, however many tests run.
            let server = try await withTaskExecutorPreference(CompletionQueue()) {
                for await state in changes where state == .transientFailure { break }
                return try LoopbackServer(on: .unix(path: path)) { $0.add(HealthService()) }
            }
            #expect(try await answer == .serving)
            server.shutdown()
        }
    }

    @Test("for a list names a server without reflection")
    func noReflection() async throws {
        let server = try LoopbackServer { $0.addGreeter() }
        for words in [[server.target], [server.target, "helloworld.Greeter"]] {
            let error = await #expect(throws: RPCError.self) {
                try await ListCommand.run(Arguments(words, of: ListCommand.self))
            }
            #expect(error?.code == .unimplemented)
            #expect(error?.message == "the server at \(server.target) does not offer reflection")
        }
    }
}
