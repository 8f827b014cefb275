import Foundation
import Swiftlet
import SwiftletDynamic
import Testing

@testable import SwiftletCLI

@Suite("A mock server", .timeLimit(.minutes(5)))
struct MockServerTests {
    private static let proto = """
        syntax = "proto3";
        package shop;
        service Cart {
          rpc Get(Query) returns (Item);
          rpc Watch(Query) returns (stream Item);
          rpc Add(stream Item) returns (Item);
          rpc Trade(stream Item) returns (stream Item);
          rpc Drop(Query) returns (Item);
        }
        message Query { string id = 1; }
        message Item { string name = 1; int32 count = 2; repeated Item parts = 3; }
        """

    private static let answers = """
        {
          "shop.Cart/Get": [
            {"when": {"id": "7"}, "reply": {"name": "seven"}, "metadata": {"x-server": ["a", "b"]},
             "trailers": {"x-cost-bin": "AQI="}},
            {"reply": {"name": "first"}},
            {"reply": {"name": "second"}}
          ],
          "shop.Cart/Watch": {
            "delay": "1ms",
            "replies": [{"count": 1}, {"count": 2}],
            "status": {"code": "NOT_FOUND", "message": "no more", "details": [
              {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "GONE"},
              {"@type": "type.googleapis.com/shop.Query", "id": "9"}
            ]}
          },
          "shop.Cart/Add": {"reply": {"count": 5}},
          "shop.Cart.Trade": {"replies": [{"count": 1}, {"count": 2}, {"count": 3}]}
        }
        """

    /// A mock server that listens, and the files from which it was made.
    private struct Mock {
        let proto: TemporaryFile
        let answers: TemporaryFile
        let program: Program
        let target: String

        init() async throws {
            proto = try TemporaryFile(MockServerTests.proto)
            answers = try TemporaryFile(MockServerTests.answers, suffix: ".json")
            program = try Program([
                "serve", "--port", "0", "--proto", proto.path, "--answers", answers.path,
            ])
            let line = try await program.line(startingWith: "serving on ")
            target = String(line.dropFirst("serving on ".count))
        }

        func call(_ method: String, _ input: String, _ options: String...) async throws
            -> Program.Output
        {
            try await Program.run(["call", target, method, "-d", input] + options)
        }
    }

    @Test("selects an answer by the request, and otherwise in turn")
    func conditions() async throws {
        let mock = try await Mock()
        let seven = try await mock.call("shop.Cart/Get", "{\"id\": \"7\"}", "-v")
        #expect(seven.output == "{\n  \"name\": \"seven\"\n}\n", "\(seven.errors)")
        #expect(seven.errors.contains("< x-server: a\n< x-server: b\n"))
        #expect(seven.errors.contains("< x-cost-bin: (hidden)\n"))
        var names: Set<String> = []
        for _ in 0..<2 { names.insert(try await mock.call("shop.Cart/Get", "{}").output) }
        #expect(names.count == 2)
    }

    @Test("answers all shapes of call, with statuses and their details")
    func shapes() async throws {
        let mock = try await Mock()
        let watch = try await mock.call("shop.Cart/Watch", "{}")
        #expect(watch.status == 64 + 5)
        #expect(watch.output == "{\n  \"count\": 1\n}\n{\n  \"count\": 2\n}\n")
        #expect(watch.errors.contains("NOT_FOUND: no more"))
        #expect(watch.errors.contains("\"reason\": \"GONE\""))
        #expect(watch.errors.contains("\"id\": \"9\""))
        #expect(try await mock.call("shop.Cart/Add", "{} {}").output == "{\n  \"count\": 5\n}\n")
        let trade = try await mock.call("shop.Cart/Trade", "{} {}")
        #expect(trade.output.split(separator: "\n").count { $0 == "{" } == 3)
        let drop = try await mock.call("shop.Cart/Drop", "{}")
        #expect(drop.status == 64 + 12)
        #expect(drop.errors.contains("the answers have none for /shop.Cart/Drop"))
    }

    @Test("sends each reply of a conversation after a request")
    func conversation() async throws {
        let mock = try await Mock()
        let client = try Program(["call", mock.target, "shop.Cart/Trade", "-d", "@"])
        for count in 1...2 {
            client.write("{}\n")
            _ = try await client.line(startingWith: "  \"count\": \(count)")
        }
        client.endInput()
        #expect(try await client.end().output == "}\n{\n  \"count\": 3\n}\n")
    }

    @Test("answers for health itself where the file has answers")
    func ownHealth() async throws {
        let proto = try TemporaryFile(
            """
            syntax = "proto3";
            package grpc.health.v1;
            service Health {
              rpc Check(Request) returns (Response);
              rpc Watch(Request) returns (stream Response);
            }
            message Request { string service = 1; }
            message Response { int32 status = 1; }
            """)
        let answers = try TemporaryFile(
            "{\"grpc.health.v1.Health/Check\": {\"reply\": {\"status\": 2}}}", suffix: ".json")
        let program = try Program([
            "serve", "--port", "0", "--proto", proto.path, "--answers", answers.path,
        ])
        let line = try await program.line(startingWith: "serving on ")
        let target = String(line.dropFirst("serving on ".count))
        let health = try await Program.run(["health", target])
        #expect(health.output == "NOT_SERVING\n")
    }

