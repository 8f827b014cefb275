import SwiftletJSON
import Testing

@testable import SwiftletBalancing
@testable import SwiftletCore

@Suite("The reader of service config JSON")
struct JSONReaderTests {
    @Test(
        "reads every kind of value",
        arguments: [
            ("null", .null), (" true ", .bool(true)), ("false", .bool(false)),
            ("-0.5e+3", .number("-0.5e+3")), ("0", .number("0")), ("\"\"", .string("")),
            ("[]", .array([])), ("[1, [2]]", .array([.number("1"), .array([.number("2")])])),
            ("{}", .object([:])),
            ("\t{ \"a\" : {\"b\":null} }\r\n", .object(["a": .object(["b": .null])])),
            (#""\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00é""#, .string("\"\\/\u{8}\u{c}\n\r\té😀é")),
        ] as [(String, ConfigValue)])
    func values(text: String, value: ConfigValue) throws {
        #expect(try JSONReader.read(text) == value)
    }

    @Test(
        "names line and column of a mistake",
        arguments: [
            ("", "line 1, column 1: expected a value, found the end of the text"),
            ("{\n  \"a\": 1,\n  \"é\": x\n}", "line 3, column 8: expected a value, found 'x'"),
            ("{\"a\" 1}", "line 1, column 6: expected ':', found '1'"),
            ("{\"a\": 1 \"b\": 2}", "line 1, column 9: expected ',' or '}', found '\"'"),
            ("[1 2]", "line 1, column 4: expected ',' or ']', found '2'"),
            ("[1,]", "line 1, column 4: expected a value, found ']'"),
            ("{a: 1}", "line 1, column 2: expected a key in quotes, found 'a'"),
            ("{\"a\": 1, \"a\": 2}", "line 1, column 10: the key 'a' is repeated"),
            ("{} {}", "line 1, column 4: unexpected '{' after the value"),
            ("01", "line 1, column 1: a number cannot have a leading zero"),
            ("1.", "line 1, column 3: expected a digit, found the end of the text"),
            ("-", "line 1, column 2: expected a digit, found the end of the text"),
            ("truth", "line 1, column 1: expected true or false"),
            ("[\"a", "line 1, column 2: a string has no end"),
            (
                "\"\u{1}\"",
                "line 1, column 2: a control character in a string must be written as \\u0001"
            ),
            (#""\x""#, "line 1, column 2: '\\' before a character that needs no escape"),
            (#""\ud800""#, "line 1, column 2: half of a surrogate pair"),
            (#""\u12g4""#, "line 1, column 6: expected four hexadecimal digits, found 'g'"),
        ])
    func errors(text: String, message: String) {
        let error = #expect(throws: RPCError.self) { try JSONReader.read(text) }
        #expect(error?.message == "service config, \(message)")
        #expect(error?.code == .invalidArgument)
    }

    @Test("refuses text that is nested too deep, and text that is too long")
    func limits() throws {
        let deepest = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
        #expect(throws: Never.self) { try JSONReader.read(deepest) }
        #expect(throws: RPCError.self) { try JSONReader.read("[\(deepest)]") }
        #expect(throws: RPCError.self) {
            try JSONReader.read(String(repeating: "[", count: 1_000_000))
        }
        #expect(throws: RPCError.self) {
            try JSONReader.read("\"" + String(repeating: "a", count: 5 << 20) + "\"")
        }
    }

    @Test("an error of an object names the text that it is in")
    func subject() {
        let error = #expect(throws: RPCError.self) {
            try ConfigObject(json: "[]", of: "bootstrap")
        }
        #expect(error?.message == "bootstrap: expected an object, found an array")
        let other = #expect(throws: RPCError.self) { try ConfigObject(json: "{", of: "bootstrap") }
        #expect(other?.message.contains("bootstrap") ?? false)
    }
}

@Suite("Durations in service configs")
struct ConfigDurationTests {
    @Test(
        "are decimal seconds with up to nine digits after the point, and an s",
        arguments: [
            ("1s", .seconds(1)), ("0s", .zero), ("0.1s", .milliseconds(100)),
            ("1.000340012s", .nanoseconds(1_000_340_012)),
            ("315576000000s", .seconds(315_576_000_000)),
            ("315576000001s", nil), ("1", nil), ("s", nil), (".s", nil), ("1.s", nil),
            (".5s", .milliseconds(500)), (".010s", .milliseconds(10)),
            ("-1s", nil),
            ("+1s", nil), ("01s", nil), ("1e3s", nil), ("1.0000000001s", nil), ("1 s", nil),
            ("", nil),
            ("99999999999999999999s", nil), ("1.2.3s", nil), ("١s", nil),
        ] as [(String, Duration?)])
    func parses(text: String, duration: Duration?) {
        #expect(Duration(configText: text) == duration)
    }
}
