import SwiftletDynamic
import SwiftletMessages
import Testing

@Suite("A message with the name of a well-known type")
struct WellKnownTypeTests {
    /// The files of `google/protobuf/struct.proto`, of which `change` alters the declarations.
    private func schema(
        _ change: (inout Google.Protobuf.FileDescriptorProto) -> Void
    ) throws -> Schema {
        var set = try ProtoCompiler().compile(["google/protobuf/struct.proto"])
        set.file[0].messageType.append(
            TestSchema.message("Other", [TestSchema.field("name", 1, .string)]))
        change(&set.file[0])
        return try Schema(set)
    }

    private func json(_ text: String, _ name: String, in schema: Schema) throws -> String {
        try DynamicMessage(json: text, as: schema.requiredMessage("google.protobuf." + name)).json()
    }

    @Test("has its special JSON form if it has the fields and types of the well-known type")
    func honest() throws {
        let schema = try schema { _ in }
        let text = #"{"a":[1,null,{"b":true}]}"#
        #expect(try json(text, "Struct", in: schema) == text)
        #expect(try json(text, "Value", in: schema) == text)
        #expect(try json("[{}]", "ListValue", in: schema) == "[{}]")
    }

    @Test("is an ordinary message if a field of a Value has another type", arguments: 4...5)
    func value(field: Int) throws {
        let schema = try schema { file in
            let value = file.messageType.firstIndex { $0.name == "Value" } ?? 0
            file.messageType[value].field[field].typeName = ".google.protobuf.Value"
        }
        #expect(try json("{}", "Value", in: schema) == "{}")
        #expect(try json(#"{"stringValue":"a"}"#, "Value", in: schema) == #"{"stringValue":"a"}"#)
        #expect(throws: FormatError.self) { try json("[]", "Value", in: schema) }
    }

    @Test("is an ordinary message if the keys or the values of a Struct have another type")
    func structure() throws {
        for isKey in [true, false] {
            let schema = try schema { file in
                let index = file.messageType.firstIndex { $0.name == "Struct" } ?? 0
                if isKey {
                    file.messageType[index].nestedType[0].field[0].type = .int32
                } else {
                    file.messageType[index].nestedType[0].field[1].typeName =
                        ".google.protobuf.Other"
                }
            }
            #expect(throws: FormatError.self) { try json(#"{"a":{}}"#, "Struct", in: schema) }
            #expect(try json(#"{"fields":{}}"#, "Struct", in: schema) == "{}")
        }
    }

    @Test("is an ordinary message if the values of a ListValue have another type")
    func list() throws {
        let schema = try schema { file in
            let index = file.messageType.firstIndex { $0.name == "ListValue" } ?? 0
            file.messageType[index].field[0].typeName = ".google.protobuf.Other"
        }
        #expect(throws: FormatError.self) { try json("[{}]", "ListValue", in: schema) }
        let text = #"{"values":[{"name":"a"}]}"#
        #expect(try json(text, "ListValue", in: schema) == text)
    }
}
