import SwiftletDynamic
import SwiftletMessages

typealias Proto = Google.Protobuf

/// Short forms for descriptors, which tests spell out by hand.
enum TestSchema {
    static func file(
        _ name: String, package: String = "t", syntax: String = "proto3",
        imports: [String] = [], messages: [Proto.DescriptorProto] = [],
        enums: [Proto.EnumDescriptorProto] = [], extensions: [Proto.FieldDescriptorProto] = []
    ) -> Proto.FileDescriptorProto {
        .with {
            $0.name = name
            $0.package = package
            $0.syntax = syntax
            $0.dependency = imports
            $0.messageType = messages
            $0.enumType = enums
            $0.extension = extensions
        }
    }

    static func message(
        _ name: String, _ fields: [Proto.FieldDescriptorProto] = [],
        nested: [Proto.DescriptorProto] = [], oneofs: [String] = [],
        extensions: ClosedRange<Int32>? = nil
    ) -> Proto.DescriptorProto {
        .with {
            $0.name = name
            $0.field = fields
            $0.nestedType = nested
            $0.oneofDecl = oneofs.map { name in .with { $0.name = name } }
            if let extensions {
                $0.extensionRange = [
                    .with {
                        $0.start = extensions.lowerBound
                        $0.end = extensions.upperBound + 1
                    }
                ]
            }
        }
    }

    static func field(
        _ name: String, _ number: Int32, _ type: Proto.FieldDescriptorProto.FieldType,
        of typeName: String? = nil, _ label: Proto.FieldDescriptorProto.Label = .optional,
        oneof: Int32? = nil, extending extendee: String? = nil, default defaultValue: String? = nil,
        features: Proto.FeatureSet? = nil
    ) -> Proto.FieldDescriptorProto {
        .with {
            $0.name = name
            $0.number = number
            $0.type = type
            $0.typeName = typeName
            $0.label = label
            $0.oneofIndex = oneof
            $0.extendee = extendee
            $0.defaultValue = defaultValue
            if let features { $0.options = .with { $0.features = features } }
        }
    }

    /// The message of the entries of a map.
    static func entry(
        _ name: String, key: Proto.FieldDescriptorProto.FieldType,
        value: Proto.FieldDescriptorProto.FieldType, of typeName: String? = nil
    ) -> Proto.DescriptorProto {
        .with {
            $0.name = name
            $0.field = [field("key", 1, key), field("value", 2, value, of: typeName)]
            $0.options = .with { $0.mapEntry = true }
        }
    }

    static func enumeration(
        _ name: String, _ values: [(String, Int32)]
    ) -> Proto.EnumDescriptorProto {
        .with {
            $0.name = name
            $0.value = values.map { value in
                .with {
                    $0.name = value.0
                    $0.number = value.1
                }
            }
        }
    }
}

extension TestSchema {
    /// `t.All`: a field of every type and shape in proto3, and `t.Old` in proto2.
    static func all() throws -> Schema {
        let color = enumeration("Color", [("RED", 0), ("GREEN", 1), ("BLUE", -2)])
        let shade = enumeration("Shade", [("DARK", 1), ("LIGHT", 2)])
        let all = message(
            "All",
            [
                field("a_bool", 1, .bool), field("an_int32", 2, .int32),
                field("an_int64", 3, .int64), field("a_uint32", 4, .uint32),
                field("a_uint64", 5, .uint64), field("a_sint32", 6, .sint32),
                field("a_sint64", 7, .sint64), field("a_fixed32", 8, .fixed32),
                field("a_fixed64", 9, .fixed64), field("an_sfixed32", 10, .sfixed32),
                field("an_sfixed64", 11, .sfixed64), field("a_float", 12, .float),
                field("a_double", 13, .double), field("a_string", 14, .string),
                field("some_bytes", 15, .bytes), field("a_color", 16, .enumeration, of: ".t.Color"),
                field("child", 17, .message, of: ".t.All"),
                field("numbers", 18, .int32, .repeated), field("names", 19, .string, .repeated),
                field("children", 20, .message, of: ".t.All", .repeated),
                field("counts", 21, .message, of: ".t.All.CountsEntry", .repeated),
                field("by_name", 22, .message, of: ".t.All.ByNameEntry", .repeated),
                field("one_text", 23, .string, oneof: 0), field("one_number", 24, .int32, oneof: 0),
                field("one_child", 25, .message, of: ".t.All", oneof: 0),
                field("colors", 26, .enumeration, of: ".t.Color", .repeated),
            ],
            nested: [
                entry("CountsEntry", key: .string, value: .int32),
                entry("ByNameEntry", key: .int64, value: .message, of: ".t.All"),
            ],
            oneofs: ["one"])
        let old = message(
            "Old",
            [
                field("id", 1, .int32, .required), field("shade", 2, .enumeration, of: ".o.Shade"),
                field("shades", 3, .enumeration, of: ".o.Shade", .repeated),
                field("port", 4, .int32, default: "50051"),
                field("item", 5, .group, of: ".o.Old.Item"), field("text", 6, .string),
                field("inner", 7, .message, of: ".o.Old"),
            ],
            nested: [message("Item", [field("number", 1, .int32)])], extensions: 100...199)
        return try Schema([
            file("all.proto", messages: [all], enums: [color]),
            file(
                "old.proto", package: "o", syntax: "proto2", messages: [old], enums: [shade],
                extensions: [
                    field("note", 100, .string, extending: ".o.Old"),
                    field("more", 101, .message, of: ".o.Old", extending: ".o.Old"),
                ]),
        ])
    }

    static func allMessage() throws -> DynamicMessage {
        DynamicMessage(try all().requiredMessage("t.All"))
    }
}
