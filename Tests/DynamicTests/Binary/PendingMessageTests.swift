import SwiftletDynamic
import SwiftletMessages
import Testing

/// The fields of an inner message are checked when the outer message is decoded, and read at their first use.
@Suite("A message inside a decoded message")
struct PendingMessageTests {
    /// Bytes of `t.All` with fields of all shapes, and with unknown fields.
    private static let parts: [[UInt8]] = [
        [0x08, 1], [0x10, 5], [0x10, 0x80], [0x72, 2, 0x68, 0x69], [0x72, 2, 0xc3, 0xa9],
        [0x72, 1, 0xff], [0x72, 9, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0xff],
        [0x7a, 1, 0xff], [0x45, 1, 0, 0, 0], [0x59, 1, 0, 0, 0, 0, 0, 0, 0],
        [0x92, 1, 2, 1, 2], [0x92, 1, 2, 1, 0x80], [0x90, 1, 3], [0x9a, 1, 1, 0x61],
        [0x8a, 1, 2, 0x08, 1], [0x8a, 1, 1, 0x10], [0x8a, 1, 0],
        [0xa2, 1, 2, 0x10, 1, 0xa2, 1, 0], [0xa2, 1, 3, 0x8a, 1, 9],
        [0xaa, 1, 5, 0x0a, 1, 0x61, 0x10, 3], [0xaa, 1, 3, 0x0a, 1, 0xff], [0xaa, 1, 0],
        [0xb2, 1, 6, 0x08, 1, 0x12, 2, 0x08, 1], [0xb2, 1, 4, 0x12, 2, 0x10, 0x80],
        [0xb2, 1, 8, 0x12, 2, 0x08, 1, 0x12, 2, 0x10, 7], [0xba, 1, 1, 0x61], [0xc0, 1, 7],
        [0xd2, 1, 2, 1, 9], [0xa2, 6, 1, 9], [0xa3, 6, 0x08, 1, 0xa4, 6], [0x0c], [0x00, 0],
        [0x80, 0], [0xff], [0x0b, 0x08, 1, 0x0c],
    ]

    /// Bytes of which some are a message.
    private static var samples: [[UInt8]] {
        var samples = parts
        for first in parts { samples += parts.map { first + $0 } }
        let all = parts.prefix(2).flatMap { $0 } + parts[14] + parts[17] + parts[19] + parts[22]
        samples += all.indices.map { Array(all[..<$0]) }
        for index in all.indices {
            for byte in [0, 1, 0x7f, 0x80, 0xff] as [UInt8] {
                var changed = all
                changed[index] = byte
                samples.append(changed)
            }
        }
        return samples
    }

    /// The message in field 17, `child`.
    private static func wrapped(_ bytes: [UInt8]) -> [UInt8] {
        precondition(bytes.count < 128)
        return [0x8a, 1, UInt8(bytes.count)] + bytes
    }

    @Test("equals the message that is decoded from its bytes alone, or fails like it")
    func likeOutside() throws {
        let schema = try TestSchema.all().requiredMessage("t.All")
        var failures = 0
        for bytes in Self.samples {
            var alone = DynamicMessage(schema)
            var error: WireError?
            do throws(WireError) { try alone.merge(ContiguousArray(bytes).span) } catch let caught {
                error = caught
                failures += 1
            }
            var outer = DynamicMessage(schema)
            var outerError: WireError?
            do throws(WireError) {
                try outer.merge(ContiguousArray(Self.wrapped(bytes)).span)
            } catch {
                outerError = error
            }
            let expected = error.map {
                WireError($0.reason, offset: $0.offset + 3, path: [17] + $0.path)
            }
            #expect(outerError == expected, "\(bytes)")
            // The fields that were read before the error are kept.
            #expect(try outer.get("child") == .message(alone), "\(bytes)")
            #expect(try outer.has("child"))
        }
        #expect(failures > 100)
    }

