import SwiftletDynamic
import SwiftletMessages
import Testing

@Suite("Hostile descriptors")
struct HostileDescriptorTests {
    static let hostileNames = [
        "x\nEVIL", "x\u{2028}EVIL", "x y", "1x", "é", "x.y", "x\0", "x\u{1b}[2J", "x/*", "`x`",
    ]

    /// The error text of the schema of these files; nil if the files are accepted.
    static func problem(_ files: [Proto.FileDescriptorProto]) -> String? {
        do throws(SchemaError) {
            _ = try Schema(files)
            return nil
        } catch { return error.description }
    }

    static func problem(_ file: Proto.FileDescriptorProto) -> String? { problem([file]) }

    /// A file that uses `name` for one kind of declaration.
    static func files(named name: String) -> [(kind: String, file: Proto.FileDescriptorProto)] {
        let field = TestSchema.field("f", 1, .int32)
        func file(_ change: (inout Proto.FileDescriptorProto) -> Void) -> Proto.FileDescriptorProto
        {
            var file = TestSchema.file(
                "a.proto", syntax: "proto2",
                messages: [TestSchema.message("M", [field], extensions: 100...199)])
            change(&file)
            return file
        }
        let service = Proto.ServiceDescriptorProto.with { service in
            service.name = "S"
            service.method = [
                .with {
                    $0.name = "Get"
                    $0.inputType = ".t.M"
                    $0.outputType = ".t.M"
                }
            ]
        }
        return [
            ("message", file { $0.messageType[0].name = name }),
            ("field", file { $0.messageType[0].field[0].name = name }),
            ("enum", file { $0.enumType = [TestSchema.enumeration(name, [("A", 0)])] }),
            ("value", file { $0.enumType = [TestSchema.enumeration("E", [(name, 0)])] }),
            (
                "oneof",
                file {
                    $0.messageType[0].oneofDecl = [.with { $0.name = name }]
                    $0.messageType[0].field[0].oneofIndex = 0
                }
            ),
            (
                "extension",
                file { $0.extension = [TestSchema.field(name, 100, .bool, extending: ".t.M")] }
            ),
            ("nested message", file { $0.messageType[0].nestedType = [TestSchema.message(name)] }),
            (
                "service",
                file {
                    $0.service = [service]
                    $0.service[0].name = name
                }
            ),
            (
                "method",
                file {
                    $0.service = [service]
                    $0.service[0].method[0].name = name
                }
            ),
        ]
    }

    @Test("with a name that is not an identifier are refused", arguments: hostileNames)
    func identifiers(name: String) throws {
        #expect(Self.files(named: "legal_Name2").allSatisfy { Self.problem($0.file) == nil })
        for (kind, file) in Self.files(named: name) {
            let problem = try #require(Self.problem(file), "\(kind)")
            #expect(problem.contains("is not an identifier"), "\(kind)")
            #expect(problem.utf8.allSatisfy { 0x20...0x7e ~= $0 }, "\(kind): \(problem)")
        }
    }

    @Test(
        "with a package that is not identifiers with dots are refused",
        arguments: hostileNames.filter { $0 != "x.y" } + [".", "a.", ".a", "a..b"])
    func packages(name: String) {
        #expect(Self.problem(TestSchema.file("a.proto", package: name)) != nil)
    }

