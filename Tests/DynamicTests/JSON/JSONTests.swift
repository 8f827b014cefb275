import SwiftletDynamic
import SwiftletMessages
import SwiftletWellKnown
import Testing

@Suite("The JSON of a dynamic message")
struct JSONTests {
    private func read(
        _ json: String, options: JSONReadingOptions = JSONReadingOptions()
    ) throws -> DynamicMessage {
        try DynamicMessage(
            json: json, as: try TestSchema.all().requiredMessage("t.All"), options: options)
    }

    @Test(
        "is read and written field by field",
        arguments: [
            #"{"aBool":true}"#, #"{"anInt32":-5}"#, #"{"anInt64":"9223372036854775807"}"#,
            #"{"aUint64":"18446744073709551615"}"#, #"{"aFloat":1.5}"#, #"{"aFloat":"NaN"}"#,
            #"{"aDouble":"-Infinity"}"#, #"{"aDouble":1e+300}"#, #"{"aDouble":-0.0}"#,
            #"{"aString":"a\n\"é\\"}"#, #"{"someBytes":"/+8="}"#, #"{"aColor":"GREEN"}"#,
            #"{"aColor":7}"#, #"{"child":{"anInt32":1}}"#, #"{"numbers":[1,2]}"#,
            #"{"children":[{},{"aBool":true}]}"#, #"{"counts":{"a":1,"b":2}}"#,
            #"{"byName":{"-3":{"aBool":true}}}"#, #"{"oneNumber":0}"#, "{}",
        ])
    func roundTrip(json: String) throws {
        #expect(try read(json).json() == json)
    }