    @Test(
        "equals the message from its bytes alone in proto2, with groups, extensions and required fields"
    )
    func proto2() throws {
        let schema = try TestSchema.all().requiredMessage("o.Old")
        let parts: [[UInt8]] = [
            [0x08, 1], [0x10, 2, 0x10, 9], [0x1a, 3, 1, 9, 2], [0x18, 9], [0x32, 1, 0xff],
            [0x2b, 0x08, 5, 0x2c], [0x2b, 0x08, 5], [0xa2, 6, 1, 0x61], [0xa2, 6, 1, 0xff],
            [0xaa, 6, 2, 0x08, 1], [0x3a, 2, 0x08, 1], [0x3a, 0],
        ]
        for first in parts {
            for second in parts {
                let bytes = first + second
                let alone = Result { () throws(WireError) in
                    try DynamicMessage(decoding: bytes, as: schema, allowsPartial: true)
                }
                let inner = Result { () throws(WireError) in
                    let outer = try DynamicMessage(
                        decoding: [0x08, 1, 0x3a, UInt8(bytes.count)] + bytes, as: schema,
                        allowsPartial: true)
                    guard case .message(let inner) = try? outer.get("inner") else { return outer }
                    return inner
                }
                switch (alone, inner) {
                case (.success(let one), .success(let other)):
                    #expect(one == other, "\(bytes)")
                    #expect(one.unknownFields == other.unknownFields)
                    // Decoding the outer message fails exactly when the inner message lacks a required field.
                    let isComplete = (try? one.checkRequired()) != nil
                    let whole = try? DynamicMessage(
                        decoding: [0x08, 1, 0x3a, UInt8(bytes.count)] + bytes, as: schema)
                    #expect((whole != nil) == isComplete, "\(bytes)")
                case (.failure(let one), .failure(let other)):
                    #expect(one.reason == other.reason)
                    #expect(one.offset + 4 == other.offset)
                    #expect([7] + one.path == other.path)
                default: Issue.record("\(bytes) fails in one of two places")
                }
            }
        }
    }

