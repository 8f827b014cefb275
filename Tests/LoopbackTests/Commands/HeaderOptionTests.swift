import Swiftlet
import SwiftletLoopback
import TestSupport
import Testing

@testable import SwiftletCLI

@Suite("The option -H", .timeLimit(.minutes(5)))
struct HeaderOptionTests {
    @Test("takes headers from a file, without its comments and empty lines")
    func file() throws {
        let file = try TemporaryFile(
            "# for tests\n\nx-a: 1\r\n  # indented\nx-b: 2: 3\nx-c-bin: AQI=", suffix: ".txt")
        let lines = try HeaderOption.lines(["x-first: 0", "@\(file.path)"], expands: false)
        #expect(lines == ["x-first: 0", "x-a: 1", "x-b: 2: 3", "x-c-bin: AQI="])
        let metadata = try HeaderOption.metadata(lines)
        #expect(metadata["x-b"] == "2: 3")
        #expect(metadata.bytes(for: "x-c-bin") == [1, 2])
    }

    @Test("replaces variables and files only with --expand-headers")
    func expansion() throws {
        let secret = try TemporaryFile("s3cret\r\n", suffix: ".txt")
        let header = "authorization: Bearer ${@\(secret.path)}, ${HOME}, ${a b}, ${}, ${"
        #expect(try HeaderOption.lines([header], expands: false) == [header])
        let home = try #require(Terminal.value(of: "HOME"))
        #expect(
            try HeaderOption.lines([header], expands: true)
                == ["authorization: Bearer s3cret, \(home), ${a b}, ${}, ${"])
    }

    @Test("is expanded in the same time, whatever the values contain", arguments: ["", "}"])
    func expansionCost(end: String) {
        func expand(_ part: String) -> () -> Void {
            let line = "a: " + String(repeating: part, count: 20_000) + end
            return {
                guard (try? HeaderOption.lines([line], expands: true)) == [line] else {
                    preconditionFailure("changed")
                }
            }
        }
        let ratio = ProcessorTime.ratio(of: expand("${"), to: expand("$("))
        #expect(ratio < CostlyText.maxRatio, "\(ratio)")
    }

    @Test("does not show a line of a file in an error, and names a variable that is not set")
    func mistakes() throws {
        let file = try TemporaryFile("x-a: 1\ns3cret", suffix: ".txt")
        for (header, message) in [
            ("@\(file.path)", "-H: line 2 of '\(file.path)' has no ':' (expected 'NAME: VALUE')"),
            ("x", "-H: 'x' has no ':' (expected 'NAME: VALUE')"),
            ("@/no/file", "cannot read '/no/file': No such file or directory"),
            ("x: ${@/no/file}", "cannot read '/no/file': No such file or directory"),
            (
                "x: ${SWIFTLET_NOT_SET}",
                "-H: the environment variable 'SWIFTLET_NOT_SET' is not set"
            ),
        ] {
            let error = #expect(throws: UsageError.self) {
                _ = try HeaderOption.lines([header], expands: true)
            }
            #expect(error?.message == message)
        }
    }

    @Test("keeps a token of the environment out of the arguments, for calls and for the prompt")
    func program() async throws {
        let server = try LoopbackServer { server in
            server.add(TestService())
            server.add(ReflectionService())
        }
        let header = "x-grpc-test-echo-initial: ${TOKEN}"
        let environment = ["TOKEN": "blue"]
        let call = try await Program.run(
            [
                "call", server.target, "grpc.testing.TestService/UnaryCall", "-v",
                "--expand-headers", "-H", header,
            ], environment: environment)
        #expect(call.errors.contains("< x-grpc-test-echo-initial: blue"), "\(call.errors)")
        let prompt = try await Program.run(
            ["repl", server.target, "-v", "--expand-headers"],
            input: "header \(header)\ngrpc.testing.TestService/UnaryCall\n",
            environment: environment)
        #expect(prompt.errors.contains("< x-grpc-test-echo-initial: blue"), "\(prompt.errors)")
    }
}
