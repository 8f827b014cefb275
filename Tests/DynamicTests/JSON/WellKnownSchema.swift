import SwiftletDynamic
import SwiftletMessages

extension TestSchema {
    /// The well-known types, and `w.Holder`, which has a field of each of them.
    static func wellKnown() throws -> Schema {
        let value = message(
            "Value",
            [
                field("null_value", 1, .enumeration, of: ".google.protobuf.NullValue", oneof: 0),
                field("number_value", 2, .double, oneof: 0),
                field("string_value", 3, .string, oneof: 0),
                field("bool_value", 4, .bool, oneof: 0),
                field("struct_value", 5, .message, of: ".google.protobuf.Struct", oneof: 0),
                field("list_value", 6, .message, of: ".google.protobuf.ListValue", oneof: 0),
                // Only a server's own schema has it.
                field("deeper", 7, .message, of: ".google.protobuf.Value", oneof: 0),
            ], oneofs: ["kind"])
        let structure = message(
            "Struct",
            [field("fields", 1, .message, of: ".google.protobuf.Struct.FieldsEntry", .repeated)],
            nested: [
                entry("FieldsEntry", key: .string, value: .message, of: ".google.protobuf.Value")
            ])
        let seconds = [field("seconds", 1, .int64), field("nanos", 2, .int32)]
        let types = file(
            "types.proto", package: "google.protobuf",
            messages: [
                value, structure,
                message(
                    "ListValue",
                    [field("values", 1, .message, of: ".google.protobuf.Value", .repeated)]),
                message("Timestamp", seconds), message("Duration", seconds),
                message("FieldMask", [field("paths", 1, .string, .repeated)]),
                message("Any", [field("type_url", 1, .string), field("value", 2, .bytes)]),
                message("Int64Value", [field("value", 1, .int64)]),
            ],
            enums: [enumeration("NullValue", [("NULL_VALUE", 0)])])
        let names = [
            ("value", "Value"), ("structure", "Struct"), ("list", "ListValue"),
            ("time", "Timestamp"), ("span", "Duration"), ("mask", "FieldMask"), ("any", "Any"),
            ("wrapped", "Int64Value"),
        ]
        let holder = message(
            "Holder",
            names.enumerated().map { index, name in
                field(name.0, Int32(index + 1), .message, of: ".google.protobuf.\(name.1)")
            } + [
                field("plain", 20, .int32),
                field("values", 21, .message, of: ".google.protobuf.Value", .repeated),
            ])
        return try Schema([types, file("holder.proto", package: "w", messages: [holder])])
    }
}
