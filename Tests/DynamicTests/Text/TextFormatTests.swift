import SwiftletDynamic
import SwiftletMessages
import Testing

@Suite("The text format of a dynamic message")
struct TextFormatTests {
    private func read(_ text: String, as type: String = "t.All") throws -> DynamicMessage {
        try DynamicMessage(
            text: text, as: try TestSchema.all().requiredMessage(type),
            options: TextReadingOptions(allowsPartial: true))
    }

    private let oneLine = TextWritingOptions(isSingleLine: true)

    @Test(
        "is read and written field by field",
        arguments: [
            "a_bool: true", "an_int32: -5", "a_uint64: 18446744073709551615", "a_float: 1.5",
            "a_double: -inf", "a_double: nan", #"a_string: "a\n\"é""#, #"some_bytes: "\377\001a""#,
            "a_color: GREEN", "a_color: 7", "child { an_int32: 1 }", "numbers: 1 numbers: 2",
            #"counts { key: "a" value: 1 }"#, "by_name { key: -3 value { a_bool: true } }", "",
        ])
    func roundTrip(text: String) throws {
        #expect(try read(text).text(options: oneLine) == text)
    }

    @Test(
        "is read in every form that the language allows",
        arguments: [
            ("an_int32: 0x1F # a comment\n", "an_int32: 31"),
            ("an_int32: - 017;", "an_int32: -15"),
            ("numbers: [1, 2], numbers: 3", "numbers: 1 numbers: 2 numbers: 3"),
            ("numbers: []", ""),
            ("child: < a_bool: t >", "child { a_bool: true }"),
            ("children [{}, {a_bool: 1}]", "children { } children { a_bool: true }"),
            (#"a_string: "a" 'b' "\x63\u00e9""#, #"a_string: "abcé""#),
            ("a_double: 1.f", "a_double: 1"),
            ("a_double: .5e1", "a_double: 5"),
            ("a_float: -Infinity", "a_float: -inf"),
            ("a_color: 1", "a_color: GREEN"),
            ("counts { value: 2 }", #"counts { key: "" value: 2 }"#),
        ])
    func forms(text: String, canonical: String) throws {
        #expect(try read(text).text(options: oneLine) == canonical)
    }

    @Test(
        "is refused with the path, the line and the column",
        arguments: [
            ("child {\n numbers: x }", "2:11: child.numbers: 'x' is not a value of type int32"),
            ("nope: 1", "1:1: nope: t.All has no field 'nope'"),
            ("an_int32 1", "1:10: an_int32: expected ':', found '1'"),
            ("child {", "1:8: child: expected '}', found the end"),
            ("child { } child { }", "1:17: child: the field occurs twice"),
            (#"a_string: "a"#, "1:11: a_string: a string has no end"),
            (#"a_string: "\q""#, "1:11: a_string: a string has an unknown escape"),
            (
                "one_number: 1 one_text: ''",
                "1:25: one_text: another field of the oneof 'one' is set"
            ),
            ("a_bool: 2", "1:9: a_bool: '2' is not a value of type bool"),
            ("an_int32: 08", "1:11: an_int32: '08' is not a value of type int32"),
            ("[o.note]: 'a'", "1:1: t.All has no extension 'o.note'"),
        ])
    func refused(text: String, error: String) {
        #expect {
            try read(text)
        } throws: {
            "\($0)" == error
        }
    }

    @Test("names groups after their messages, and extensions between brackets")
    func groups() throws {
        let text = #"id: 1 Item { number: 5 } [o.note]: "a" [o.more] { id: 2 }"#
        #expect(try read(text, as: "o.Old").text(options: oneLine) == text)
        #expect(try read("item { number: 5 }", as: "o.Old").has("item"))
    }

    @Test("names an extension of a message set after its message, if the message declares it")
    func messageSets() throws {
        let source = """
            syntax = "proto2";
            message Set { option message_set_wire_format = true; extensions 4 to max; }
            message Item { extend Set { optional Item item = 100; } optional int32 i = 1; }
            message Other { extend Set { optional Item two = 101; } extensions 5; }
            message Third { extend Other { optional Third third = 5; } }
            """
        let schema = try Schema(ProtoCompiler().compile(source: source))
        let set = try schema.requiredMessage("Set")
        let text = "[Item] { i: 1 } [Other.two] { i: 2 }"
        let message = try DynamicMessage(text: text, as: set)
        #expect(message.text(options: oneLine) == text)
        #expect(try message.json() == #"{"[Item.item]":{"i":1},"[Other.two]":{"i":2}}"#)
        let long = try DynamicMessage(text: "[Item.item] { i: 1 } [Other.two] { i: 2 }", as: set)
        #expect(long == message)
        #expect(throws: FormatError.self) { try DynamicMessage(text: "[Other] {}", as: set) }
        let other = try schema.requiredMessage("Other")
        let third = "[Third.third] { }"
        #expect(try DynamicMessage(text: third, as: other).text(options: oneLine) == third)
        #expect(throws: FormatError.self) { try DynamicMessage(text: "[Third] {}", as: other) }
    }

    @Test("expands an Any if the schema has its type")
    func any() throws {
        let holder = try TestSchema.wellKnown().requiredMessage("w.Holder")
        let text = "any { [type.googleapis.com/w.Holder] { plain: 3 } }"
        let message = try DynamicMessage(text: text, as: holder)
        #expect(message.text(options: oneLine) == text)
        let plain = TextWritingOptions(expandsAny: false, isSingleLine: true)
        #expect(
            message.text(options: plain)
                == #"any { type_url: "type.googleapis.com/w.Holder" value: "\240\001\003" }"#)
    }

    @Test(
        "reads an Any whose URL has escapes, and refuses broken ones",
        arguments: ["%", "%4", "%4g"])
    func escapes(broken: String) throws {
        let holder = try TestSchema.wellKnown().requiredMessage("w.Holder")
        let whole = "any { [a%4Ab/w.Holder] { plain: 3 } }"
        #expect(try DynamicMessage(text: whole, as: holder).text(options: oneLine) == whole)
        let error = #expect(throws: FormatError.self) {
            try DynamicMessage(text: "any { [a\(broken)/w.Holder] { plain: 3 } }", as: holder)
        }
        #expect("\(error as Any)".contains("without two hexadecimal digits"))
    }

    @Test("writes unknown fields with their numbers")
    func unknownFields() throws {
        var message = try TestSchema.allMessage()
        message.unknownFields = [
            0xa0, 6, 5, 0xa5, 6, 1, 0, 0, 0, 0xaa, 6, 2, 0x08, 1, 0xaa, 6, 1, 0xff, 0xb3, 6, 0x08,
            2, 0xb4, 6,
        ]
        #expect(
            message.description
                == #"100: 5 100: 0x00000001 101 { 1: 1 } 101: "\377" 102 { 1: 2 }"#)
        #expect(message.text() == "")
    }

    @Test(
        "keeps letters of all scripts, and escapes characters that control a terminal or hide text",
        arguments: [
            ("\u{1b}]0;x\u{7}", #"\033]0;x\007"#),
            ("\u{9b}2J\u{7f}", #"\302\2332J\177"#),
            ("a\u{202e}b\u{2066}", #"a\342\200\256b\342\201\246"#),
            ("\u{2028}\u{2029}", #"\342\200\250\342\200\251"#),
            ("é Ω 漢字 ไทย עברית 😀 e\u{301} … €", "é Ω 漢字 ไทย עברית 😀 e\u{301} … €"),
            ("it's", #"it\'s"#),
        ])
    func hidden(value: String, escaped: String) throws {
        var message = try TestSchema.allMessage()
        try message.set("a_string", .string(value))
        let text = message.text(options: oneLine)
        #expect(text == #"a_string: "\#(escaped)""#)
        #expect(try DynamicMessage(text: text, as: message.schema) == message)
    }

    @Test("does not expand an Any whose URL the format cannot contain")
    func unsafeURL() throws {
        let schema = try TestSchema.wellKnown().requiredMessage("google.protobuf.Any")
        var any = DynamicMessage(schema)
        try any.set("type_url", "\u{1b}]0;x\u{7}/w.Holder")
        #expect(any.description == #"type_url: "\033]0;x\007/w.Holder""#)
        #expect(try DynamicMessage(text: any.text(), as: schema) == any)
    }

    @Test("has each field on its own line")
    func lines() throws {
        #expect(try read("child { an_int32: 1 }").text() == "child {\n  an_int32: 1\n}\n")
    }

    @Test("has a limit of size")
    func size() throws {
        let schema = try TestSchema.all().requiredMessage("t.All")
        let text = "an_int32: 1"
        func read(_ maxByteCount: Int) throws -> DynamicMessage {
            try DynamicMessage(
                text: text, as: schema,
                options: TextReadingOptions(maxByteCount: maxByteCount, allowsPartial: true))
        }
        #expect(try read(text.utf8.count).text(options: oneLine) == text)
        let error = #expect(throws: FormatError.self) { try read(text.utf8.count - 1) }
        #expect(error?.description.contains("the text has 11 bytes, more than 10") == true)
    }

    @Test("of a compiled message is written and read through its schema")
    func compiledMessage() throws {
        let set = try ProtoCompiler().compile(["google/protobuf/descriptor.proto"])
        let schema = try Schema(set).requiredMessage("google.protobuf.EnumValueDescriptorProto")
        let value = Google.Protobuf.EnumValueDescriptorProto.with {
            $0.name = "RED"
            $0.number = 0
        }
        let message = try DynamicMessage(value, as: schema)
        #expect(message.text(options: oneLine) == #"name: "RED" number: 0"#)
        #expect(try message.json() == #"{"name":"RED","number":0}"#)
        typealias Value = Google.Protobuf.EnumValueDescriptorProto
        let ways = [
            try DynamicMessage(text: message.text(), as: schema),
            try DynamicMessage(json: message.json(), as: schema),
        ]
        for way in ways { #expect(try way.message(as: Value.self) == value) }
    }

    @Test("has a limit of depth, for unknown names too")
    func depth() {
        let deep = String(repeating: "child {", count: 101)
        #expect(throws: FormatError.self) { try read(deep) }
    }

    @Test(
        "is refused if a field that is no list occurs twice",
        arguments: [
            "i: 1 i: 2", #"s: "a" s: "b""#, "o: 1 o: 2", "m {} m {}", "map { key: 1 key: 2 }",
            #"any { [type.googleapis.com/M] { i: 1 } type_url: "x" }"#,
        ])
    func twice(text: String) throws {
        let source = """
            syntax = "proto3";
            import "google/protobuf/any.proto";
            message M {
              int32 i = 1; string s = 2; optional int32 o = 3; M m = 4; map<int32, int32> map = 5;
              google.protobuf.Any any = 6;
            }
            """
        let schema = try Schema(ProtoCompiler().compile(source: source)).requiredMessage("M")
        #expect(throws: FormatError.self) { try DynamicMessage(text: text, as: schema) }
    }
}
