import SwiftletDynamic
import SwiftletMessages
import Testing

@Suite("Descriptors of other programs are accepted")
struct HonestDescriptorTests {
    @Test(
        "with each name that a server registers a file by",
        arguments: [
            "health.proto", "grpc/health/v1/health.proto", "a b/ü.proto", "a..b/.c/d...proto",
            "a\\b.proto", "root.proto", "x", "/srv/protos/a.proto", "../a.proto",
        ])
    func fileNames(name: String) throws {
        #expect(try Schema([TestSchema.file(name, package: "")]).files.first?.name == name)
    }

    @Test("with identifiers of all kinds, without a package")
    func identifiers() throws {
        let message = TestSchema.message("_m1", [TestSchema.field("__", 1, .message, of: "_m1")])
        let schema = try Schema([TestSchema.file("a.proto", package: "", messages: [message])])
        #expect(schema.message("_m1")?.field("__")?.message?.fullName == "_m1")
    }

    @Test("with the ranges that protoc writes")
    func ranges() throws {
        let schema = try GeneratorSchema.schema(
            """
            syntax = "proto2";
            message Set { option message_set_wire_format = true; extensions 4 to max; }
            message M { reserved 1, 5 to 9, 1000 to max; extensions 100 to 199, 300; }
            message N { extensions 1000 to max; reserved 1 to 2; }
            enum E { A = 0; reserved -5 to -3, 7, 100 to max; reserved -2147483648; }
            extend Set { optional M m = 536870911; optional N n = 2147483646; }
            """)
        #expect(schema.message("Set")?.isExtensionNumber(2_147_483_646) == true)
        #expect(schema.message("Set")?.isExtensionNumber(2_147_483_647) == false)
        #expect(schema.message("M")?.isExtensionNumber(199) == true)
        #expect(schema.message("M")?.isExtensionNumber(200) == false)
        #expect(schema.message("M")?.isExtensionNumber(300) == true)
        #expect(schema.message("N")?.isExtensionNumber(536_870_911) == true)
        #expect(schema.message("N")?.isExtensionNumber(.max) == false)
    }

    /// protobuf.js ends a range with its last number, and names the entries of a map after the field.
    @Test("of protobuf.js")
    func protobufJS() throws {
        var message = TestSchema.message(
            "M", [TestSchema.field("labels", 1, .message, of: "Labels", .repeated)],
            nested: [TestSchema.entry("Labels", key: .string, value: .string)])
        message.reservedRange = [.init(start: 5, end: 5), .init(start: 7, end: 9)]
        let schema = try Schema([TestSchema.file("t.proto", messages: [message])])
        #expect(schema.message("t.M")?.field("labels")?.isMap == true)
    }

    @Test("whose message lists an extension among its fields, as protobuf.js does")
    func extensionFields() throws {
        let options = TestSchema.message(
            "Options",
            [TestSchema.field("a", 1, .int32), TestSchema.field(".t.http", 100, .int32)])
        let schema = try Schema([TestSchema.file("t.proto", messages: [options])])
        #expect(schema.message("t.Options")?.fields.map(\.name) == ["a"])
    }

    @Test("of every file that protoc accepts", arguments: ProtoTable.legal)
    func legal(_ example: ProtoTable.Case) throws {
        let set = try ProtoCompiler { example.files[$0].map { Array($0.utf8) } }
            .compile(["case.proto"])
        #expect(try Schema(set).file("case.proto") != nil)
    }

    @Test("of descriptor.proto, an edition and the well-known types")
    func bundled() throws {
        for name in [
            "google/protobuf/descriptor.proto", "google/protobuf/struct.proto",
            "google/protobuf/cpp_features.proto", "google/api/http.proto",
        ] {
            #expect(try Schema(ProtoCompiler().compile([name])).file(name) != nil)
        }
        let schema = try GeneratorSchema.schema(
            """
            edition = "2023"; option features.message_encoding = DELIMITED;
            message M { map<string, M> by_name = 1; M child = 2; reserved foo; }
            """)
        #expect(schema.message("M")?.field("by_name")?.isMap == true)
        #expect(schema.message("M")?.field("child")?.type == .group)
    }
}
