import Foundation
import Swiftlet
import SwiftletLoopback
import Testing

@Suite("swiftlet call", .timeLimit(.minutes(5)))
struct CallCommandTests {
    private static func makeServer() throws -> LoopbackServer {
        try LoopbackServer { server in
            server.addGreeter()
            server.addRouteGuide()
            server.add(TestService())
            server.add(ReflectionService())
        }
    }

    private static let shapes: [(method: String, input: String, responses: Int, part: String)] = [
        ("helloworld.Greeter/SayHello", "{\"name\": \"Ada\"}", 1, "Hello Ada"),
        ("helloworld.Greeter.SayHello", "", 1, "Hello "),
        ("helloworld.Greeter/SayHelloStreamReply", "{\"name\": \"Ada\"}", 10, "Hello Ada 9"),
        (
            "grpc.testing.TestService/StreamingInputCall",
            "{\"payload\": {\"body\": \"AAAA\"}} {\"payload\":{\"body\":\"AAAA\"}}", 1,
            "\"aggregatedPayloadSize\": 6"
        ),
        ("grpc.testing.TestService/StreamingInputCall", "", 1, "{}"),
        (
            "helloworld.Greeter/SayHelloBidiStream", "{\"name\":\"Ada\"}\n{\"name\":\"Bob\"}", 2,
            "Hello Bob"
        ),
    ]