    @Test("reads the entries of a map as such, even if a descriptor calls them a message set")
    func entriesOfMessageSet() throws {
        var entry = TestSchema.entry("ByNameEntry", key: .string, value: .int32)
        entry.options?.messageSetWireFormat = true
        let message = TestSchema.message(
            "M",
            [
                TestSchema.field("child", 1, .message, of: ".t.M"),
                TestSchema.field("by_name", 2, .message, of: ".t.M.ByNameEntry", .repeated),
            ], nested: [entry])
        let schema = try Schema([TestSchema.file("t.proto", messages: [message])])
            .requiredMessage("t.M")
        let good: [UInt8] = [0x0a, 7, 0x12, 5, 0x0a, 1, 0x61, 0x10, 3]
        let read = try DynamicMessage(decoding: good, as: schema)
        guard case .message(let child) = try read.get("child") else {
            Issue.record("not a message")
            return
        }
        #expect(try child.get("by_name") == .map(["a": .int32(3)]))
        // The inner message is checked when the outer one is decoded.
        #expect(throws: WireError(.invalidUTF8, offset: 6, path: [1, 2, 1])) {
            try DynamicMessage(decoding: [0x0a, 5, 0x12, 3, 0x0a, 1, 0xff], as: schema)
        }
    }

    @Test("changes without an effect on its copies")
    func change() throws {
        let schema = try TestSchema.all().requiredMessage("t.All")
        let bytes: [UInt8] =
            [0x8a, 1, 4, 0x08, 1, 0x10, 5]
            + [0xa2, 1, 2, 0x10, 1, 0xa2, 1, 5, 0x8a, 1, 2, 0x08, 1]
        let message = try DynamicMessage(decoding: bytes, as: schema)
        let copy = message
        guard case .message(var child) = try message.get("child"),
            case .list(let children) = try message.get("children"), children.count == 2,
            case .message(var second) = children[1],
            case .message(var grandchild) = try second.get("child")
        else {
            Issue.record("the messages are missing")
            return
        }
        let sameChild = child
        try child.set("an_int32", 6)
        try child.clear("a_bool")
        try grandchild.set("a_string", "new")
        try second.set("child", .message(grandchild))
        #expect(try sameChild.get("an_int32") == .int32(5))
        #expect(message == copy)
        #expect(try message.encoded() == bytes)
        var changed = message
        try changed.set("child", .message(child))
        try changed.set("children", .list([children[0], .message(second)]))
        #expect(
            try changed.encoded() == [0x8a, 1, 2, 0x10, 6, 0xa2, 1, 2, 0x10, 1, 0xa2, 1, 10]
                + [0x8a, 1, 7, 0x08, 1, 0x72, 3] + Array("new".utf8))
        #expect(try message.encoded() == bytes)
        // A merge changes `merged`, but not the message of which it is a copy.
        var merged = message
        try merged.merge(ContiguousArray<UInt8>([0x8a, 1, 2, 0x10, 7]).span)
        #expect(try merged.encoded() == [0x8a, 1, 4, 0x08, 1, 0x10, 7] + bytes[7...])
        #expect(try message.encoded() == bytes)
    }

    @Test("keeps or drops unknown fields as the outermost message does")
    func unknownFields() throws {
        let schema = try TestSchema.all().requiredMessage("t.All")
        let bytes: [UInt8] = [0x8a, 1, 8, 0x8a, 1, 5, 0xa2, 6, 2, 9, 9]
        let message = try DynamicMessage(decoding: bytes, as: schema)
        #expect(try message.encoded() == bytes)
        let dropped = try DynamicMessage(
            decoding: bytes, as: schema, options: DecodingOptions(keepsUnknownFields: false))
        #expect(try dropped.encoded() == [0x8a, 1, 3, 0x8a, 1, 0])
    }

    @Test("can be read by many tasks at the same time")
    func tasks() async throws {
        let schema = try TestSchema.all().requiredMessage("t.All")
        var bytes: [UInt8] = []
        for index in 1...100 as ClosedRange<UInt8> {
            bytes += [0xa2, 1, 9, 0x10, index, 0x8a, 1, 4, 0x08, 1, 0x10, index]
        }
        for _ in 0..<20 {
            let message = try DynamicMessage(decoding: bytes, as: schema)
            let expected = bytes
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<4 { group.addTask { try message.encoded() == expected } }
                for try await isEqual in group { #expect(isEqual) }
            }
        }
    }

    @Test("is read and released when it is nested deeply", arguments: [100, 1_000])
    func deep(depth: Int) throws {
        let schema = try TestSchema.all().requiredMessage("t.All")
        var bytes: [UInt8] = [0x08, 1]
        for _ in 0..<depth {
            var length = [UInt8(bytes.count & 0x7f)]
            if bytes.count > 0x7f { length = [length[0] | 0x80, UInt8(bytes.count >> 7)] }
            bytes = [0x8a, 1] + length + bytes
        }
        var message = try DynamicMessage(
            decoding: bytes, as: schema, options: DecodingOptions(maxDepth: depth))
        #expect(throws: WireError.self) {
            try DynamicMessage(
                decoding: bytes, as: schema, options: DecodingOptions(maxDepth: depth - 1))
        }
        let whole = message
        #expect(try whole.encoded() == bytes)
        var count = 0
        while case .message(let child) = try message.get("child"), try message.has("child") {
            message = child
            count += 1
        }
        #expect(count == depth)
        #expect(try message.get("a_bool") == .bool(true))
    }

    @Test(
        "fails at the innermost level, keeps the levels above, and reads no level twice",
        arguments: [("t.All", "child", 17), ("o.Old", "inner", 7)] as [(String, String, UInt32)])
    func deepFailure(type: String, field: String, number: UInt32) throws {
        let schema = try TestSchema.all().requiredMessage(type)
        let tag: [UInt8] = number == 17 ? [0x8a, 1] : [0x3a]
        var bytes: [UInt8] = [0x08, 1, 0x10]
        for _ in 0..<40 { bytes = tag + [UInt8(bytes.count)] + bytes }
        var message = DynamicMessage(schema)
        #expect(
            throws: WireError(
                .truncated, offset: bytes.count, path: Array(repeating: number, count: 40) + [2])
        ) { try message.merge(ContiguousArray(bytes).span) }
        for _ in 0..<40 {
            guard case .message(let child) = try message.get(field) else {
                Issue.record("not a message")
                return
            }
            message = child
        }
        #expect(message.presentFields.map(\.field.number) == [1])
    }
}
