import SwiftletDynamic
import SwiftletMessages
import Testing

@Suite("A schema")
struct SchemaTests {
    @Test("has maps whose fields begin with an underscore and a digit")
    func digitEntries() throws {
        let schema = try GeneratorSchema.schema(
            "syntax = \"proto3\"; message M { map<string, M> _1 = 1; }")
        #expect(schema.message("M")?.field("_1")?.mapValue?.message?.fullName == "M")
        let message = try DynamicMessage(
            json: "{\"_1\": {\"a\": {}}}", as: schema.requiredMessage("M"))
        #expect(try message.json() == "{\"1\":{\"a\":{}}}")
    }

    @Test("finds declarations by their full names")
    func lookUp() throws {
        let schema = try TestSchema.all()
        #expect(schema.message("t.All")?.name == "All")
        #expect(schema.message("t.All.CountsEntry")?.isMapEntry == true)
        #expect(schema.enumeration("t.Color")?.number("BLUE") == -2)
        #expect(schema.enumeration("t.Color")?.name(1) == "GREEN")
        #expect(schema.field("o.note")?.isExtension == true)
        #expect(schema.message("t.Color") == nil)
        #expect(schema.message("t.Missing") == nil)
        #expect(schema.file("old.proto")?.messages.map(\.name) == ["Old"])
        let old = try schema.requiredMessage("o.Old")
        #expect(schema.extensions(of: old).map(\.number) == [100, 101])
        #expect(schema.fieldExtension(of: old, number: 100)?.fullName == "o.note")
    }

    @Test("gives fields the shapes of their syntax")
    func shapes() throws {
        let schema = try TestSchema.all()
        let all = try schema.requiredMessage("t.All")
        #expect(all.field("an_int32")?.hasPresence == false)
        #expect(all.field("child")?.hasPresence == true)
        #expect(all.field("one_number")?.oneof?.name == "one")
        #expect(all.field("numbers")?.isPacked == true)
        #expect(all.field("counts")?.mapValue?.type == .int32)
        #expect(all.field(jsonName: "aBool")?.number == 1)
        let old = try schema.requiredMessage("o.Old")
        #expect(old.field("id")?.isRequired == true)
        #expect(old.field("shades")?.isPacked == false)
        #expect(old.field("shade")?.enumeration?.isClosed == true)
        #expect(old.field("port")?.defaultValue == .int32(50051))
        #expect(old.field("shade")?.defaultValue == .enumeration(1))
    }

    @Test("resolves the features of an edition from the file down to the field")
    func features() throws {
        var file = TestSchema.file(
            "e.proto", syntax: "editions",
            messages: [
                TestSchema.message(
                    "M",
                    [
                        TestSchema.field("plain", 1, .int32),
                        TestSchema.field(
                            "bare", 2, .int32, features: .with { $0.fieldPresence = .implicit }),
                        TestSchema.field(
                            "must", 3, .int32,
                            features: .with { $0.fieldPresence = .legacyRequired }),
                        TestSchema.field("list", 4, .int32, .repeated),
                        TestSchema.field("part", 5, .message, of: ".t.M"),
                        TestSchema.field("text", 6, .string),
                    ])
            ],
            enums: [TestSchema.enumeration("E", [("ONE", 1)])])
        file.edition = .edition2023
        file.options = .with {
            $0.features = .with {
                $0.repeatedFieldEncoding = .expanded
                $0.messageEncoding = .delimited
                $0.enumType = .closed
                $0.utf8Validation = .unverified
            }
        }
        let schema = try Schema([file])
        let message = try schema.requiredMessage("t.M")
        #expect(message.field("plain")?.hasPresence == true)
        #expect(message.field("bare")?.hasPresence == false)
        #expect(message.field("must")?.isRequired == true)
        #expect(message.field("list")?.isPacked == false)
        #expect(message.field("part")?.type == .group)
        #expect(message.field("text")?.validatesUTF8 == false)
        #expect(schema.enumeration("t.E")?.isClosed == true)
    }

