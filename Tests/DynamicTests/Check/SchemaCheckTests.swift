import Foundation
import SwiftletDynamic
import SwiftletMessages
import Testing

@Suite("A message that is checked against its schema")
struct SchemaCheckTests {
    static let source = """
        syntax = "proto2"; package t;
        enum Color { RED = 0; GREEN = 1; }
        message Other {}
        message M {
          required string name = 1;
          optional int32 count = 2;
          repeated int32 numbers = 3;
          optional Color color = 4;
          optional Other other = 5;
          map<string, int64> totals = 6;
          oneof kind { string text = 7; double number = 8; }
          optional int32 port = 9 [default = 50051];
        }
        """

    private func findings<M: Message>(_ type: M.Type) throws -> [String] {
        let schema = try GeneratorSchema.schema(Self.source)
        do {
            try check(type, against: schema.requiredMessage("t.M"))
            return []
        } catch let mismatch as SchemaMismatch {
            return mismatch.findings
        }
    }

    @Test("has no findings when it is right")
    func right() throws {
        #expect(try findings(Right.self) == [])
        try check(Right.self, against: GeneratorSchema.schema(Self.source))
    }

    @Test("can have a required field that is optional only if the field requires its own message")
    func requiredRecursion() throws {
        for (fields, isRight) in [
            ("required Loop next = 1;", true),
            ("required N next = 1; } message N { required Loop l = 1;", false),
            ("required N next = 1; } message N { optional Loop l = 1;", false),
        ] {
            let schema = try GeneratorSchema.schema(
                "syntax = \"proto2\"; message Loop { \(fields) }")
            let isEqual = (try? check(Loop.self, against: schema)) != nil
            #expect(isEqual == isRight, "\(fields)")
        }
    }

    private struct Loop: Message {
        @Indirect var next: Loop?
        var unknownFields = UnknownFields()

        static var messageName: String { "Loop" }

        static let layout = Layout<Self> { field in
            field.message(1, \._next)
        }
    }

    @Test("is compared with a file, whose name is relative to one of the directories")
    func file() throws {
        let directory = NSTemporaryDirectory() + "swiftlet-check-\(UInt64.random(in: 0...(.max)))"
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try Self.source.write(toFile: directory + "/m.proto", atomically: false, encoding: .utf8)
        try "message M {".write(
            toFile: directory + "/broken.proto", atomically: false, encoding: .utf8)
        try check(Right.self, against: "m.proto", in: ["/nowhere", directory])
        #expect(throws: SchemaMismatch.self) {
            try check(Google.Protobuf.Timestamp.self, against: "m.proto", in: [directory])
        }
        for name in ["n.proto", "broken.proto"] {
            let error = #expect(throws: ProtoCompilationError.self) {
                try check(Right.self, against: name, in: [directory])
            }
            #expect(error.map { "\($0)" }?.contains(name) == true)
        }
    }

    @Test("has a finding for each difference, which names the change")
    func wrong() throws {
        #expect(
            try findings(Wrong.self) == [
                "'messageName' is 't.W'; change it to 't.M'",
                "field 1 'name' is optional; declare it as required",
                "field 2 'count' has the type sint32; change it to int32",
                "field 3 'numbers' is packed; pass 'packed: false'",
                "field 4 'color': t.Color has the name 'BLUE' for 1; change it to 'GREEN'",
                "field 4 'color': t.Color has no value 3; remove 'EXTRA'",
                "field 5 'other' has the message type t.Else; change it to t.Other",
                "field 6 'totals' is a map with keys of type int32;"
                    + " declare it as a map with keys of type string",
                "field 7 'text' is optional; declare it as a case of the oneof 'kind'",
                "field 9 'port' has the default int32(1); change it to int32(50051)",
                "field 20 is not declared; remove it",
                "field 8 'number' of type double is missing; add it",
                "unknown fields are dropped; store them in 'var unknownFields = UnknownFields()', or"
                    + " remove the property and conform to 'DropsUnknownFields'",
            ])
    }

    @Test("may drop unknown fields when it says so")
    func droppedUnknownFields() throws {
        let schema = try GeneratorSchema.schema(Self.source)
        try check(Dropping.self, against: schema)
        let mismatch = try #require(throws: SchemaMismatch.self) {
            try check(Keeping.self, against: schema)
        }
        #expect(
            mismatch.findings == [
                "unknown fields are kept, but the type conforms to 'DropsUnknownFields';"
                    + " conform to 'Message' alone"
            ])
    }

    @Test("has a finding when the schema has no message of its name")
    func missingMessage() throws {
        let schema = try GeneratorSchema.schema(Self.source)
        let mismatch = try #require(throws: SchemaMismatch.self) {
            try check(Wrong.self, against: schema)
        }
        #expect(mismatch.message == "t.W")
        #expect(
            mismatch.findings == [
                "the schema has no message of this name; change 'messageName' of Wrong"
            ])
    }
}

