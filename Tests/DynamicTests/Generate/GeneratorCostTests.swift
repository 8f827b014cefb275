import SwiftletDynamic
import SwiftletMessages
import TestSupport
import Testing

/// Schemas whose names need many searches to become names in Swift.
@Suite("Names of a large schema", .serialized, .timeLimit(.minutes(5)))
struct GeneratorCostTests {
    typealias File = Google.Protobuf.FileDescriptorProto

    private static let count = 1_000

    /// Names that differ, and are all the same in Swift, where underscores do not count.
    private static let equalNames = (0..<count).map { number in
        (0..<10).map { number >> $0 & 1 == 1 ? "a__" : "a_" }.joined() + "b"
    }
    /// Half of them are the same in Swift. The others are what these would be called, with numbers.
    private static let numberedNames = (0..<count).map { number in
        number < count / 2
            ? "aAaAaAaAaAaAaAaAaAb\(number)"
            : (0..<10).map { number >> $0 & 1 == 1 ? "a__" : "a_" }.joined() + "b"
    }
    /// As many bytes, on average.
    private static let honestNames = (0..<count).map { number in
        let digits = String(number)
        return "a" + String(repeating: "b", count: 25 - digits.utf8.count) + digits
    }

    private static func messages(_ names: [String]) -> File {
        .with { file in
            file.name = "a.proto"
            file.messageType = names.map { name in .with { $0.name = name } }
        }
    }

    private static func fields(_ names: [String]) -> File {
        .with { file in
            file.name = "a.proto"
            file.messageType = [
                .with {
                    $0.name = "M"
                    $0.field = names.enumerated().map { index, name in
                        .with {
                            $0.name = name
                            $0.number = Int32(index + 1)
                            $0.type = .int32
                            $0.label = .optional
                            $0.jsonName = "j\(index)"
                        }
                    }
                }
            ]
        }
    }

    private static func values(_ names: [String]) -> File {
        .with { file in
            file.name = "a.proto"
            file.enumType = [
                .with {
                    $0.name = "E"
                    $0.value = names.enumerated().map { index, name in
                        .with {
                            $0.name = name
                            $0.number = Int32(index)
                        }
                    }
                }
            ]
        }
    }

    private static func methods(_ names: [String]) -> File {
        .with { file in
            file.name = "a.proto"
            file.messageType = [.with { $0.name = "M" }]
            file.service = [
                .with {
                    $0.name = "S"
                    $0.method = names.map { name in
                        .with {
                            $0.name = name
                            $0.inputType = ".M"
                            $0.outputType = ".M"
                        }
                    }
                }
            ]
        }
    }

    private static func packages(_ names: [String]) -> [File] {
        names.enumerated().map { index, name in
            .with {
                $0.name = "\(index).proto"
                $0.package = name
            }
        }
    }

    private static let shapes: [(String, @Sendable ([String]) -> [File])] = [
        ("messages", { [messages($0)] }), ("fields", { [fields($0)] }),
        ("values of an enum", { [values($0)] }), ("methods", { [methods($0)] }),
        ("packages", { packages($0) }),
    ]

    @Test(
        "cost at most ten times as much as names that differ in Swift, also if they are equal there",
        arguments: shapes.indices, [false, true])
    func cost(shape: Int, isNumbered: Bool) throws {
        let (name, files) = Self.shapes[shape]
        let names = isNumbered ? Self.numberedNames : Self.equalNames
        func generate(_ names: [String]) throws -> () -> Void {
            let schema = try Schema(files(names))
            return {
                guard (try? SwiftGenerator().generate(schema)) != nil else {
                    preconditionFailure("not generated")
                }
            }
        }
        let ratio = ProcessorTime.ratio(
            of: try generate(names), to: try generate(Self.honestNames))
        #expect(ratio < CostlyText.maxRatio, "\(name): \(ratio)")
    }
    /// Messages with one oneof each, or one message with all of them.
    private static func oneofs(inOneMessage isOne: Bool) -> File {
        func message(_ names: [String], _ name: String) -> Google.Protobuf.DescriptorProto {
            .with {
                $0.name = name
                $0.oneofDecl = names.map { name in .with { $0.name = name } }
                $0.field = names.indices.map { index in
                    .with {
                        $0.name = "f\(index)"
                        $0.number = Int32(index + 1)
                        $0.type = .int32
                        $0.label = .optional
                        $0.jsonName = "f\(index)"
                        $0.oneofIndex = Int32(index)
                    }
                }
            }
        }
        let names = (0..<8_000).map { "o\($0)" }
        return .with { file in
            file.name = "a.proto"
            file.messageType =
                isOne
                ? [message(names, "M")]
                : names.enumerated().map { message([$1], "M\($0)") }
        }
    }

    @Test("A message with many oneofs costs at most ten times as much as many messages with one")
    func oneofs() throws {
        func generate(inOneMessage isOne: Bool) throws -> () -> Void {
            let schema = try Schema([Self.oneofs(inOneMessage: isOne)])
            return {
                guard (try? SwiftGenerator().generate(schema)) != nil else {
                    preconditionFailure("not generated")
                }
            }
        }
        let ratio = ProcessorTime.ratio(
            of: try generate(inOneMessage: true), to: try generate(inOneMessage: false))
        #expect(ratio < CostlyText.maxRatio, "\(ratio)")
    }
}
