import SwiftletDynamic
import SwiftletMessages
import Testing

@Suite("A dynamic message")
struct DynamicMessageTests {
    @Test("stores and returns values by name, number and schema")
    func access() throws {
        var message = try TestSchema.allMessage()
        try message.set("an_int32", 5)
        try message.set(number: 14, "text")
        let field = try #require(message.schema.field("a_double"))
        try message.set(field, 1.5)
        #expect(try message.get("an_int32") == .int32(5))
        #expect(try message.get(number: 14) == .string("text"))
        #expect(try message.get(field) == .double(1.5))
        #expect(message.presentFields.map(\.field.number) == [2, 13, 14])
        try message.clear("an_int32")
        #expect(try !message.has("an_int32"))
        #expect(try message.get("an_int32") == .int32(0))
    }

    @Test("omits a field without presence that is set to zero, and keeps one with presence")
    func presence() throws {
        var message = try TestSchema.allMessage()
        try message.set("an_int32", 0)
        try message.set("one_number", 0)
        try message.set("numbers", [])
        #expect(try !message.has("an_int32"))
        #expect(try message.has("one_number"))
        #expect(try !message.has("numbers"))
    }

    @Test("keeps only one field of a oneof")
    func oneof() throws {
        var message = try TestSchema.allMessage()
        try message.set("one_text", "a")
        try message.set("one_number", 1)
        #expect(try !message.has("one_text"))
        let oneof = try #require(message.schema.oneofs.first)
        #expect(message.present(in: oneof)?.name == "one_number")
    }

    @Test("does not change with its copy")
    func copyOnWrite() throws {
        var one = try TestSchema.allMessage()
        try one.append("numbers", 1)
        var other = one
        try other.append("numbers", 2)
        try other.set("a_string", "b")
        #expect(try one.get("numbers") == .list([.int32(1)]))
        #expect(try other.get("numbers") == .list([.int32(1), .int32(2)]))
        #expect(try !one.has("a_string"))
        #expect(one != other)
    }

    @Test("converts integers to the field's type when they fit")
    func conversion() throws {
        var message = try TestSchema.allMessage()
        try message.set("a_uint64", 7)
        #expect(try message.get("a_uint64") == .uint64(7))
        try message.set("a_color", 1)
        #expect(try message.get("a_color") == .enumeration(1))
        try message.set("counts", .map(["a": 3]))
        #expect(try message.get("counts") == .map(["a": .int32(3)]))
    }

    @Test(
        "refuses values of another type, and names the place",
        arguments: [
            ("an_int32", DynamicValue.string("a"), "an_int32: a string is not int32"),
            ("an_int32", 2_147_483_648, "an_int32: 2147483648 is not int32"),
            ("a_uint32", -1, "a_uint32: -1 is not uint32"),
            ("numbers", [1, "a"], "numbers[1]: a string is not int32"),
            ("numbers", 1, "numbers: 1 is not a list"),
            ("child", 1, "child: 1 is not t.All"),
            ("missing", 1, "missing: t.All has no field of this name"),
        ] as [(String, DynamicValue, String)])
    func typeErrors(field: String, value: DynamicValue, error: String) throws {
        var message = try TestSchema.allMessage()
        #expect {
            try message.set(field, value)
        } throws: {
            "\($0)" == error
        }
        #expect(message.isEmpty)
    }

    @Test("refuses an unknown number of a closed enum")
    func closedEnum() throws {
        var message = DynamicMessage(try TestSchema.all().requiredMessage("o.Old"))
        try message.set("shade", 2)
        #expect(throws: DynamicError.self) { try message.set("shade", 3) }
    }

    @Test("has extensions under their full names")
    func extensions() throws {
        var message = DynamicMessage(try TestSchema.all().requiredMessage("o.Old"))
        try message.set("o.note", "hi")
        #expect(try message.get(number: 100) == .string("hi"))
    }

    @Test("distinguishes strings by their bytes")
    func strings() throws {
        var one = try TestSchema.allMessage()
        var other = one
        try one.set("a_string", "\u{e9}")
        try other.set("a_string", "e\u{301}")
        #expect(one != other)
        #expect(DynamicMapKey.string("\u{e9}") != DynamicMapKey.string("e\u{301}"))
    }
}