    @Test("prints the responses of all four shapes of call as JSON", arguments: shapes)
    func fourShapes(method: String, input: String, responses: Int, part: String) async throws {
        let server = try Self.makeServer()
        let run = try await Program.run(["call", server.target, method, "-d", "@"], input: input)
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.contains(part))
        #expect(run.output.split(separator: "\n").count { $0.hasPrefix("{") } == responses)
    }

    @Test("prints a response before the next request is typed")
    func conversation() async throws {
        let server = try Self.makeServer()
        let program = try Program([
            "call", server.target, "helloworld.Greeter/SayHelloBidiStream", "-d", "@",
        ])
        for name in ["Ada", "Bob"] {
            program.write("{\"name\": \"\(name)\"}\n")
            let line = try await program.line(endingIn: "\"Hello \(name)\"")
            #expect(line == "  \"message\": \"Hello \(name)\"")
        }
        program.endInput()
        #expect(try await program.end().status == 0)
    }

    @Test("ends with 64 plus the status of the call, and prints it")
    func failure() async throws {
        let server = try Self.makeServer()
        let run = try await Program.run([
            "call", server.target, "grpc.testing.TestService/UnaryCall", "-d",
            "{\"responseStatus\": {\"code\": 9, \"message\": \"no order\"}}",
        ])
        #expect(run.status == 64 + 9)
        #expect(run.errors.contains("no order"))
        #expect(run.output.isEmpty)
    }

    @Test("names the method that was probably meant")
    func nearestMethod() async throws {
        let server = try Self.makeServer()
        let run = try await Program.run(["call", server.target, "helloworld.Greeter/SayHelo"])
        #expect(run.status == 1)
        #expect(
            run.errors == "swiftlet: helloworld.Greeter has no method 'SayHelo'; did you mean "
                + "'SayHello'?\n")
    }

    @Test("names the service that was probably meant")
    func nearestService() async throws {
        let server = try Self.makeServer()
        let run = try await Program.run(["call", server.target, "helloworld.Greter/SayHello"])
        #expect(run.status == 1)
        #expect(
            run.errors == "swiftlet: there is no service 'helloworld.Greter'; did you mean "
                + "'helloworld.Greeter'?\n")
    }

    @Test("secures the connection with the options of TLS")
    func security() async throws {
        let certificates = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Certificates").path
        let tls = ServerTLS(
            certificateChain: try String(
                contentsOfFile: "\(certificates)/server.pem", encoding: .utf8),
            privateKey: try String(
                contentsOfFile: "\(certificates)/server.key", encoding: .utf8))
        let server = try LoopbackServer(tls: tls) { server in
            server.addGreeter()
            server.add(ReflectionService())
        }
        let authority = ["--cacert", "\(certificates)/ca.pem"]
        let cases: [(options: [String], status: Int32)] = [
            (authority, 0), (["-insecure"], 0), (authority + ["-servername", "other.example"], 78),
            (["--cacert", "\(certificates)/other-ca.pem"], 78), (["--plaintext"], 78),
            (["--plaintext", "--insecure"], 2),
        ]
        for (options, status) in cases {
            let run = try await Program.run(
                ["call", server.target, "helloworld.Greeter/SayHello"] + options)
            #expect(run.status == status, "\(options): \(run.errors)")
        }
    }

    @Test("refuses a request that is not of the type, and names the place")
    func badRequest() async throws {
        let server = try Self.makeServer()
        let run = try await Program.run([
            "call", server.target, "helloworld.Greeter/SayHello", "-d", "{\"nam\": \"Ada\"}",
        ])
        #expect(run.status == 2)
        #expect(run.errors.hasPrefix("swiftlet: request 1, helloworld.HelloRequest: 1:"))
    }

    @Test("refuses a second request of a call with one request")
    func twoRequests() async throws {
        let server = try Self.makeServer()
        let run = try await Program.run([
            "call", server.target, "helloworld.Greeter/SayHello", "-d", "{} {}",
        ])
        #expect(run.status == 2)
        #expect(run.errors.contains("the method takes one request"))
    }

    @Test("sends the requests of every -d, in their order")
    func severalInputs() async throws {
        let server = try Self.makeServer()
        let call = ["call", server.target, "helloworld.Greeter/SayHelloBidiStream"]
        for (format, inputs) in [
            ("json", ["{\"name\": \"Ada\"}", "@", "{\"name\": \"Cy\"}"]),
            ("text", ["name: \"Ada\"", "@", "name: \"Cy\""]),
        ] {
            let run = try await Program.run(
                call + ["--format", format] + inputs.flatMap { ["-d", $0] },
                input: format == "json" ? "{\"name\": \"Bo\"}" : "name: \"Bo\"")
            let names = run.output.split(separator: "Hello ").dropFirst().map { $0.prefix(2) }
            #expect(names == ["Ad", "Bo", "Cy"], "\(run.errors)")
        }
        let unary = ["call", server.target, "helloworld.Greeter/SayHello"]
        for (format, input) in [("json", "{}"), ("binary", ""), ("text", "name: \"a\"")] {
            let run = try await Program.run(
                unary + ["--format", format, "-d", input, "-d", input])
            #expect(run.status == 2)
            #expect(run.errors.contains("the method takes one request"), "\(run.errors)")
        }
        let twice = try await Program.run(unary + ["-d", "@", "-d", "@-"])
        #expect(twice.errors.hasPrefix("swiftlet: -d @ can be given only once\n"))
    }

    @Test("names its options in errors, and no part of the library")
    func optionNames() async throws {
        let server = try Self.makeServer()
        let target = server.target
        let method = "helloworld.Greeter/SayHello"
        for (words, text) in [
            ([target, method, "--max-msg-size", "3"], "; raise --max-msg-size to accept it"),
            (["https://\(target)", method], "is not known (expected dns, ipv4, ipv6 or unix)"),
            ([target, method, "--keepalive-time", "1s"], "--keepalive-time needs 10s or more"),
        ] {
            let run = try await Program.run(["call"] + words)
            #expect(run.errors.contains(text), "\(run.errors)")
        }
        // A server's own text is not changed.
        let message = "raise maxReceiveByteCount to accept it"
        let run = try await Program.run([
            "call", target, "grpc.testing.TestService/UnaryCall", "-d",
            "{\"responseStatus\": {\"code\": 9, \"message\": \"\(message)\"}}",
        ])
        #expect(run.errors.contains(message))
    }

    @Test("reads and writes binary and text messages, too")
    func formats() async throws {
        let server = try Self.makeServer()
        let call = ["call", server.target, "helloworld.Greeter/SayHello", "-d", "@", "--format"]
        let text = try await Program.run(call + ["text"], input: "name: \"Ada\"")
        #expect(text.output == "message: \"Hello Ada\"\n")
        let binary = try await Program.run(call + ["binary"], input: "\n\u{3}Ada")
        #expect(binary.output == "\n\u{9}Hello Ada")
    }

    @Test("reads its schema from a descriptor set, if the server has no reflection")
    func protoset() async throws {
        let server = try LoopbackServer { $0.addGreeter() }
        var set = Google.Protobuf.FileDescriptorSet()
        set.file = .bundled
        let file = FileManager.default.temporaryDirectory
            .appending(path: "swiftlet-\(UUID().uuidString)")
        try Data(set.encoded()).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let call = ["call", server.target, "helloworld.Greeter/SayHello"]
        let run = try await Program.run(call + ["--protoset", file.path])
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output == "{\n  \"message\": \"Hello \"\n}\n")
        let without = try await Program.run(call)
        #expect(without.status == 64 + 12)
        #expect(
            without.errors.contains("the server at \(server.target) does not offer reflection"))
    }

    @Test("reads its schema from .proto files, and reports their mistakes with their place")
    func proto() async throws {
        let server = try LoopbackServer { $0.addGreeter() }
        let protos = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Protos").path
        let call = ["call", server.target, "helloworld.Greeter/SayHello"]
        for options in [
            ["--proto", "\(protos)/helloworld.proto"],
            ["--proto", "helloworld.proto", "-I", protos],
            ["-proto", "\(protos)/helloworld.proto", "-import-path", protos],
        ] {
            let run = try await Program.run(call + options)
            #expect(run.output == "{\n  \"message\": \"Hello \"\n}\n", "\(run.errors)")
        }
        let broken = FileManager.default.temporaryDirectory
            .appending(path: "swiftlet-\(UUID().uuidString).proto")
        try Data("syntax = \"proto3\";\nmessage {".utf8).write(to: broken)
        defer { try? FileManager.default.removeItem(at: broken) }
        let failed = try await Program.run(call + ["--proto", broken.path])
        #expect(failed.status == 2)
        #expect(failed.errors.hasPrefix("swiftlet: \(broken.lastPathComponent):2:9: "))
    }

    @Test("describes the declarations of .proto files, with their comments")
    func described() async throws {
        let proto = FileManager.default.temporaryDirectory
            .appending(path: "swiftlet-\(UUID().uuidString).proto")
        let text = """
            // Counts.
            message Counter {
              optional int32 count = 1 [default = 3];  // from 0
              repeated int32 steps = 2;
            }

            """
        try Data(("syntax = \"proto2\";\npackage c;\n\n" + text).utf8).write(to: proto)
        defer { try? FileManager.default.removeItem(at: proto) }
        let run = try await Program.run(["describe", "--proto", proto.path, "c.Counter"])
        #expect(run.output == text, "\(run.errors)")
    }

    @Test("sends the headers of -H, and prints metadata with -v")
    func headers() async throws {
        let server = try Self.makeServer()
        let run = try await Program.run([
            "call", server.target, "grpc.testing.TestService/UnaryCall", "-v",
            "-H", "x-grpc-test-echo-initial: blue", "-H", "x-grpc-test-echo-trailing-bin: q6ur",
        ])
        #expect(run.status == 0)
        #expect(run.errors.contains("< x-grpc-test-echo-initial: blue"))
        #expect(run.errors.contains("< x-grpc-test-echo-trailing-bin"))
    }

    @Test(
        "prints the frames of the connection with -vv, as every command that calls a server does",
        arguments: [
            ["call", "helloworld.Greeter/SayHello"], ["list"], ["ping", "-c", "1"], ["state"],
            ["bench", "helloworld.Greeter/SayHello", "-n", "1"], ["describe"],
        ])
    func frames(words: [String]) async throws {
        let server = try Self.makeServer()
        let run = try await Program.run(
            [words[0], server.target] + words.dropFirst() + [words[0] == "list" ? "--vv" : "-vv"])
        #expect(run.status == 0, "\(run.errors)")
        let lines = run.errors.split(separator: "\n")
        #expect(lines.contains { $0.contains(" → client preface") })
        #expect(lines.contains { $0.contains(" → GOAWAY, last stream 0, NO_ERROR") })
        if words[0] != "state" {
            #expect(lines.contains { $0.contains(" → HEADERS stream 1, ") })
            #expect(lines.contains { $0.contains(" ← HEADERS stream 1, ") })
        }
        let hasMetadata = lines.contains(
            "> /helloworld.Greeter/SayHello (helloworld.HelloRequest) "
                + "returns (helloworld.HelloReply)")
        #expect(hasMetadata == (words[0] == "call"))
    }

    @Test("cancels the call when it is interrupted, even while it waits for input")
    func interrupt() async throws {
        let ended = Gate()
        typealias Chat = Method<HelloRequest, HelloReply>
        let chat = try Chat(path: "/helloworld.Greeter/SayHelloBidiStream", .bidirectional)
        let server = try LoopbackServer { server in
            server.add(ReflectionService())
            server.bidirectional(chat) { requests, replies, _ in
                do {
                    for try await _ in requests { try await replies.write(HelloReply()) }
                } catch {
                    ended.open()
                    await ended.pass((error as? RPCError)?.code.description ?? "\(error)")
                }
            }
        }
        let program = try Program([
            "call", server.target, "helloworld.Greeter/SayHelloBidiStream", "-d", "@",
        ])
        program.write("{}\n")
        #expect(try await program.line(endingIn: "{}") == "{}")
        program.interrupt()
        #expect(try await program.end().status == 64 + 1)
        var arrivals = ended.arrivals.makeAsyncIterator()
        #expect(await arrivals.next() == "CANCELLED")
    }
}
