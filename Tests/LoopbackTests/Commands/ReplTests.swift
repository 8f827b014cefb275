import Swiftlet
import SwiftletDynamic
import SwiftletLoopback
import Testing

@testable import SwiftletCLI

@Suite("The interactive mode", .timeLimit(.minutes(5)))
struct ReplTests {
    private static let proto = """
        syntax = "proto3";
        package shop;
        service Cart {
          rpc Get(Query) returns (Item);
          rpc Grow(Query) returns (Item);
        }
        service Stock { rpc Get(Query) returns (Item); }
        message Query {
          string id = 1;
          Kind kind = 2;
          repeated Kind kinds = 3;
          Item item = 4;
          map<string, Item> items_by_name = 5;
          repeated Item list = 6;
          bool is_new = 7;
        }
        message Item { string name = 1; Kind kind = 2; }
        enum Kind { KIND_NONE = 0; KIND_BOOK = 1; KIND_BOX = 2; }
        """

    private static func makeSchema() throws -> Schema {
        try Schema(ProtoCompiler().compile(source: proto))
    }

    private static let completions: [(text: String, candidates: [String])] = [
        ("li", ["list"]), ("shop.C", ["shop.Cart/Get", "shop.Cart/Grow"]),
        ("call Gr", ["shop.Cart/Grow"]),
        ("Gr", ["shop.Cart/Grow"]), ("list ", ["shop.Cart", "shop.Stock"]),
        ("describe shop.It", ["shop.Item"]), ("template Gro", ["shop.Cart/Grow"]),
        ("header x", []), ("call Grow ", ["{"]), ("Grow {", allFields), ("Grow {\"i", iFields),
        ("Grow {i", iFields), ("Grow {\"id\": \"a\", \"i", iFields.filter { $0 != "\"id\"" }),
        ("Grow {\"kind\": ", kinds), ("Grow {\"kind\": \"KIND_B", Array(kinds[..<2])),
        ("Grow {\"kind\": KIND_BOO", ["\"KIND_BOOK\""]), ("Grow {\"kinds\": ", ["["]),
        ("Grow {\"kinds\": [\"KIND_BOX\", ", kinds), ("Grow {\"item\": ", ["{"]),
        ("Grow {\"item\": {", ["\"kind\"", "\"name\""]), ("Grow {\"itemsByName\": {\"", []),
        ("Grow {\"itemsByName\": {\"a\": ", ["{"]),
        ("Grow {\"itemsByName\": {\"a\": {\"n", ["\"name\""]),
        ("Grow {\"items_by_name\": {\"a\": {\"n", ["\"name\""]),
        ("Grow {\"list\": [{\"kind\": \"KIND_BOX\"}, {\"kind\": ", kinds),
        ("Grow {\"isNew\": t", ["true"]), ("Grow {\"id\": ", ["\""]), ("Grow {\"id\": \"a", []),
        ("Grow {\"id\"", []), ("Grow {\"id\": \"a\"} ", []),
        ("Grow {} {\"is", ["\"isNew\""]), ("Nothing {", []), ("Grow {\"none\": {\"", []),
    ]
    private static let iFields = ["\"id\"", "\"isNew\"", "\"item\"", "\"itemsByName\""]
    private static let allFields = iFields + ["\"kind\"", "\"kinds\"", "\"list\""]
    private static let kinds = ["\"KIND_BOOK\"", "\"KIND_BOX\"", "\"KIND_NONE\""]

    @Test("completes commands, names, fields and enum values", arguments: completions)
    func completion(text: String, candidates: [String]) throws {
        let completer = ReplCompleter(schema: try Self.makeSchema())
        #expect(completer.complete(text).candidates == candidates)
    }

    @Test(
        "offers a field's own name if the one in JSON could change the terminal or needs escapes",
        arguments: ["\u{1b}[2J", "a\u{9b}m", "\u{202e}a", "a\nb", "a\"b", "a\\b"])
    func harmfulNames(jsonName: String) throws {
        var files = try ProtoCompiler().compile(source: Self.proto).file
        files[0].messageType[0].field[6].jsonName = jsonName
        let completer = ReplCompleter(schema: try Schema(files))
        #expect(completer.complete("Grow {\"is").candidates == ["\"is_new\""])
        #expect(completer.complete("Grow {").candidates.count == Self.allFields.count)
    }