    @Test(
        "is read in every form that the mapping allows",
        arguments: [
            (#"{"an_int32":5}"#, #"{"anInt32":5}"#),
            (#"{"anInt32":"5"}"#, #"{"anInt32":5}"#),
            (#"{"anInt32":5e2}"#, #"{"anInt32":500}"#),
            (#"{"anInt32":5.00}"#, #"{"anInt32":5}"#),
            (#"{"anInt64":5}"#, #"{"anInt64":"5"}"#),
            (#"{"aDouble":"2.5"}"#, #"{"aDouble":2.5}"#),
            (#"{"someBytes":"_-8"}"#, #"{"someBytes":"/+8="}"#),
            (#"{"aColor":1}"#, #"{"aColor":"GREEN"}"#),
            (#"{"aString":"\u00e9\ud83d\ude00"}"#, #"{"aString":"é😀"}"#),
            (#"{"aString":null,"child":null,"numbers":null}"#, "{}"),
            (" \n\t{ \"aBool\" : true } ", #"{"aBool":true}"#),
        ])
    func forms(json: String, canonical: String) throws {
        #expect(try read(json).json() == canonical)
    }

    @Test(
        "is refused with the path, the line and the column",
        arguments: [
            (
                #"{"child":{"numbers":[1,"x"]}}"#,
                "1:27: child.numbers[1]: x is not a number of type int32"
            ),
            ("{\n \"nope\": 1}", "2:9: nope: t.All has no field 'nope'"),
            (#"{"anInt32":2147483648}"#, "1:22: anInt32: 2147483648 is not a number of type int32"),
            (#"{"anInt32":1.5}"#, "1:15: anInt32: 1.5 is not a number of type int32"),
            (#"{"aString":"a""#, "1:15: expected ',' or '}', found the end of the text"),
            (#"{"aBool":true}x"#, "1:15: unexpected 'x' after the value"),
            (#"{"aBool":true,}"#, "1:15: expected a key in quotes, found '}'"),
            (#"{"aBool":true,"a_bool":true}"#, "1:24: a_bool: the field occurs twice"),
            (
                #"{"oneText":"a","oneNumber":1}"#,
                "1:28: oneNumber: another field of the oneof 'one' is set"
            ),
            (#"{"numbers":[null]}"#, "1:13: numbers[0]: an element cannot be null"),
            (#"{"aColor":"PINK"}"#, "1:17: aColor: t.Color has no value 'PINK'"),
            (#"{"someBytes":"a"}"#, "1:17: someBytes: the string is not base64"),
            (#"{"aString":"\ud800"}"#, "1:13: aString: half of a surrogate pair"),
            (#"{"anInt32":01}"#, "1:12: anInt32: a number cannot have a leading zero"),
            (#"{"anInt32":1.}"#, "1:14: anInt32: expected a digit, found '}'"),
            (
                #"{"anInt32":1e-9223372036854775808}"#,
                "1:34: anInt32: 1e-9223372036854775808 is not a number of type int32"
            ),
            (#"{"aDouble":NaN}"#, "1:12: aDouble: expected a value, found 'N'"),
            ("", "1:1: expected an object, found the end of the text"),
            (#"{"aBool":é}"#, "1:10: aBool: expected a value, found 'é'"),
            (
                #"{"aString":"\u12g4"}"#,
                "1:17: aString: expected four hexadecimal digits, found 'g'"
            ),
            (
                "{\"aString\":\"\n\"}",
                "1:13: aString: a control character in a string must be written as \\u000a"
            ),
            (
                #"{"aString":"\q"}"#,
                #"1:13: aString: '\' before a character that needs no escape"#
            ),
        ])
    func refused(json: String, error: String) {
        #expect {
            try read(json)
        } throws: {
            "\($0)" == error
        }
    }

    @Test(
        "keeps letters of all scripts, and escapes characters that control a terminal or hide text",
        arguments: [
            ("\u{1b}]0;x\u{7}", #"\u001b]0;x\u0007"#),
            ("\u{9b}2J\u{85}\u{7f}", #"\u009b2J\u0085\u007f"#),
            ("a\u{202e}b\u{2066}\u{200b}\u{feff}", #"a\u202eb\u2066\u200b\ufeff"#),
            ("\u{2028}\u{2029}", #"\u2028\u2029"#),
            ("\u{e0041}", #"\udb40\udc41"#),
            ("é Ω 漢字 ไทย עברית 😀 e\u{301} … €", "é Ω 漢字 ไทย עברית 😀 e\u{301} … €"),
            ("it's", "it's"),
        ])
    func hidden(text: String, escaped: String) throws {
        var message = try TestSchema.allMessage()
        try message.set("a_string", .string(text))
        try message.set("counts", .map([.string(text): 1]))
        let json = try message.json()
        #expect(json == #"{"aString":"\#(escaped)","counts":{"\#(escaped)":1}}"#)
        #expect(try DynamicMessage(json: json, as: message.schema) == message)
    }

    @Test("skips unknown members if the options say so")
    func ignoring() throws {
        let json = #"{"nope":[{"a":[1]}],"aColor":"PINK","colors":["PINK","BLUE"],"anInt32":1}"#
        let message = try read(json, options: JSONReadingOptions(ignoresUnknownFields: true))
        #expect(try message.json() == #"{"anInt32":1,"colors":["BLUE"]}"#)
    }

    @Test("is written as the options say")
    func options() throws {
        let message = try read(#"{"aColor":"GREEN","child":{"anInt64":"1"}}"#)
        #expect(
            try message.json(options: JSONWritingOptions(preservesNames: true))
                == #"{"a_color":"GREEN","child":{"an_int64":"1"}}"#)
        #expect(
            try message.json(options: JSONWritingOptions(writesEnumsAsNumbers: true))
                == #"{"aColor":1,"child":{"anInt64":"1"}}"#)
        #expect(
            try message.json(options: JSONWritingOptions(isIndented: true))
                == """
                {
                  "aColor": "GREEN",
                  "child": {
                    "anInt64": "1"
                  }
                }
                """)
        let empty = try TestSchema.allMessage()
        let json = try empty.json(options: JSONWritingOptions(emitsDefaults: true))
        #expect(json.hasPrefix(#"{"aBool":false,"anInt32":0,"anInt64":"0""#))
        #expect(
            json.hasSuffix(
                #""numbers":[],"names":[],"children":[],"counts":{},"byName":{},"colors":[]}"#))
    }

    @Test("has limits")
    func limits() {
        let deep =
            String(repeating: #"{"child":"#, count: 20) + "{}" + String(repeating: "}", count: 20)
        #expect(throws: Never.self) { try read(deep, options: JSONReadingOptions(maxDepth: 21)) }
        #expect(throws: FormatError.self) {
            try read(deep, options: JSONReadingOptions(maxDepth: 20))
        }
        #expect(throws: FormatError.self) {
            try read("{}", options: JSONReadingOptions(maxByteCount: 1))
        }
        let unknown = #"{"x":"# + String(repeating: "[", count: 100_000)
        #expect(throws: FormatError.self) {
            try read(unknown, options: JSONReadingOptions(ignoresUnknownFields: true))
        }
    }

    @Test("has no form for a Value of a kind that the well-known type does not have")
    func unknownKind() throws {
        let holder = try TestSchema.wellKnown().requiredMessage("w.Holder")
        let message = try DynamicMessage(decoding: [0x0a, 2, 0x3a, 0], as: holder)
        #expect(throws: DynamicError.self) { try message.json() }
    }

    @Test(
        "has the forms of the well-known types",
        arguments: [
            #"{"value":null}"#, #"{"value":[1,"a",true,null,{"b":{}}]}"#,
            #"{"values":[null,1,null]}"#, #"{"structure":{"a":1.5,"b":[]}}"#, #"{"list":[[],{}]}"#,
            #"{"time":"1972-01-01T10:00:20.021Z"}"#, #"{"time":"0001-01-01T00:00:00Z"}"#,
            #"{"time":"9999-12-31T23:59:59.999999999Z"}"#, #"{"time":"2000-02-29T12:00:00Z"}"#,
            #"{"span":"1.000340012s"}"#, #"{"span":"-0.500s"}"#, #"{"span":"315576000000s"}"#,
            #"{"mask":"user.displayName,photo"}"#, #"{"wrapped":"5"}"#, #"{"wrapped":"0"}"#,
            #"{"any":{"@type":"type.googleapis.com/w.Holder","plain":3}}"#,
            #"{"any":{"@type":"a/google.protobuf.Duration","value":"3s"}}"#,
            #"{"any":{"@type":"a/google.protobuf.Any","value":{"@type":"b/w.Holder"}}}"#,
            #"{"any":{}}"#,
        ])
    func wellKnown(json: String) throws {
        let holder = try TestSchema.wellKnown().requiredMessage("w.Holder")
        #expect(try DynamicMessage(json: json, as: holder).json() == json)
    }

    @Test("finds the type of an Any at any place in the object, and converts times to UTC")
    func looseWellKnown() throws {
        let holder = try TestSchema.wellKnown().requiredMessage("w.Holder")
        let any = try DynamicMessage(
            json: #"{"any":{"plain":3,"@type":"a/w.Holder"}}"#, as: holder)
        #expect(try any.json() == #"{"any":{"@type":"a/w.Holder","plain":3}}"#)
        let time = try DynamicMessage(
            json: #"{"time":"1970-01-01T01:00:00.5+01:00"}"#, as: holder)
        #expect(try time.json() == #"{"time":"1970-01-01T00:00:00.500Z"}"#)
    }

    @Test(
        "refuses values that the well-known types cannot hold",
        arguments: [
            #"{"time":"0000-01-01T00:00:00Z"}"#, #"{"time":"1970-01-01t00:00:00Z"}"#,
            #"{"time":"1970-02-30T00:00:00Z"}"#, #"{"time":"1970-01-01T00:00:00"}"#,
            #"{"time":"1970-01-01T00:00:00.Z"}"#, #"{"span":"1"}"#, #"{"span":"315576000001s"}"#,
            #"{"span":"1.s"}"#, #"{"span":"--1s"}"#, #"{"mask":"a_b"}"#, #"{"wrapped":"x"}"#,
            #"{"any":{"plain":3}}"#, #"{"any":{"@type":"a/no.Type"}}"#,
            #"{"any":{"@type":"a/google.protobuf.Duration","x":1}}"#, #"{"structure":[]}"#,
            #"{"structure":{"a":1,"a":2}}"#,
        ])
    func refusedWellKnown(json: String) throws {
        let holder = try TestSchema.wellKnown().requiredMessage("w.Holder")
        #expect(throws: FormatError.self) { try DynamicMessage(json: json, as: holder) }
    }

    @Test("is not written for values without a form in JSON, and the error names the place")
    func unwritable() throws {
        let schema = try TestSchema.wellKnown()
        var time = DynamicMessage(try schema.requiredMessage("google.protobuf.Timestamp"))
        try time.set("nanos", -1)
        var holder = DynamicMessage(try schema.requiredMessage("w.Holder"))
        try holder.set("time", .message(time))
        #expect(throws: DynamicError(path: "time", message: "the value is not a timestamp")) {
            try holder.json()
        }
    }

    @Test("of a field mask is written only if it is read as the same mask")
    func fieldMasks() throws {
        let source = """
            syntax = "proto3";
            import "google/protobuf/field_mask.proto";
            message M { google.protobuf.FieldMask mask = 1; }
            """
        let schema = try Schema(ProtoCompiler().compile(source: source)).requiredMessage("M")
        func json(_ paths: [String]) throws -> String {
            let mask = Google.Protobuf.FieldMask.with { $0.paths = paths }.encoded()
            return try DynamicMessage(decoding: [0x0a, UInt8(mask.count)] + mask, as: schema).json()
        }
        #expect(try json(["a_b", "c"]) == #"{"mask":"aB,c"}"#)
        #expect(try json([]) == #"{"mask":""}"#)
        for paths in [["a,b"], [""], ["a", "b,c"]] {
            #expect(throws: DynamicError.self, "\(paths)") { try json(paths) }
        }
    }
}
