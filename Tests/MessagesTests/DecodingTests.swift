import SwiftletMessages
import Testing

@Suite("A decoder")
struct DecodingTests {
    @Test("accepts fields in any order, and uses the last one")
    func order() throws {
        let message = try Everything(decoding: [
            0x68, 1, 0x18, 7, 0x10, 5, 0x10, 6, 0x08, 1, 0x10, 9,
        ])
        #expect(
            message
                == .with {
                    $0.bool = true
                    $0.uint32 = 7
                    $0.int64 = 9
                    $0.int32 = 1
                })
    }

    @Test("merges a message that arrives in parts")
    func merge() throws {
        let message = try Everything(
            decoding: [
                0x8a, 1, 2, 8, 1, 0x8a, 1, 3, 0x12, 1, 0x61, 0x92, 1, 2, 8, 1, 0x92, 1, 2, 0x10, 2,
            ])
        #expect(message.child == .with { ($0.id, $0.tags) = (1, ["a"]) })
        #expect(message.again == .with { ($0.int32, $0.int64) = (1, 2) })
    }

    @Test("replaces the field of a oneof by another one, and merges parts of the same field")
    func choices() throws {
        let last = try Everything(decoding: [0x9a, 3, 1, 0x61, 0xa0, 3, 5])
        #expect(last.choice == .number(5))
        let merged = try Everything(decoding: [0xaa, 3, 2, 8, 1, 0xaa, 3, 3, 0x12, 1, 0x61])
        #expect(merged.choice == .child(.with { ($0.id, $0.tags) = (1, ["a"]) }))
        let replaced = try Everything(decoding: [
            0xaa, 3, 2, 8, 1, 0xa0, 3, 5, 0xaa, 3, 3, 0x12, 1, 0x61,
        ])
        #expect(replaced.choice == .child(.with { $0.tags = ["a"] }))
    }

    @Test("reads packed lists where unpacked ones are declared, and vice versa")
    func packing() throws {
        let message = try Everything(
            decoding: [0xa2, 2, 2, 1, 2, 0xa0, 2, 3, 0xf8, 1, 4, 0xfa, 1, 1, 5, 0xf8, 1, 6])
        #expect(message.unpacked == [1, 2, 3])
        #expect(message.int32s == [4, 5, 6])
    }

    @Test("uses the last entry of a key, and defaults for missing keys and values")
    func maps() throws {
        let message = try Everything(
            decoding: [
                0xca, 2, 5, 8, 1, 0x12, 1, 0x61, 0xca, 2, 5, 0x12, 1, 0x62, 8, 1, 0xca, 2, 0,
                0xd2, 2, 2, 8, 1, 0xca, 2, 4, 8, 3, 0x18, 9,
            ])
        #expect(message.names == [1: "b", 0: "", 3: ""])
        #expect(message.flags == [true: .init()])
    }

    @Test("takes key and value from the last of several entries whose keys are equal in Swift")
    func equalKeys() throws {
        func entry(_ key: String, _ value: UInt8) -> [UInt8] {
            let double: [UInt8] = [0x11, 0, 0, 0, 0, 0, 0, 0, value]
            let bytes = [0x0a, UInt8(key.utf8.count)] + key.utf8 + double
            return [0xda, 2, UInt8(bytes.count)] + bytes
        }
        let (composed, decomposed) = ("\u{e9}", "e\u{301}")
        for (first, last) in [(composed, decomposed), (decomposed, composed)] {
            let bytes = entry(first, 0x3f) + entry("a", 0x3f) + entry(last, 0x40)
            let message = try Everything(decoding: bytes)
            #expect(message.weights == [last: 2, "a": 0x1p-15])
            #expect(message.weights.keys.contains { $0.utf8.elementsEqual(last.utf8) })
            #expect(
                message.encoded(options: .deterministic) == entry("a", 0x3f) + entry(last, 0x40))
        }
    }

    @Test("makes room for entries of a map, but not for each that has the same key")
    func mapCapacity() throws {
        struct Names: Message {
            var names: [Int32: Int32] = [:]
            var unknownFields = UnknownFields()

            static let layout = Layout<Self> { field in
                field.map(1, \.names, .int32, .int32)
            }
        }
        let flood = [UInt8](repeatElement([0x0a, 0], count: 100_000).joined())
        let flooded = try Names(decoding: flood)
        #expect(flooded.names == [0: 0])
        #expect(flooded.names.capacity < 10_000)
        let full = Names.with { for key in 0..<20_000 { $0.names[Int32(key)] = 1 } }
        #expect(try Names(decoding: full.encoded()) == full)
    }

    @Test("drops the bits that do not fit into the 64 bits of a varint")
    func wideVarint() throws {
        let bytes = [0x20] + [UInt8](repeating: 0xff, count: 9) + [0x0d]
        #expect(try Everything(decoding: bytes) == .with { $0.uint64 = .max })
    }

    @Test("cuts an int32, a uint32 and an enum down to 32 bits")
    func narrowing() throws {
        let message = try Everything(
            decoding: [
                0x08, 0x81, 0x80, 0x80, 0x80, 0x10, 0x18, 0x82, 0x80, 0x80, 0x80, 0x20, 0x68, 0x80,
                2,
            ])
        #expect(message == .with { ($0.int32, $0.uint32, $0.bool) = (1, 2, true) })
    }

    @Test("cuts a sint32 down to 32 bits before it undoes the zigzag")
    func longZigZag() throws {
        // The varints are 2³² + 1 and 2³² + 2. Only their low 32 bits count: 1 and 2.
        let bytes: [UInt8] = [0x28, 0x81, 0x80, 0x80, 0x80, 0x10]
        #expect(try Everything(decoding: bytes).sint32 == -1)
        #expect(try Everything(decoding: [0x28, 0x82, 0x80, 0x80, 0x80, 0x10]).sint32 == 1)
    }

    struct GroupHolder: Message {
        struct Group: Message {
            var child: Everything.Child?
            var id: Int32 = 0
            var unknownFields = UnknownFields()

            static let layout = Layout<Self> { field in
                field.message(2, \.child)
                field.int32(3, \.id)
            }
        }

        var group: Group?
        var unknownFields = UnknownFields()

        static let layout = Layout<Self> { field in
            field.group(1, \.group)
        }
    }

    @Test("refuses the end of a group inside a message of that group")
    func groupEndInMessage() throws {
        #expect(throws: WireError(.unmatchedGroup, offset: 3, path: [1, 2])) {
            try GroupHolder(decoding: [0x0b, 0x12, 1, 0x0c, 0x18, 7, 0x0c])
        }
        let holder = try GroupHolder(decoding: [0x0b, 0x12, 2, 8, 5, 0x18, 7, 0x0c])
        #expect(holder.group?.child?.id == 5)
        #expect(holder.group?.id == 7)
    }

    @Test(
        "keeps unknown fields, and writes them again",
        arguments: [
            ("a varint", [0xd0, 1, 0x96, 1]), ("eight bytes", [0xd1, 1, 1, 2, 3, 4, 5, 6, 7, 8]),
            ("a length and bytes", [0xd2, 1, 2, 7, 7]), ("four bytes", [0xd5, 1, 1, 2, 3, 4]),
            ("a group in a group", [0xd3, 1, 0x0b, 8, 1, 0x0c, 0xd4, 1]),
            ("a known number of the wrong type", [0x0a, 1, 0x61]),
            ("a known text of the wrong type", [0x70, 1]),
            ("many of one kind", [0xd0, 1, 1, 0xd0, 1, 2, 0xd0, 1, 3, 0xd5, 1, 0, 0, 0, 0]),
        ] as [(String, [UInt8])])
    func unknown(_ name: String, _ bytes: [UInt8]) throws {
        let message = try Everything(decoding: bytes + [0x68, 1])
        #expect(message.bool)
        #expect(message.unknownFields.bytes == bytes)
        #expect(message.encoded() == [0x68, 1] + bytes)
        #expect(message.encoded(options: .init(keepsUnknownFields: false)) == [0x68, 1])
        let dropped = try Everything(
            decoding: bytes + [0x68, 1], options: .init(keepsUnknownFields: false))
        #expect(dropped == .with { $0.bool = true })
    }

    @Test("drops unknown fields if the message says so")
    func forgetful() throws {
        struct Forgetful: DropsUnknownFields {
            var id: Int32 = 0
            static let layout = Layout<Self> { field in
                field.int32(1, \.id)
            }
        }
        let message = try Forgetful(decoding: [0x10, 1, 8, 2])
        #expect(message.unknownFields.isEmpty)
        #expect(message.encoded() == [8, 2])
    }

    struct Broken: CustomTestStringConvertible {
        var testDescription: String
        var bytes: [UInt8]
        var error: WireError
        init(
            _ name: String, _ bytes: [UInt8], _ reason: WireError.Reason, _ offset: Int,
            _ path: [UInt32]
        ) {
            testDescription = name
            self.bytes = bytes
            error = WireError(reason, offset: offset, path: path)
        }
    }

    @Test(
        "refuses invalid bytes, and names the place",
        arguments: [
            Broken("a tag without a value", [8], .truncated, 1, [1]),
            Broken("half a varint", [8, 0x80], .truncated, 2, [1]),
            Broken("half a tag", [0x80], .truncated, 1, []),
            Broken(
                "eleven bytes of varint", [8] + [UInt8](repeating: 0x80, count: 10),
                .overlongVarint, 11, [1]),
            Broken("a tag of 33 bits", [0x88, 0x80, 0x80, 0x80, 0x10], .overlongVarint, 5, []),
            Broken(
                "a tag of 35 bits", [0x88, 0x80, 0x80, 0x80, 0x7f, 0], .overlongVarint, 5, []),
            Broken(
                "BadTag_OverlongVarint",
                [0x88, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0, 0xd2, 9], .overlongVarint, 9,
                []),
            Broken("field 0", [0, 0], .invalidTag, 0, []),
            Broken("field 0 behind another", [8, 1, 2, 0], .invalidTag, 2, []),
            Broken("the end of group 0", [8, 1, 4], .invalidTag, 2, []),
            Broken("wire type 6", [0x0e], .invalidTag, 0, []),
            Broken(
                "wire type 7 of the greatest number", [0xff, 0xff, 0xff, 0xff, 0x0f], .invalidTag,
                5, []),
            Broken("three bytes of four", [0x3d, 1, 2, 3], .truncated, 1, [7]),
            Broken("seven bytes of eight", [0x41, 1, 2, 3, 4, 5, 6, 7], .truncated, 1, [8]),
            Broken("a length beyond the end", [0x72, 3, 0x61, 0x62], .truncated, 2, [14]),
            Broken(
                "a length of 2^64 - 1", [0x72] + [UInt8](repeating: 0xff, count: 9) + [1],
                .truncated, 11, [14]),
            Broken(
                "a length of 2^63", [0x7a] + [UInt8](repeating: 0x80, count: 9) + [1], .truncated,
                11, [15]),
            Broken("text that is not UTF-8", [0x72, 1, 0xff], .invalidUTF8, 2, [14]),
            Broken("a surrogate", [0x72, 3, 0xed, 0xa0, 0x80], .invalidUTF8, 2, [14]),
            Broken(
                "half a letter in a message", [0x8a, 1, 3, 0x12, 1, 0xc3], .invalidUTF8, 5, [17, 2]),
            Broken(
                "a key that is not UTF-8", [0xda, 2, 3, 0x0a, 1, 0xff], .invalidUTF8, 5, [43, 1]),
            Broken("an entry beyond the end", [0xca, 2, 3, 0x0a], .truncated, 3, [41]),
            Broken("an entry without its length", [0xca, 2], .truncated, 2, [41]),
            Broken("an entry that ends in its key", [0xca, 2, 1, 8], .truncated, 4, [41, 1]),
            Broken(
                "an entry that ends in its value", [0xca, 2, 4, 8, 1, 0x12, 9], .truncated, 7,
                [41, 2]),
            Broken(
                "an entry whose message ends in a field", [0xd2, 2, 5, 8, 1, 0x12, 1, 8],
                .truncated, 8, [42, 2, 1]),
            Broken("half a tag in an entry", [0xca, 2, 1, 0x88], .truncated, 4, [41]),
            Broken("field 0 in an entry", [0xca, 2, 2, 0, 0], .invalidTag, 3, [41]),
            Broken(
                "a message that ends in a field", [0x8a, 1, 1, 8, 8, 1], .truncated, 4, [17, 1]),
            Broken(
                "a packed value that ends too late", [0xfa, 1, 1, 0x80, 1], .truncated, 4, [31]),
            Broken(
                "a packed double of four bytes", [0x8a, 2, 4, 0, 0, 0, 0], .truncated, 3, [33]),
            Broken("a group without an end", [0xeb, 3, 8, 1], .truncated, 4, [61]),
            Broken("an unknown group without an end", [0xcb, 1, 8, 1], .truncated, 4, [25]),
            Broken("half a tag in an unknown group", [0xcb, 1, 0x88], .truncated, 3, [25]),
            Broken("field 0 in an unknown group", [0xcb, 1, 0, 0], .invalidTag, 2, [25]),
            Broken(
                "half a tag in an unknown group in another", [0xcb, 1, 0x0b, 0x88], .truncated, 4,
                [25, 1]),
            Broken("an end without a group", [0xcc, 1], .unmatchedGroup, 0, []),
            Broken("another group's end", [0xeb, 3, 0xf4, 3], .unmatchedGroup, 2, [61]),
            Broken(
                "a group's end in a message in a group", [0xeb, 3, 0x12, 0, 0x0c], .unmatchedGroup,
                4, [61]),
            Broken("an unknown field without its value", [0xca, 1, 9, 1], .truncated, 3, [25]),
        ])
    func broken(_ each: Broken) {
        #expect(throws: each.error) { try Everything(decoding: each.bytes) }
    }

    /// The tag `byte`, in more bytes than it needs.
    private static func tag(_ byte: UInt8, byteCount: Int) -> [UInt8] {
        [byte | 0x80] + [UInt8](repeating: 0x80, count: byteCount - 2) + [0]
    }

    @Test("accepts a tag that is longer than needed", arguments: 2...5)
    func longTag(byteCount: Int) throws {
        let bytes = Self.tag(0x68, byteCount: byteCount) + [1]
        #expect(try Everything(decoding: bytes) == .with { $0.bool = true })
    }

    @Test("refuses a tag of more than five bytes, at any place", arguments: 6...10)
    func overlongTag(byteCount: Int) {
        let bytes = Self.tag(8, byteCount: byteCount) + [1]
        let nested = [0x8a, 1, UInt8(bytes.count)] + bytes
        for (start, bytes) in [
            (0, bytes), (3, nested), (2, [0xeb, 3] + bytes), (2, [0xcb, 1] + bytes),
        ] {
            let error = #expect(throws: WireError.self) { try Everything(decoding: bytes) }
            #expect(error?.reason == .overlongVarint)
            #expect(error?.offset == start + byteCount)
        }
    }

    @Test("accepts a hundred levels of messages, and more only if allowed")
    func depth() throws {
        func nest(_ depth: Int) -> [UInt8] {
            var message = Everything()
            for _ in 0..<depth { message = .with { $0.again = message } }
            return message.encoded()
        }
        #expect(try Everything(decoding: nest(100)).encoded() == nest(100))
        #expect {
            try Everything(decoding: nest(101))
        } throws: { ($0 as? WireError)?.reason == .tooDeep }
        #expect(try Everything(decoding: nest(150), options: .init(maxDepth: 150)).again != nil)
        let groups = [UInt8](repeating: 0x0b, count: 5000)
        #expect {
            try Everything.Child(decoding: groups)
        } throws: { ($0 as? WireError)?.reason == .tooDeep }
    }

    @Test("refuses more bytes than allowed before it reads them")
    func size() {
        #expect(throws: WireError(.tooLarge)) {
            try Everything(decoding: [0x68, 1, 0x68, 1], options: .init(maxByteCount: 3))
        }
    }

    @Test("describes the mistake and its place")
    func words() {
        #expect(
            "\(WireError(.invalidUTF8, offset: 5, path: [17, 2]))"
                == "a string is not UTF-8, at byte 5 in field 17.2")
    }

    @Test("describes the place briefly, however deep it is")
    func deepPath() {
        let near = WireError(.truncated, offset: 9, path: [1, 2, 3])
        #expect("\(near)" == "the bytes end inside a field, at byte 9 in field 1.2.3")
        let far = WireError(.tooDeep, offset: 9, path: (1...100).map { $0 })
        #expect(
            "\(far)" == "messages are nested too deeply, at byte 9 in field "
                + "1.2.3.4…97.98.99.100 (100 deep)")
    }

    @Test("refuses a key of a map with many combining marks, which would cost minutes to hash")
    func marksInKeys() throws {
        struct Labels: Message {
            var labels: [String: Int32] = [:]
            var unknownFields = UnknownFields()

            static let layout = Layout<Self> { field in
                field.map(1, \.labels, .string, .int32)
            }
        }
        func encoded(_ key: String) -> [UInt8] {
            let entry = [0x0a] + rawVarint(key.utf8.count) + Array(key.utf8) + [0x10, 1]
            return [0x0a] + rawVarint(entry.count) + entry
        }
        let hostile = "a" + String(repeating: "\u{301}\u{316}", count: 200_000)
        let error = #expect(throws: WireError.self) { try Labels(decoding: encoded(hostile)) }
        #expect(error?.reason == .invalidValue)
        #expect(error?.path == [1])
        // Long keys of a language, and runs of marks as they occur, are accepted.
        for key in [
            String(repeating: "a\u{301}\u{316}\u{302}", count: 3_000),
            String(repeating: "ё", count: 3_000),
            "a" + String(repeating: "\u{301}", count: 30),
        ] {
            #expect(try Labels(decoding: encoded(key)).labels == [key: 1])
        }
        let any = Google.Protobuf.AnyMessage.with { $0.typeURL = "x/" + hostile }
        #expect(!any.holds(Labels.self))
    }
}
