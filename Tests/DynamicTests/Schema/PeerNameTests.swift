import SwiftletDynamic
import SwiftletMessages
import TestSupport
import Testing

/// Names in descriptors and in source, which a server may send through reflection.
@Suite("Names of a peer")
struct PeerNameTests {
    typealias File = Google.Protobuf.FileDescriptorProto

    private static let marks = "a" + String(repeating: "\u{301}\u{316}", count: 8_000)

    private static func answer(_ files: [File]) -> SchemaFetch.Response {
        var response = SchemaFetch.Response()
        response.messageResponse = .fileDescriptorResponse(
            .init(fileDescriptorProto: files.map { $0.encoded() }))
        return response
    }

    @Test("are refused by a fetch if they are no keys: files, imports and services")
    func fetch() throws {
        for file in [
            File.with { $0.name = Self.marks },
            File.with {
                $0.name = "a.proto"
                $0.dependency = [Self.marks]
            },
        ] {
            var fetch = SchemaFetch(symbols: ["a.B"])
            _ = fetch.next()
            let error = #expect(throws: SchemaError.self) { try fetch.receive(Self.answer([file])) }
            #expect(error?.message.contains("combining marks") == true, "\(error as Any)")
        }
        var fetch = SchemaFetch.allServices()
        _ = fetch.next()
        var response = SchemaFetch.Response()
        response.messageResponse = .listServicesResponse(
            .init(service: [.init(name: Self.marks)]))
        #expect(throws: SchemaError.self) { try fetch.receive(response) }
    }

    @Test("are refused by a schema: of files, in JSON, and of types")
    func schema() {
        let field = Google.Protobuf.FieldDescriptorProto.with {
            $0.name = "a"
            $0.number = 1
            $0.type = .string
        }
        let files: [File] = [
            .with { $0.name = Self.marks },
            .with {
                $0.name = "a.proto"
                $0.dependency = [Self.marks]
            },
            .with { file in
                var field = field
                field.jsonName = Self.marks
                file.name = "a.proto"
                file.messageType = [
                    .with {
                        $0.name = "M"
                        $0.field = [field]
                    }
                ]
            },
            .with {
                $0.name = "a.proto"
                $0.messageType = [.with { $0.name = Self.marks }]
            },
            .with {
                $0.name = "a.proto"
                $0.package = String(Self.marks.unicodeScalars.prefix(200))
            },
        ]
        for file in files { #expect(throws: SchemaError.self) { try Schema([file]) } }
    }

    @Test("are refused by the compiler: imports and names in JSON")
    func source() {
        for source in [
            "syntax = \"proto3\"; import \"\(Self.marks)\";",
            "syntax = \"proto3\"; message M { int32 a = 1 [json_name = \"\(Self.marks)\"]; }",
            "syntax = \"proto3\"; message \(Self.marks) {}",
        ] {
            #expect(throws: (any Error).self) { try ProtoCompiler().compile(source: source) }
        }
    }

    @Test("cost a schema as much as their number: weak imports that are missing")
    func weakImports() throws {
        func file(_ count: Int) -> File {
            .with {
                $0.name = "a.proto"
                $0.dependency = (0..<count).map { "\($0).proto" }
                $0.weakDependency = (0..<Int32(count)).map { $0 }
            }
        }
        let (small, large) = (file(500), file(20_000))
        // 40 times the size: 40 times the cost if it is linear, and 1,600 times if it is quadratic.
        let ratio = ProcessorTime.ratio(
            of: { _ = try? Schema([large]) }, to: { _ = try? Schema([small]) })
        #expect(ratio < 400, "\(ratio)")
    }
}
