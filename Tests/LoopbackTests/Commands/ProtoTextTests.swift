import Swiftlet
import SwiftletDynamic
import Testing

@testable import SwiftletCLI

@Suite("A description")
struct ProtoTextTests {
    private typealias Location = Google.Protobuf.SourceCodeInfo.Location

    @Test("of a message whose field has the encoding of a group does not contain that message")
    func delimited() throws {
        let source = """
            edition = "2023";
            message Node {
              Node child = 1 [features.message_encoding = DELIMITED];
              Other other = 2 [features.message_encoding = DELIMITED];
            }
            message Other {}
            """
        let files = try ProtoCompiler(reading: { $0 == "n.proto" ? Array(source.utf8) : nil })
            .compile(["n.proto"])
        let schema = try Schema(files)
        let node = try schema.requiredMessage("Node")
        #expect(
            try ProtoText.text(of: [.message(node)], in: schema) == """
                message Node {
                  Node child = 1 [features.message_encoding = DELIMITED];
                  Other other = 2 [features.message_encoding = DELIMITED];
                }

                """)
    }

    private static func makeSchema() throws -> Schema {
        try Schema([
            .with { file in
                file.name = "shop.proto"
                file.package = "shop"
                file.syntax = "proto3"
                file.messageType = [item]
                file.service = [
                    .with { service in
                        service.name = "Cart"
                        service.method = [
                            .with { method in
                                method.name = "Watch"
                                method.inputType = ".shop.Item"
                                method.outputType = ".shop.Item"
                                method.serverStreaming = true
                            }
                        ]
                    }
                ]
                file.sourceCodeInfo = .with { info in
                    info.location = [
                        comment(at: [6, 0], " A cart.\n\n For a day. \n", nil),
                        comment(at: [6, 0, 2, 0], nil, " in order\n"),
                        comment(at: [4, 0, 2, 0], " Its name.\n", " Never empty.\n Unique.\n"),
                    ]
                }
            }
        ])
    }

    private static var item: Google.Protobuf.DescriptorProto {
        .with { item in
            item.name = "Item"
            item.field = [
                field("name", 1, .string),
                .with { field in
                    field = Self.field("kind", 2, .enumeration)
                    field.typeName = ".shop.Item.Kind"
                    field.label = .repeated
                },
                .with { field in
                    field = Self.field("more", 3, .message)
                    field.typeName = ".shop.Item"
                    field.oneofIndex = 0
                },
            ]
            item.oneofDecl = [.with { $0.name = "rest" }]
            item.enumType = [
                .with { kind in
                    kind.name = "Kind"
                    kind.value = [
                        .with {
                            $0.name = "NONE"
                            $0.number = 0
                        }
                    ]
                }
            ]
        }
    }

    private static func field(
        _ name: String, _ number: Int32, _ type: Google.Protobuf.FieldDescriptorProto.FieldType
    ) -> Google.Protobuf.FieldDescriptorProto {
        .with { field in
            field.name = name
            field.number = number
            field.type = type
            field.label = .optional
        }
    }

    private static func comment(
        at path: [Int32], _ leading: String?, _ trailing: String?
    ) -> Location {
        .with { location in
            location.path = path
            location.leadingComments = leading
            location.trailingComments = trailing
        }
    }

    @Test("of a service has its comments, before the declaration and after it")
    func service() throws {
        let schema = try Self.makeSchema()
        let symbol = try SchemaSymbol("shop.Cart", in: schema)
        #expect(
            try ProtoText.text(of: [symbol], in: schema) == """
                // A cart.
                //
                // For a day.
                service Cart {
                  rpc Watch(Item) returns (stream Item);  // in order
                }

                """)
    }

    @Test("of a file with CRLF has one line for each line of a comment")
    func lineEnds() throws {
        let source = "syntax = 'proto3';\r\n// One.\r\n//\r\n// Two. \r\nmessage M {}\r\n"
        let schema = try Schema(ProtoCompiler().compile(source: source))
        #expect(
            try ProtoText.text(of: [.message(schema.requiredMessage("M"))], in: schema)
                == "// One.\n//\n// Two.\nmessage M {\n}\n")
    }

    @Test("of a message has its oneofs and enums, and names without their scope")
    func message() throws {
        let schema = try Self.makeSchema()
        let symbol = try SchemaSymbol("shop.Item", in: schema)
        #expect(
            try ProtoText.text(of: [symbol], in: schema) == """
                message Item {
                  // Its name.
                  string name = 1;
                  // Never empty.
                  // Unique.

                  repeated Kind kind = 2;
                  oneof rest {
                    Item more = 3;
                  }
                  enum Kind {
                    NONE = 0;
                  }
                }

                """)
    }

    @Test("of a message as JSON ends where the message contains itself")
    func template() throws {
        let message = try Self.makeSchema().requiredMessage("shop.Item")
        #expect(
            JSONTemplate.text(for: message) == """
                {
                  "name": "",
                  "kind": ["NONE"],
                  "more": {}
                }
                """)
    }

    @Test("of messages that refer to each other in many ways as JSON has a limited size")
    func templateSize() throws {
        // Each message has ten fields of the next one, so there are 10^8 paths to the last.
        let messages = (0..<9).map { level in
            Google.Protobuf.DescriptorProto.with { message in
                message.name = "M\(level)"
                message.field = (1...10).map { number in
                    .with { field in
                        field.name = "f\(number)"
                        field.number = Int32(number)
                        field.label = .optional
                        field.type = level < 8 ? .message : .int32
                        field.typeName = level < 8 ? ".M\(level + 1)" : nil
                    }
                }
            }
        }
        let schema = try Schema([
            .with {
                $0.name = "many.proto"
                $0.messageType = messages
            }
        ])
        let template = JSONTemplate.text(for: try schema.requiredMessage("M0"))
        #expect(template.utf8.count < 1_000_000)
    }
}