    private static let insertions: [(text: String, result: String)] = [
        ("Gro", "shop.Cart/Grow "), ("Grow {\"na", "Grow {\"na"),
        ("Grow {\"lis", "Grow {\"list\": "),
        ("Grow {li", "Grow {\"list\": "), ("Grow {\"kind\": \"K", "Grow {\"kind\": \"KIND_"),
        ("Grow {\"kind\": KIND_N", "Grow {\"kind\": \"KIND_NONE\""),
        ("call shop.S", "call shop.Stock/Get "),
        ("shop.", "shop."), ("Grow {\"isNew\": f", "Grow {\"isNew\": false"),
    ]

    @Test("inserts the only candidate, or the common prefix of several", arguments: insertions)
    func insertion(text: String, result: String) throws {
        var editor = LineEditor()
        editor.insert(Array(text))
        let completion = ReplCompleter(schema: try Self.makeSchema())
            .complete(editor.textBeforeCursor)
        if let replacement = completion.replacement {
            editor.replace(last: completion.replacedCount, with: replacement)
        }
        #expect(editor.text == result)
    }

    @Test("finds a method by the end of its name, unless several methods have it")
    func methods() throws {
        let schema = try Self.makeSchema()
        for name in ["Grow", "Cart/Grow", "shop.Cart/Grow", "/shop.Cart/Grow", "shop.Cart.Grow"] {
            #expect(try schema.method(named: name).path == "/shop.Cart/Grow")
        }
        let several = #expect(throws: LookupError.self) { try schema.method(named: "Get") }
        #expect(
            several?.description
                == "'Get' is the name of several methods: shop.Cart/Get, shop.Stock/Get")
        let none = #expect(throws: LookupError.self) { try schema.method(named: "Grwo") }
        #expect(
            none?.description == "there is no command or method 'Grwo'; did you mean 'Grow'?")
    }

    private static let substitutions: [(text: String, result: String?)] = [
        ("$", "{\"a\":{\"b\":[1,{\"c\":\"x\"}]},\"d\":null}"),
        ("{\"q\": $.a.b[1].c}", "{\"q\": \"x\"}"),
        ("{\"q\": \"$.a\"}", "{\"q\": \"$.a\"}"), ("[$.a.b[0], $.d]", "[1, null]"),
        ("{\"q\\\"$\": $.d}", "{\"q\\\"$\": null}"), ("$.z", nil), ("$.a.b[2]", nil),
        ("$.a[0]", nil),
        ("$.a.b[x]", nil),
    ]

    @Test("puts parts of the last answer in place of $", arguments: substitutions)
    func lastAnswer(text: String, result: String?) throws {
        let answer = LastAnswer(json: Array("{\"a\":{\"b\":[1,{\"c\":\"x\"}]},\"d\":null}".utf8))
        guard let result else {
            #expect(throws: LookupError.self) { try answer.substituted(in: text) }
            return
        }
        #expect(try answer.substituted(in: text) == result)
        #expect(throws: LookupError.self) { try LastAnswer().substituted(in: "$") }
    }

    @Test("reports a last request that is not complete")
    func unclosedRequest() async throws {
        let server = try LoopbackServer { server in
            server.addGreeter()
            server.add(ReflectionService())
        }
        let run = try await Program.run(
            ["repl", server.target], input: "SayHello {}\nSayHello {\"name\": \"x\"\n")
        #expect(run.output == "{\n  \"message\": \"Hello \"\n}\n")
        #expect(run.errors.contains("JSON") || run.errors.contains("ends"), "\(run.errors)")
    }

    @Test("runs the lines of a file, also after errors")
    func program() async throws {
        let server = try LoopbackServer { server in
            server.addGreeter()
            server.add(TestService())
            server.add(ReflectionService())
        }
        let run = try await Program.run(
            ["repl", server.target],
            input: """
                list helloworld.Greeter
                SayHello {"name":
                  "Ada"}
                SayHello {"name": $.message}
                SayHelo
                header x-grpc-test-echo-initial
                SayHelloBidiStream {"name": "A"} {"name": "B"}
                template HelloRequest
                template helloworld.HelloRequest
                """)
        #expect(run.status == 1, "the status of a name that is not found")
        #expect(
            run.output == """
                helloworld.Greeter/SayHello
                helloworld.Greeter/SayHelloStreamReply
                helloworld.Greeter/SayHelloBidiStream
                {
                  "message": "Hello Ada"
                }
                {
                  "message": "Hello Hello Ada"
                }
                {
                  "message": "Hello A"
                }
                {
                  "message": "Hello B"
                }
                {
                  "name": ""
                }

                """)
        let errors = run.errors.split(separator: "\n")
        #expect(errors.count == 4, "\(run.errors)")
        #expect(errors[0].hasPrefix("swiftlet: the server does not describe xds.service.orca"))
        #expect(errors[1] == "there is no command or method 'SayHelo'; did you mean 'SayHello'?")
    }

    @Test(
        "ends with the status of the last command that failed, if the input is not a terminal",
        arguments: [
            ("SayHello {}\n", 0), ("exit\nSayHello {\n", 0), ("SayHelo\n", 1),
            ("EmptyCall {}\nSayHello {}\n", 76), ("call\nSayHello {}\n", 2),
            ("EmptyCall {}\nSayHelo\nSayHello {}\nexit\n", 1), ("SayHello {\"a\": 1}\n", 2),
        ])
    func status(input: String, status: Int32) async throws {
        let server = try LoopbackServer { server in
            server.addGreeter()
            server.add(ReflectionService())
        }
        let folder = try TemporaryFolder()
        try folder.write(
            """
            syntax = "proto3"; package grpc.testing; import "helloworld.proto"; message Empty {}
            service TestService { rpc EmptyCall(Empty) returns (Empty); }
            """, to: "t.proto")
        let run = try await Program.run(
            [
                "repl", server.target, "--proto", "t.proto", "--proto", "helloworld.proto",
                "-I", folder.path, "-I", RepositoryFiles.path("Protos"),
            ], input: input)
        #expect(run.status == status, "\(run.errors)")
    }

    @Test("sends the headers that were entered")
    func headers() async throws {
        let server = try LoopbackServer { server in
            server.add(TestService())
            server.add(ReflectionService())
        }
        let run = try await Program.run(
            ["repl", server.target, "-v"],
            input: "header x-grpc-test-echo-initial: blue\nEmptyCall\nheader\nexit\nlist\n")
        #expect(run.errors.contains("< x-grpc-test-echo-initial: blue"))
        #expect(run.output == "{}\nx-grpc-test-echo-initial: blue\n")
    }

    @Test("sends each request of a conversation when it is typed, and shows each response at once")
    func conversation() async throws {
        let server = try LoopbackServer { server in
            server.addGreeter()
            server.add(ReflectionService())
        }
        let program = try Program(["repl", server.target])
        program.write("SayHelloBidiStream @\n")
        for name in ["Ada", "Bo"] {
            program.write("{\"name\": \"\(name)\"}\n")
            let line = try await program.line(endingIn: "\"Hello \(name)\"")
            #expect(line == "  \"message\": \"Hello \(name)\"")
        }
        // A request that is not valid is not sent, and does not end the call.
        program.write("{\"nam\": 1}\n{\"name\": $.message}\nend\nSayHello {\"name\": \"Cy\"}\n")
        _ = try await program.line(endingIn: "\"Hello Hello Bo\"")
        _ = try await program.line(endingIn: "\"Hello Cy\"")
        program.endInput()
        let end = try await program.end()
        #expect(end.status == 2)
        #expect(end.errors.contains("has no field 'nam'"))
    }

    @Test("ends the requests of a conversation with the input, and refuses one for one request")
    func conversationEnds() async throws {
        let server = try LoopbackServer { server in
            server.addGreeter()
            server.add(ReflectionService())
        }
        let run = try await Program.run(
            ["repl", server.target], input: "call SayHelloBidiStream @\n{\"name\": \"Ada\"}")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output == "{\n  \"message\": \"Hello Ada\"\n}\n")
        let unary = try await Program.run(["repl", server.target], input: "SayHello @\n")
        #expect(unary.errors == "'SayHello' takes one request; type it after the method\n")
    }
}
