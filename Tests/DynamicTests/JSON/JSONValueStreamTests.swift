import SwiftletDynamic
import Testing

@Suite("A stream of JSON values")
struct JSONValueStreamTests {
    private static let text = #"{"a":"}{\"","b":[{}]} {}"# + "\n[1] \"x\\\"\"  12 true{\"c\":1}"
    private static let values = [
        #"{"a":"}{\"","b":[{}]}"#, "{}", "[1]", #""x\"""#, "12", "true", #"{"c":1}"#,
    ]

    @Test("is cut into whole values, in whatever parts it arrives", arguments: 1...20)
    func splits(partByteCount: Int) throws {
        var stream = JSONValueStream()
        var values: [String] = []
        var rest = Array(Self.text.utf8)[...]
        while !rest.isEmpty {
            stream.append(rest.prefix(partByteCount))
            rest = rest.dropFirst(partByteCount)
            while let value = try stream.next() {
                values.append(String(decoding: value, as: UTF8.self))
            }
        }
        #expect(try stream.finish() == nil)
        #expect(values == Self.values)
    }

    @Test("gives the last number at its end")
    func lastWord() throws {
        var stream = JSONValueStream()
        stream.append(" 12".utf8)
        #expect(try stream.next() == nil)
        #expect(try stream.finish() == Array("12".utf8))
        #expect(try stream.finish() == nil)
    }

    @Test(
        "is refused if a byte is not allowed, or if it ends inside a value",
        arguments: [
            ("{}\n }", "2:2: expected a value, found '}'"),
            ("{}{", "1:4: the text ends inside a value"),
            ("\"a", "1:3: the text ends inside a value"),
        ])
    func refused(text: String, error: String) {
        var stream = JSONValueStream()
        stream.append(text.utf8)
        #expect {
            while try stream.next() != nil {}
            _ = try stream.finish()
        } throws: {
            "\($0)" == error
        }
    }

    @Test("has a limit for one value")
    func limit() throws {
        var stream = JSONValueStream(maxByteCount: 4)
        stream.append("[12] [123]".utf8)
        #expect(try stream.next() == Array("[12]".utf8))
        #expect(throws: FormatError.self) { try stream.next() }
    }
}
