import SwiftletDynamic
import SwiftletMessages
import Testing

/// Decoding into a message that already has fields uses other code than decoding into an empty message.
@Suite("Merging into a dynamic message")
struct MergingTests {
    /// A type with numbers far apart, and with a closed enum in a list and in a map.
    private static func sparse() throws -> MessageSchema {
        let tint = TestSchema.enumeration("Tint", [("ONE", 1), ("TWO", 2)])
        let wide = TestSchema.message(
            "Wide",
            [
                TestSchema.field("first", 1, .int32),
                TestSchema.field("tints", 2, .enumeration, of: ".s.Tint", .repeated),
                TestSchema.field("by_name", 3, .message, of: ".s.Wide.ByNameEntry", .repeated),
                TestSchema.field("at_255", 255, .int32), TestSchema.field("at_256", 256, .int32),
                TestSchema.field("many", 70_000, .int32, .repeated),
                TestSchema.field("below", 536_870_911, .message, of: ".s.Wide"),
            ],
            nested: [
                TestSchema.entry(
                    "ByNameEntry", key: .string, value: .enumeration, of: ".s.Tint")
            ])
        let file = TestSchema.file(
            "sparse.proto", package: "s", syntax: "proto2", messages: [wide], enums: [tint])
        return try Schema([file]).requiredMessage("s.Wide")
    }

    /// Parts of `t.All`: scalars, lists in both forms, a message, messages, maps, oneofs, unknown fields.
    private static let parts: [[UInt8]] = [
        [], [0x08, 1], [0x10, 5, 0x18, 0x96, 1], [0x10, 0], [0x72, 2, 0x68, 0x69],
        [0x92, 1, 2, 1, 2], [0x90, 1, 3, 0x90, 1, 4], [0x9a, 1, 1, 0x61, 0x9a, 1, 1, 0x62],
        [0x8a, 1, 2, 0x08, 1], [0x8a, 1, 5, 0x92, 1, 2, 7, 8], [0x8a, 1, 0],
        [0xa2, 1, 2, 0x10, 1, 0xa2, 1, 0], [0xaa, 1, 5, 0x0a, 1, 0x61, 0x10, 3],
        [0xaa, 1, 5, 0x0a, 1, 0x61, 0x10, 4, 0xaa, 1, 5, 0x0a, 1, 0x62, 0x10, 5],
        [0xba, 1, 1, 0x61], [0xc0, 1, 7], [0xa2, 6, 1, 9],
    ]

    @Test("has the result of decoding all parts at once, and changes no copy")
    func parts() throws {
        let schema = try TestSchema.all().requiredMessage("t.All")
        for first in Self.parts {
            for second in Self.parts {
                var merged = try DynamicMessage(decoding: first, as: schema)
                let copy = merged
                try merged.merge(ContiguousArray(second).span)
                let whole = try DynamicMessage(decoding: first + second, as: schema)
                #expect(merged == whole, "\(first) and \(second)")
                #expect(try copy == DynamicMessage(decoding: first, as: schema))
            }
        }
    }

    @Test("keeps the message valid, wherever a part is cut off")
    func cut() throws {
        let schema = try TestSchema.all().requiredMessage("t.All")
        let all = Self.parts.flatMap { $0 }
        let base = try DynamicMessage(decoding: all, as: schema)
        guard case .list(let numbers) = try base.get("numbers") else {
            Issue.record("not a list")
            return
        }
        var failures = 0
        for count in all.indices {
            var merged = base
            do {
                try merged.merge(ContiguousArray(all[..<count]).span)
            } catch {
                failures += 1
            }
            // The earlier values are kept, and the values that were added before the error are valid.
            guard case .list(let grown) = try merged.get("numbers") else {
                Issue.record("the list is gone after \(count) bytes")
                continue
            }
            #expect(grown.starts(with: numbers))
            #expect(try merged.get("an_int64") == .int64(150))
            let encoded = try merged.encoded(options: .deterministic)
            #expect(try DynamicMessage(decoding: encoded, as: schema) == merged)
        }
        #expect(failures > all.count / 3)
        #expect(try base == DynamicMessage(decoding: all, as: schema))
    }

    @Test("finds fields whose numbers are far apart")
    func farApart() throws {
        let schema = try Self.sparse()
        var message = DynamicMessage(schema)
        try message.set("at_256", 7)
        try message.set("at_255", 6)
        try message.set("many", [1, 2])
        var below = DynamicMessage(schema)
        try below.set("first", 5)
        try message.set("below", .message(below))
        let bytes = try message.encoded()
        #expect(try DynamicMessage(decoding: bytes, as: schema) == message)
        // A field with a lower number follows the one with the highest number.
        var merged = message
        try merged.merge(ContiguousArray(bytes + [0x08, 9]).span)
        #expect(try merged.get("first") == .int32(9))
        #expect(try merged.get("many") == .list([1, 2, 1, 2].map { .int32($0) }))
        #expect(try merged.get("at_256") == .int32(7))
        #expect(merged.presentFields.map(\.field.number) == [1, 255, 256, 70_000, 536_870_911])
    }

    @Test("keeps unknown values of a closed enum, in lists of both forms and in maps")
    func closedEnums() throws {
        let schema = try Self.sparse()
        var message = try DynamicMessage(decoding: [0x12, 3, 1, 9, 2], as: schema)
        #expect(try message.get("tints") == .list([.enumeration(1), .enumeration(2)]))
        #expect(message.unknownFields == [0x10, 9])
        try message.merge(ContiguousArray<UInt8>([0x10, 8, 0x10, 1, 0x12, 1, 7]).span)
        #expect(
            try message.get("tints") == .list([.enumeration(1), .enumeration(2), .enumeration(1)]))
        #expect(message.unknownFields == [0x10, 9, 0x10, 8, 0x10, 7])
        // The whole entry becomes an unknown field, because the map cannot store its value.
        let unknownEntry: [UInt8] = [0x1a, 5, 0x0a, 1, 0x61, 0x10, 9]
        try message.merge(
            ContiguousArray(unknownEntry + [0x1a, 5, 0x0a, 1, 0x62, 0x10, 2]).span)
        #expect(try message.get("by_name") == .map(["b": .enumeration(2)]))
        #expect(message.unknownFields == [0x10, 9, 0x10, 8, 0x10, 7] + unknownEntry)
        // A list whose elements are all unknown is absent.
        let absent = try DynamicMessage(decoding: [0x12, 1, 9], as: schema)
        #expect(try !absent.has("tints"))
        #expect(absent.unknownFields == [0x10, 9])
    }
}