private struct Other: Message {
    static var messageName: String { "t.Other" }
    var unknownFields = UnknownFields()

    static let layout = Layout<Self> { _ in }
}

private struct Dropping: DropsUnknownFields {
    static var messageName: String { "t.Other" }

    static let layout = Layout<Self> { _ in }
}

/// Conforms to `DropsUnknownFields`, but keeps unknown fields.
private struct Keeping: DropsUnknownFields {
    static var messageName: String { "t.Other" }
    var unknownFields = UnknownFields()

    static let layout = Layout<Self> { _ in }
}

private struct Right: Message {
    struct Color: OpenEnum {
        var rawValue: Int32
        var name: String? { [0: "RED", 1: "GREEN"][rawValue] }
    }

    enum Kind: Equatable, Sendable { case text(String), number(Double) }

    var name = ""
    var count: Int32?
    var numbers: [Int32] = []
    var color: Color?
    var other: Other?
    var totals: [String: Int64] = [:]
    var kind: Kind?
    var port: Int32 = 50051
    var unknownFields = UnknownFields()

    static var messageName: String { "t.M" }

    static let layout = Layout<Self> { field in
        field.required(.string, 1, \.name)
        field.int32(2, \.count)
        field.int32(3, \.numbers, packed: false)
        field.enumeration(4, \.color)
        field.message(5, \.other)
        field.map(6, \.totals, .string, .int64)
        field.oneof(7, \.kind, .string, Kind.text) {
            if case .text(let it) = $0 { it } else { nil }
        }
        field.oneof(8, \.kind, .double, Kind.number) {
            if case .number(let it) = $0 { it } else { nil }
        }
        field.singular(.int32, 9, \.port, default: 50051)
    }
}

private struct Wrong: Message {
    struct Color: OpenEnum {
        var rawValue: Int32
        var name: String? { [0: "RED", 1: "BLUE", 3: "EXTRA"][rawValue] }
    }

    struct Else: Message {
        static var messageName: String { "t.Else" }
        var unknownFields = UnknownFields()

        static let layout = Layout<Self> { _ in }
    }

    var name: String?
    var count: Int32?
    var numbers: [Int32] = []
    var color: Color?
    var other: Else?
    var totals: [Int32: Int64] = [:]
    var text: String?
    var port: Int32 = 1
    var extra: Int32 = 0

    /// Drops unknown fields without conforming to `DropsUnknownFields`.
    var unknownFields: UnknownFields {
        get { UnknownFields() }
        set {}
    }

    static var messageName: String { "t.W" }

    static let layout = Layout<Self> { field in
        field.string(1, \.name)
        field.sint32(2, \.count)
        field.int32(3, \.numbers)
        field.enumeration(4, \.color)
        field.message(5, \.other)
        field.map(6, \.totals, .int32, .int64)
        field.string(7, \.text)
        field.singular(.int32, 9, \.port, default: 1)
        field.int32(20, \.extra)
    }
}