    @Test("has reflection and health")
    func inspection() async throws {
        let mock = try await Mock()
        let list = try await Program.run(["list", mock.target])
        #expect(list.output.split(separator: "\n").contains("shop.Cart"))
        let health = try await Program.run(["health", mock.target, "shop.Cart"])
        #expect(health.output == "SERVING\n")
    }

    private static let mistakes: [(answers: String, error: String)] = [
        (
            "{\n  \"shop.Cart/Gt\": {}\n}",
            "2:18: shop.Cart/Gt: shop.Cart has no method 'Gt'; did you"
        ),
        (
            "{\"shop.Cart/Get\":\n  {\"reply\": {\"name\": 7}}}",
            "2:22: shop.Cart/Get.reply.name: "
        ),
        (
            "{\"shop.Cart/Watch\": {\"replies\": [{}, {\n\"parts\": [{\"cout\": 1}]}]}}",
            "2:"
        ),
        ("{\"shop.Cart/Get\": {\"rply\": {}}}", "unknown member; did you mean 'reply'?"),
        ("{\"shop.Cart/Get\": {}}", "the answer needs a 'reply'"),
        ("{\"shop.Cart/Get\": {\"replies\": [{}, {}]}}", "the method has one reply"),
        (
            "{\"shop.Cart/Get\": {\"status\": {\"code\": \"NOT_FOUN\"}}}",
            "did you mean 'NOT_FOUND'?"
        ),
        ("{\"shop.Cart/Get\": {\"status\": {\"message\": \"a\"}}}", "the status has no 'code'"),
        ("{\"shop.Cart/Get\": {\"delay\": \"soon\"}}", "shop.Cart/Get.delay: not a time: 'soon'"),
        ("{\"shop.Cart/Get\": {\"reply\": {}, \"metadata\": {\"grpc-a\": \"b\"}}}", "is reserved"),
        ("{\"shop.Cart/Get\": {\"reply\": {}}} x", "unexpected 'x'"),
        ("{\"shop.Cart/Get\": []}", "the method has no answer"),
    ]

    @Test("refuses answers that are not valid, with line and field", arguments: mistakes)
    func refusal(answers: String, error: String) throws {
        let schema = try Schema(ProtoCompiler().compile(source: Self.proto))
        let found = try #require(throws: FormatError.self) {
            _ = try AnswerFile.read(Array(answers.utf8), schema: schema)
        }
        #expect("\(found)".contains(error), "\(found)")
    }

    @Test("reports the line of an error in a message that begins after other lines")
    func place() throws {
        let schema = try Schema(ProtoCompiler().compile(source: Self.proto))
        let text =
            "{\n  \"shop.Cart/Watch\": {\"replies\": [\n    {\"count\": 1}, {\"cuont\": 2}]}}"
        let found = try #require(throws: FormatError.self) {
            _ = try AnswerFile.read(Array(text.utf8), schema: schema)
        }
        #expect(found.line == 3)
        #expect(found.path == "shop.Cart/Watch.replies[1].cuont")
    }

    @Test("accepts the usual contents of an Any, which the files of the services need not declare")
    func contentsOfAny() async throws {
        let proto = try TemporaryFile(
            """
            syntax = "proto3";
            package box;
            import "google/protobuf/any.proto";
            service Box { rpc Open(Content) returns (Content); }
            message Content { google.protobuf.Any any = 1; }
            """)
        let content = "{\"@type\": \"type.googleapis.com/google.rpc.ErrorInfo\", \"reason\": \"a\"}"
        let answers = try TemporaryFile(
            """
            {"box.Box/Open": [
              {"when": {"any": \(content)}, "reply": {"any": \(content)}},
              {"reply": {}}
            ]}
            """, suffix: ".json")
        let program = try Program([
            "serve", "--port", "0", "--proto", proto.path, "--answers", answers.path,
        ])
        let line = try await program.line(startingWith: "serving on ")
        let call = ["call", String(line.dropFirst("serving on ".count)), "box.Box/Open"]
        for schema in [[], ["--proto", proto.path]] {
            let run = try await Program.run(call + schema + ["-d", "{\"any\": \(content)}"])
            #expect(run.output.contains("\"reason\": \"a\""), "\(run.errors)")
        }
        #expect(try await Program.run(call).output == "{}\n")
    }

    @Test("names the file of a mistake, and needs both files")
    func usage() async throws {
        let proto = try TemporaryFile(Self.proto)
        let answers = try TemporaryFile("{\"shop.Cart/Get\": 7}", suffix: ".json")
        let wrong = try await Program.run([
            "serve", "--proto", proto.path, "--answers", answers.path,
        ])
        #expect(wrong.status == 2)
        #expect(wrong.errors.hasPrefix("swiftlet: \(answers.path):1:19: shop.Cart/Get: expected"))
        for options in [["--proto", proto.path], ["--answers", answers.path]] {
            #expect(try await Program.run(["serve"] + options).status == 2)
        }
    }
}