    @Test("gives declarations their comments and paths")
    func comments() throws {
        var file = TestSchema.file(
            "c.proto",
            messages: [TestSchema.message("M", [TestSchema.field("f", 1, .int32)])])
        file.sourceCodeInfo = .with {
            $0.location = [
                .with {
                    $0.path = [4, 0, 2, 0]
                    $0.leadingComments = " the field\n"
                    $0.leadingDetachedComments = ["far"]
                }
            ]
        }
        let field = try Schema([file]).requiredMessage("t.M").field("f")
        #expect(field?.comments == SchemaComments(leading: " the field\n", detached: ["far"]))
        #expect(field?.containingMessage.comments == SchemaComments())
    }

    @Test(
        "refuses contradictory declarations, and names the file and the declaration",
        arguments: [
            (
                [TestSchema.file("a.proto", imports: ["b.proto"])],
                "a.proto: b.proto: the imported file is missing; add it to the schema's files"
            ),
            (
                [
                    TestSchema.file(
                        "a.proto",
                        messages: [
                            TestSchema.message(
                                "M", [TestSchema.field("f", 1, .message, of: ".t.N")])
                        ])
                ],
                "a.proto: t.M.f: unknown type '.t.N'; add the file that declares it"
            ),
            (
                [
                    TestSchema.file(
                        "a.proto", messages: [TestSchema.message("M"), TestSchema.message("M")])
                ],
                "a.proto: t.M: the name is declared twice"
            ),
            (
                [
                    TestSchema.file(
                        "a.proto",
                        messages: [
                            TestSchema.message(
                                "M",
                                [TestSchema.field("f", 1, .bool), TestSchema.field("g", 1, .bool)])
                        ])
                ],
                "a.proto: t.M.g: it has the number of t.M.f, 1"
            ),
            (
                [
                    TestSchema.file(
                        "a.proto",
                        messages: [TestSchema.message("M", [TestSchema.field("f", 0, .bool)])])
                ],
                "a.proto: t.M.f: number 0 is not in 1...536870911"
            ),
            (
                [
                    TestSchema.file(
                        "a.proto",
                        messages: [
                            TestSchema.message("M", [TestSchema.field("f", 1, .bool, oneof: 0)])
                        ])
                ],
                "a.proto: t.M.f: it belongs to oneof 0, which the message does not have"
            ),
            (
                [
                    TestSchema.file(
                        "a.proto", syntax: "proto2",
                        messages: [TestSchema.message("M")],
                        extensions: [TestSchema.field("f", 5, .bool, extending: ".t.M")])
                ],
                "a.proto: t.f: 5 is not an extension number of t.M"
            ),
        ])
    func contradictions(files: [Proto.FileDescriptorProto], error: String) {
        #expect {
            try Schema(files)
        } throws: {
            "\($0)" == error
        }
    }

    @Test("accepts a file that is passed twice, and refuses a different one of its name")
    func duplicates() throws {
        let file = TestSchema.file("a.proto", messages: [TestSchema.message("M")])
        #expect(try Schema([file, file]).messages.count == 1)
        let other = TestSchema.file("a.proto", messages: [TestSchema.message("N")])
        #expect(throws: SchemaError.self) { try Schema([file, other]) }
    }

    @Test("resolves relative names from the innermost scope outwards")
    func relativeNames() throws {
        let schema = try Schema([
            TestSchema.file(
                "a.proto", package: "a.b",
                messages: [
                    TestSchema.message("C"),
                    TestSchema.message(
                        "M",
                        [
                            TestSchema.field("inner", 1, .message, of: "C"),
                            TestSchema.field("outer", 2, .message, of: "b.C"),
                        ],
                        nested: [TestSchema.message("C")]),
                ])
        ])
        let message = try schema.requiredMessage("a.b.M")
        #expect(message.field("inner")?.message?.fullName == "a.b.M.C")
        #expect(message.field("outer")?.message?.fullName == "a.b.C")
    }
}
