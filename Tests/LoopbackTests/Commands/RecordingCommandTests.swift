import Foundation
import Swiftlet
import SwiftletLoopback
import Testing

@Suite("swiftlet record and replay", .timeLimit(.minutes(5)))
struct RecordingCommandTests {
    /// A program that listens, and its target.
    private static func start(_ arguments: [String]) async throws -> (Program, target: String) {
        let program = try Program(arguments + ["--port", "0"])
        let line = try await program.line(startingWith: "serving on ")
        return (program, String(line.dropFirst("serving on ".count)))
    }

    private static func makeServer() throws -> LoopbackServer {
        try LoopbackServer { server in
            server.addGreeter()
            server.add(TestService())
            server.add(ReflectionService())
        }
    }

    @Test("keep an earlier recording when they cannot listen")
    func occupiedPort() async throws {
        let folder = try TemporaryFolder()
        try folder.write("earlier", to: "calls.jsonl")
        let server = try Self.makeServer()
        let port = String(server.target.split(separator: ":").last ?? "")
        let run = try await Program.run([
            "record", server.target, "--to", folder.path + "/calls.jsonl", "--port", port,
        ])
        #expect(run.status == 1)
        let kept = try String(contentsOfFile: folder.path + "/calls.jsonl", encoding: .utf8)
        #expect(kept == "earlier")
    }

    @Test("record the calls of a server, and give the same answers without it")
    func roundTrip() async throws {
        let folder = try TemporaryFolder()
        let file = folder.path + "/calls.jsonl"
        // Others could read an earlier recording in the same file.
        try folder.write("", to: "calls.jsonl")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
        let server = try Self.makeServer()
        let (recorder, proxy) = try await Self.start(["record", server.target, "--to", file])
        let calls: [[String]] = [
            ["helloworld.Greeter/SayHello", "-d", "{\"name\": \"Ada\"}"],
            ["helloworld.Greeter/SayHello", "-d", "{\"name\": \"Bob\"}"],
            [
                "helloworld.Greeter/SayHelloBidiStream", "-d",
                "{\"name\": \"Ada\"} {\"name\": \"Bob\"}",
            ],
            [
                "grpc.testing.TestService/UnaryCall", "-d",
                "{\"responseStatus\": {\"code\": 5, \"message\": \"lost\"}}", "-H",
                "authorization: Bearer secret",
            ],
            ["helloworld.Greeter/Nothing"],
        ]
        var answers: [Program.Output] = []
        for call in calls { answers.append(try await Program.run(["call", proxy] + call)) }
        recorder.interrupt()
        #expect(try await recorder.end().status == 130)
        #expect(answers[0].output == "{\n  \"message\": \"Hello Ada\"\n}\n", "\(answers[0].errors)")
        #expect(answers[3].status == 64 + 5)

        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.contains("\"json\": {\"name\":\"Ada\"}"))
        #expect(text.contains("[\"authorization\", \"(hidden)\"]"))
        #expect(!text.contains("secret"))
        // Messages may contain secrets, too.
        let attributes = try FileManager.default.attributesOfItem(atPath: file)
        #expect(attributes[.posixPermissions] as? Int == 0o600)

        server.shutdown()
        let (replayer, replayed) = try await Self.start(["replay", file])
        // In reverse order, because each request selects its recorded answer.
        for (call, answer) in zip(calls, answers).reversed() {
            let again = try await Program.run(["call", replayed] + call)
            #expect(again.output == answer.output, "\(again.errors)")
            #expect(again.status == answer.status)
        }
        replayer.interrupt()
        #expect(try await replayer.end().status == 130)
    }

    @Test("pass messages of any size on, and replay them")
    func largeMessages() async throws {
        let folder = try TemporaryFolder()
        let file = folder.path + "/calls.jsonl"
        let echo = Method<[UInt8], [UInt8]>(
            "/a.S/Echo", .unary, request: .bytes, reply: .bytes)
        let server = try LoopbackServer { server in
            server.maxRequestByteCount = 8 << 20
            server.unary(echo) { request, _ in request }
        }
        let request = [UInt8](repeating: 7, count: 5 << 20)
        for arguments in [["record", server.target, "--to", file], ["replay", file]] {
            let (program, target) = try await Self.start(arguments)
            var large = ChannelArguments()
            large.maxReceiveMessageByteCount = 8 << 20
            let channel = try Channel(target, credentials: .insecure, arguments: large)
            #expect(try await channel.unary(echo, request) == request)
            await channel.close()
            program.interrupt()
            #expect(try await program.end().status == 130)
        }
    }

    @Test("write the values that authenticate callers only if an option requests it")
    func secrets() async throws {
        let folder = try TemporaryFolder()
        let file = folder.path + "/calls.jsonl"
        let server = try Self.makeServer()
        let (recorder, proxy) = try await Self.start([
            "record", server.target, "--to", file, "--keep-secrets",
        ])
        _ = try await Program.run([
            "call", proxy, "helloworld.Greeter/SayHello", "-H", "authorization: Bearer token",
        ])
        recorder.interrupt()
        _ = try await recorder.end()
        let recording = try Recording(String(contentsOfFile: file, encoding: .utf8))
        let call = try #require(recording.calls.last)
        #expect(call.path == "/helloworld.Greeter/SayHello")
        #expect(call.metadata["authorization"] == "Bearer token")
        #expect(call.status?.code == .ok)
        #expect(call.responses.count == 1)
    }
}
