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