    @Test("with a type that is not a name are refused", arguments: hostileNames + ["..t.M", "."])
    func typeNames(name: String) throws {
        let message = TestSchema.message("M", [TestSchema.field("f", 1, .message, of: name)])
        let problem = try #require(
            Self.problem(TestSchema.file("a.proto", messages: [message])), "\(name)")
        #expect(problem.utf8.allSatisfy { 0x20...0x7e ~= $0 }, "\(problem)")
    }

    @Test(
        "with the name of a file that has control characters are refused",
        arguments: ["a\0.proto", "a\nb.proto", "a\u{9b}.proto"])
    func controlCharacters(name: String) throws {
        let problem = try #require(Self.problem(TestSchema.file(name)))
        #expect(problem.contains("the name of the file has a"))
        #expect(problem.utf8.allSatisfy { 0x20...0x7e ~= $0 }, "\(problem)")
    }

    @Test(
        "with the name of a file that leads out of a directory are not compiled",
        arguments: [
            "../evil.proto", "/abs.proto", "a//b.proto", "a/./b.proto", "a/../b.proto", "a/",
            "a\0.proto", "..", "a\nb.proto", "a\u{9b}.proto",
        ])
    func fileNames(name: String) throws {
        #expect(throws: ProtoCompilationError.self) {
            try ProtoCompiler().compile(source: "syntax = \"proto3\";", name: name)
        }
        let error = #expect(throws: ProtoCompilationError.self) {
            try ProtoCompiler { _ in Array("import 'x.proto';".utf8) }.compile([name])
        }
        #expect(error?.diagnostics.count == 1)
    }

    // MARK: - Sizes

    @Test("of long names are refused, and the error is short")
    func longNames() throws {
        for length in [1_000_000, 2_000] {
            let long = String(repeating: "a.", count: length / 2) + "a"
            let problem = try #require(Self.problem(TestSchema.file("a.proto", package: long)))
            #expect(problem.utf8.count < 600)
        }
        let name = String(repeating: "M", count: 10_000)
        let fields = (1...10_000).map { TestSchema.field("f\($0)", $0, .int32) }
        let message = TestSchema.message(name, fields)
        let problem = try #require(
            Self.problem(TestSchema.file("a.proto", messages: [message])))
        #expect(problem.contains("the full name has more than 1024 bytes"))
        #expect(problem.utf8.count < 600)
    }

    @Test(
        "have the limits of the compiler",
        arguments: [
            (String(repeating: "p", count: 511), true), (String(repeating: "p", count: 512), false),
            (Array(repeating: "p", count: 100).joined(separator: "."), true),
            (Array(repeating: "p", count: 101).joined(separator: "."), false),
        ])
    func packageLimits(package: String, isLegal: Bool) {
        let compiled = try? ProtoCompiler().compile(
            source: "syntax = \"proto3\"; package \(package);")
        #expect((compiled != nil) == isLegal)
        #expect((Self.problem(TestSchema.file("a.proto", package: package)) == nil) == isLegal)
    }

    @Test("have the compiler's limit of a full name", arguments: [(1_024, true), (1_025, false)])
    func nameLimit(byteCount: Int, isLegal: Bool) {
        let name = String(repeating: "M", count: byteCount - 2)
        let compiled = try? ProtoCompiler().compile(
            source: "syntax = \"proto3\"; package t; message \(name) {}")
        #expect((compiled != nil) == isLegal)
        let file = TestSchema.file("a.proto", messages: [TestSchema.message(name)])
        #expect((Self.problem(file) == nil) == isLegal)
    }

    @Test("with many extensions in many ranges are read")
    func manyRanges() throws {
        let count: Int32 = 50_000
        var message = TestSchema.message("M")
        message.extensionRange = (1...count).reversed().map { number in
            .with {
                $0.start = number * 2
                $0.end = number * 2 + 1
            }
        }
        let extensions = (1...count).map {
            TestSchema.field("e\($0)", $0 * 2, .bool, extending: ".t.M")
        }
        let schema = try Schema([
            TestSchema.file(
                "a.proto", syntax: "proto2", messages: [message], extensions: extensions)
        ])
        let type = try schema.requiredMessage("t.M")
        #expect(type.field(number: 2)?.name == "e1")
        #expect(type.isExtensionNumber(100_000))
        #expect(!type.isExtensionNumber(99_999))
    }

    // MARK: - Ranges

    @Test(
        "with impossible ranges are refused",
        arguments: [
            (Int32(1), Int32.min), (0, 5), (-5, 5), (5, 4), (.min, .min), (.max, .min),
        ])
    func ranges(start: Int32, end: Int32) {
        var message = TestSchema.message("M")
        message.reservedRange = [.init(start: start, end: end)]
        #expect(Self.problem(TestSchema.file("a.proto", messages: [message])) != nil)
        message.reservedRange = []
        message.extensionRange = [.init(start: start, end: end)]
        let file = TestSchema.file("a.proto", syntax: "proto2", messages: [message])
        #expect(Self.problem(file) != nil)
    }

    @Test("with ranges for extensions beyond the largest number, or that overlap, are refused")
    func extensionRanges() {
        var message = TestSchema.message("M")
        message.extensionRange = [.init(start: 100, end: 1 << 29 + 1)]
        let file = TestSchema.file("a.proto", syntax: "proto2", messages: [message])
        #expect(Self.problem(file)?.contains("at most 536870911") == true)
        message.extensionRange = [.init(start: 10, end: 20), .init(start: 1, end: 11)]
        let other = TestSchema.file("a.proto", syntax: "proto2", messages: [message])
        #expect(
            Self.problem(other) == "a.proto: t.M: the extension ranges from 1 and from 10 overlap")
    }

    @Test("with a range of an enum that ends before it starts are refused")
    func enumRanges() {
        var enumeration = TestSchema.enumeration("E", [("A", 0)])
        enumeration.reservedRange = [.init(start: 5, end: 4)]
        #expect(Self.problem(TestSchema.file("a.proto", enums: [enumeration])) != nil)
    }

    // MARK: - Maps

    @Test(
        "that use the entries of a map as another type are refused",
        arguments: [
            TestSchema.field("f", 1, .message, of: ".t.M.Entry"),
            TestSchema.field("f", 1, .group, of: ".t.M.Entry", .repeated),
            TestSchema.field("f", 1, .message, of: ".t.N.Entry", .repeated),
            TestSchema.field("f", 1, .message, of: ".t.Entry", .repeated),
        ])
    func mapEntries(field: Proto.FieldDescriptorProto) throws {
        let entry = TestSchema.entry("Entry", key: .int32, value: .int32)
        let file = TestSchema.file(
            "a.proto", syntax: "proto2",
            messages: [
                TestSchema.message("M", [field], nested: [entry]),
                TestSchema.message("N", nested: [entry]),
                TestSchema.message("Entry"),
            ])
        let topLevel = TestSchema.file("b.proto", package: "u", messages: [entry])
        #expect(Self.problem(topLevel)?.contains("the entry of a map is inside a message") == true)
        guard field.typeName != ".t.Entry" else { return #expect(Self.problem(file) == nil) }
        #expect(Self.problem(file)?.contains("is the type of a map's entries") == true)
    }

    @Test("that use the entries of a map for a method or an extension are refused")
    func mapEntriesElsewhere() {
        var file = TestSchema.file(
            "a.proto", syntax: "proto2",
            messages: [
                TestSchema.message(
                    "M", nested: [TestSchema.entry("Entry", key: .int32, value: .int32)],
                    extensions: 100...199)
            ])
        #expect(Self.problem(file) == nil)
        var extended = file
        extended.extension = [
            TestSchema.field("e", 100, .message, of: ".t.M.Entry", .repeated, extending: ".t.M")
        ]
        #expect(Self.problem(extended)?.contains("is the type of a map's entries") == true)
        file.service = [
            .with {
                $0.name = "S"
                $0.method = [
                    .with {
                        $0.name = "Get"
                        $0.inputType = ".t.M"
                        $0.outputType = ".t.M.Entry"
                    }
                ]
            }
        ]
        #expect(Self.problem(file)?.contains("is the type of a map's entries") == true)
    }
}
