import SwiftletMessages
import Testing

@testable import SwiftletCompiler

@Suite("The options of a hostile .proto file", .timeLimit(.minutes(5)))
struct OptionCostTests {
    private let start = """
        syntax = "proto2"; import "google/protobuf/descriptor.proto";

        """

    private func ranges(_ count: Int, options: Int, repeats: Int = 1) -> String {
        let ranges = (0..<count).map { "\(2 * $0 + 1)" }.joined(separator: ",")
        let list = (0..<options).map { "(o).a = \($0)" }.joined(separator: ",")
        let messages = (0..<repeats).map {
            "message R\($0) {\n  extensions \(ranges) [\(list)];\n}\n"
        }
        return start + "message L { repeated int32 a = 1; }\n"
            + "extend google.protobuf.ExtensionRangeOptions { optional L o = 50000; }\n"
            + messages.joined()
    }

    @Test(
        "of many ranges are refused when their copies are too large",
        arguments: [(8_000, 1), (250, 60)])
    func ranges(count: Int, repeats: Int) throws {
        let source = ranges(count, options: count, repeats: repeats)
        let error = try #require(throws: ProtoCompilationError.self) {
            try ProtoCompiler().compile(source: source)
        }
        let first = try #require(error.diagnostics.first)
        #expect(first.message.contains("repeated for each of its \(count) ranges"))
        #expect(first.line >= 5)
        #expect(first.column > 10)
    }

    @Test("are copied to each range of a statement")
    func copies() throws {
        let set = try ProtoCompiler().compile(source: ranges(50, options: 50))
        let message = try #require(set.file.last?.messageType.last)
        #expect(message.extensionRange.count == 50)
        for range in message.extensionRange {
            #expect(range.options == message.extensionRange[0].options)
            #expect(range.options?.unknownFields.isEmpty == false)
        }
    }

    @Test("whose values have many messages do not search all fields of each message")
    func required() throws {
        let fields = (2..<18_000).map { "optional int32 f\($0) = \($0);" }.joined()
        let source =
            start + "message X { \(fields) }\nmessage L { repeated X x = 1; }\n"
            + "extend google.protobuf.FileOptions { optional L o = 50000; }\n"
            + "option (o) = { " + String(repeating: "x{}", count: 50_000) + " };"
        #expect(throws: Never.self) { try ProtoCompiler().compile(source: source) }
    }

    @Test(
        "need the required fields of their messages",
        arguments: [
            "required int32 r = 1;", "optional int32 r = 1; required int32 s = 2;",
        ])
    func missing(fields: String) throws {
        let source =
            start + "message X { \(fields) }\n"
            + "extend google.protobuf.FileOptions { optional X o = 50000; }\noption (o) = { };"
        let error = try #require(throws: ProtoCompilationError.self) {
            try ProtoCompiler().compile(source: source)
        }
        #expect(error.description.contains("the required field 'X."))
    }

    @Test("are recorded once for each part of a name")
    func tree() {
        var tree = OptionTree()
        let path = [8, 50_000] + [Int32](repeating: 1, count: 1_000)
        tree.insert(path)
        #expect(tree.count == path.count)
        tree.insert(path + [2])
        tree.insert(Array(path.prefix(500)))
        #expect(tree.count == path.count + 1)
        #expect(tree.contains(Array(path.prefix(700))))
        #expect(!tree.contains(path + [1]))
    }

    @Test("in a value are recorded below the option")
    func graft() {
        var inner = OptionTree()
        let child = inner.insert(3, in: .root)
        _ = inner.insert(4, in: child)
        var tree = OptionTree()
        tree.insert([8, 1, 3])
        tree.insert(inner, at: [8, 1])
        #expect(tree.count == 4)
        #expect(tree.contains([8, 1, 3, 4]))
        #expect(!tree.contains([8, 1, 4]))
    }

    @Test(
        "that are set in a value and again by name are refused",
        arguments: [
            ("option (o) = { n { a: 1 } };", "option (o).n.a = 2;", false),
            ("option (o).n.a = 2;", "option (o) = { n { a: 1 } };", false),
            ("option (o) = { n { a: 1 } };", "option (o).n.b = 2;", true),
            ("option (o).n.a = 2;", "option (o).n.b = 2;", true),
            ("option (o).n.a = 2;", "option (o).n.a = 2;", false),
            ("option (o) = { l { a: 1 } };", "option (o).b = 2;", true),
        ])
    func twice(first: String, second: String, isLegal: Bool) throws {
        let source =
            start + "message N { optional N n = 1; optional int32 a = 2; optional int32 b = 3;"
            + " repeated N l = 4; }\n"
            + "extend google.protobuf.FileOptions { optional N o = 50000; }\n\(first) \(second)"
        guard !isLegal else {
            #expect(throws: Never.self) { try ProtoCompiler().compile(source: source) }
            return
        }
        let error = try #require(throws: ProtoCompilationError.self) {
            try ProtoCompiler().compile(source: source)
        }
        #expect(error.description.contains("is set twice"))
    }

    @Test("are added to a list that is not copied for each of them")
    func append() {
        var options: Google.Protobuf.FileOptions?
        var moves = 0
        var address: UInt = 0
        for index in 0..<10_000 {
            options.append(.with { $0.positiveIntValue = UInt64(index) })
            // Safe: the address is only compared.
            let new = unsafe options?.uninterpretedOption.withUnsafeBufferPointer {
                UInt(bitPattern: $0.baseAddress)
            }
            if new != address { moves += 1 }
            address = new ?? 0
        }
        #expect(options?.uninterpretedOption.count == 10_000)
        #expect(moves < 30)
    }
}
