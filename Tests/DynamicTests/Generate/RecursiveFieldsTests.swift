import SwiftletDynamic
import SwiftletMessages
import Testing

@Suite("A field of generated source")
struct RecursiveFieldsTests {
    @Test(
        "has a box if its message contains, directly or indirectly, the message of the field",
        arguments: [
            ("message A { A f = 1; }", true),
            ("message A { B f = 1; } message B { C c = 1; } message C { A a = 1; }", true),
            ("message A { B f = 1; } message B { C c = 1; } message C { B b = 1; }", false),
            ("message A { B f = 1; } message B { repeated A a = 1; }", false),
            ("message A { B f = 1; } message B { map<int32, A> a = 1; }", false),
            ("message A { B f = 1; } message B { C c = 1; A a = 2; } message C {}", true),
            ("message A { B f = 1; C c = 2; } message B { C c = 1; } message C { A a = 1; }", true),
        ])
    func boxes(messages: String, isBoxed: Bool) throws {
        let source = try GeneratorSchema.source("syntax = \"proto3\"; \(messages)")
        #expect(source.contains("@Indirect var f: ") == isBoxed, "\(source)")
        #expect(source.contains("var f: "))
    }

    @Test(
        "is required if it is declared so, as long as another field of each circle can be absent",
        arguments: [
            (
                "message A { required B f = 1; } message B { optional A a = 1; }",
                ["var f = B()", "field.required(.message(B.self), 1, \\.f)"]
            ),
            ("message A { required B f = 1; } message B { repeated A a = 1; }", ["var f = B()"]),
            (
                "message A { required B f = 1; } message B { oneof o { A a = 1; } }",
                ["var f = B()", "indirect enum O"]
            ),
            (
                """
                message A { required B f = 1; optional A a = 2; }
                message B { required C c = 1; } message C { optional group G = 1 { required A a = 1; } }
                """,
                [
                    "var f = B()", "@Indirect var a: A?", "var c = C()",
                    "@Indirect var g: G?", "var a = A()",
                ]
            ),
            // A message of these cannot have all of its required fields.
            (
                "message A { required A f = 1; }",
                ["optional here", "@Indirect var f: A?", "field.message(1, \\._f)"]
            ),
            (
                "message A { required B f = 1; } message B { required A a = 1; optional B b = 2; }",
                ["@Indirect var f: B?", "@Indirect var a: A?", "@Indirect var b: B?"]
            ),
        ])
    func required(messages: String, lines: [String]) throws {
        let source = try GeneratorSchema.source("syntax = \"proto2\"; \(messages)")
        for line in lines { #expect(source.contains(line), "\(source)") }
    }

    @Test("in a chain of twenty thousand messages is found in one pass")
    func chain() throws {
        let count = 20_000
        let messages = (0..<count).map { index in
            TestSchema.message(
                "M\(index)",
                index + 1 < count
                    ? [TestSchema.field("f", 1, .message, of: ".t.M\(index + 1)")] : [])
        }
        let schema = try Schema([TestSchema.file("t.proto", messages: messages)])
        let source = try SwiftGenerator().generate(schema)[0].source
        #expect(source.contains("struct M0: Message"))
        #expect(!source.contains("@Indirect"))
    }
}
