import SwiftletDynamic
import SwiftletMessages
import Testing

@Suite("Hostile .proto files")
struct HostileProtoTests {
    @Test("of ten megabytes are compiled")
    func large() throws {
        var source = "syntax = \"proto3\";\n"
        let comment = "// " + String(repeating: "x", count: 600) + "\n"
        var index = 0
        while source.utf8.count < 10_000_000 {
            source += comment
            source +=
                "message M\(index) { int32 a = 1; M\(index) next = 2; repeated string b = 3; }\n"
            index += 1
        }
        var compiler = ProtoCompiler()
        compiler.includesSourceInfo = false
        #expect(try compiler.compile(source: source).file[0].messageType.count == index)
    }

    @Test("with ten thousand imports are compiled")
    func wide() throws {
        let main =
            (0..<10_000).map { "import \"\($0)\";" }.joined() + "message A { optional M9 m = 1; }"
        let set = try ProtoCompiler { name in
            name == "main" ? Array(main.utf8) : Array("message M\(name) {}".utf8)
        }.compile(["main"])
        #expect(set.file.count == 10_001)
    }

    @Test("in a chain of ten thousand public imports are compiled")
    func chain() throws {
        let set = try ProtoCompiler { name in
            guard let index = Int(name) else { return nil }
            let next = index == 0 ? "" : "import public \"\(index - 1)\";"
            return Array("\(next) message M\(index) {}".utf8)
        }.compile(["9999"])
        #expect(set.file.count == 10_000)
    }

    @Test("in a long cycle of imports are refused")
    func cycle() throws {
        let error = try #require(throws: ProtoCompilationError.self) {
            try ProtoCompiler { name in
                Int(name).map { Array("import \"\(($0 + 1) % 10_000)\";".utf8) }
            }.compile(["0"])
        }
        #expect(error.diagnostics.count == 1)
        #expect(error.diagnostics[0].message.hasPrefix("import cycle: "))
        #expect(error.diagnostics[0].description.utf8.count < 200)
    }

    private static let deepSources = [
        String(repeating: "message A {", count: 100_000),
        "message A {" + String(repeating: "optional group G = 1 {", count: 100_000),
        "option a = " + String(repeating: "{", count: 100_000),
        deepAggregate(open: "m {", close: "}"),
        deepAggregate(open: "m <", close: ">"),
    ]

    // By their numbers: a test's arguments are printed.
    @Test("with too deep nesting are refused", arguments: deepSources.indices)
    func deep(number: Int) throws {
        #expect(throws: ProtoCompilationError.self) {
            try ProtoCompiler().compile(source: Self.deepSources[number])
        }
    }

    @Test("with an option whose name is a long chain are refused")
    func longOptionName() throws {
        for (count, isLegal) in [(999, true), (1_000, false), (100_000, false)] {
            let source = """
                syntax = "proto2";
                import "google/protobuf/descriptor.proto";
                message M { optional M m = 1; optional int32 n = 2; }
                extend google.protobuf.FileOptions { optional M chain = 50000; }
                option (chain)\(String(repeating: ".m", count: count - 1)).n = 1;
                """
            guard !isLegal else {
                _ = try ProtoCompiler().compile(source: source)
                continue
            }
            let error = try #require(throws: ProtoCompilationError.self) {
                try ProtoCompiler().compile(source: source)
            }
            #expect(error.diagnostics[0].message.contains("at most 1000 are allowed"))
        }
    }

    static func deepAggregate(open: String, close: String) -> String {
        """
        import "google/protobuf/descriptor.proto";
        message M { optional M m = 1; }
        extend google.protobuf.FileOptions { optional M m = 50000; }
        option (m) = {
        """ + String(repeating: open, count: 100_000) + String(repeating: close, count: 100_000)
            + "};"
    }

    @Test(
        "with zero bytes are refused",
        arguments: [
            "\0", "message \0 A {}", "// \0\nmessage A \0{}", "option java_package = \"\0\";",
        ])
    func zeros(source: String) throws {
        #expect(throws: ProtoCompilationError.self) { try ProtoCompiler().compile(source: source) }
    }

    @Test("that are cut off at any byte never cause a trap")
    func prefixes() {
        for example in ProtoTable.legal {
            for (name, text) in example.files {
                let bytes = Array(text.utf8)
                // Each run tests other lengths, because testing all lengths takes a minute.
                for count in stride(from: Int.random(in: 0..<50), to: bytes.count, by: 50) {
                    _ = try? ProtoCompiler { file in
                        file == name
                            ? Array(bytes.prefix(count))
                            : example.files[file].map { Array($0.utf8) }
                    }.compile(["case.proto"])
                }
            }
        }
    }

    @Test("with random changes never cause a trap")
    func noise() {
        var generator = SystemRandomNumberGenerator()
        let words = Array("{}[]()<>;=,.\"'\\-/*\n\0\u{ff}message option 0 1 max to default".utf8)
        for example in ProtoTable.legal {
            let bytes = Array((example.files["case.proto"] ?? "").utf8)
            guard !bytes.isEmpty else { continue }
            for _ in 0..<20 {
                var changed = bytes
                for _ in 0..<3 {
                    let index = Int.random(in: changed.indices, using: &generator)
                    changed[index] = words.randomElement(using: &generator) ?? 0
                }
                let source = changed
                _ = try? ProtoCompiler { file in
                    file == "case.proto" ? source : example.files[file].map { Array($0.utf8) }
                }.compile(["case.proto"])
            }
        }
    }

    @Test(
        "are not found outside of their directories",
        arguments: [
            "../a.proto", "/etc/passwd", "a//b.proto", "./a.proto", "a/../b.proto", "",
        ])
    func directories(name: String) throws {
        #expect(try ProtoDirectories(["/tmp", ""]).read(name) == nil)
    }
}
