import SwiftletMessages
import Testing

@Suite("Random bytes and messages")
struct RandomMessageTests {
    @Test("never make the decoder trap; accepted messages are the same after encoding and decoding")
    func noise() throws {
        var random = SplitMix64(seed: 1)
        let seed = Everything.random(using: &random).encoded()
        for _ in 0..<20_000 {
            var bytes = seed
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                let index = Int.random(in: bytes.indices, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[index] = .random(in: .min ... .max, using: &random)
                case 1: bytes.remove(at: index)
                default: bytes.insert(.random(in: .min ... .max, using: &random), at: index)
                }
            }
            guard let message = try? Everything(decoding: bytes) else { continue }
            let once = message.encoded(options: .deterministic)
            let again = try Everything(decoding: once)
            #expect(again.encoded(options: .deterministic) == once)
        }
    }

    @Test("are refused or decoded wherever they are cut off, and never make the decoder trap")
    func truncated() throws {
        var random = SplitMix64(seed: 3)
        for _ in 0..<4 {
            let bytes = Everything.random(using: &random).encoded()
            var understoodCount = 0
            // Starts at one byte, because an empty input is a valid message.
            for count in 1..<bytes.count {
                let part = Array(bytes[..<count])
                // A child keeps most fields as unknown fields.
                _ = try? Everything.Child(decoding: part)
                guard let message = try? Everything(decoding: part) else { continue }
                understoodCount += 1
                let once = message.encoded(options: .deterministic)
                #expect(try Everything(decoding: once) == message)
            }
            // A message decodes only if it is cut between two fields. Most cuts are inside a field.
            #expect(understoodCount > 0 && understoodCount < bytes.count / 2)
        }
    }

    @Test("are the same after encoding and decoding")
    func roundTrip() throws {
        var random = SplitMix64(seed: 2)
        for _ in 0..<500 {
            let message = Everything.random(using: &random)
            try #require(try Everything(decoding: message.encoded()) == message)
            try #require(
                try Everything(decoding: message.encoded(options: .deterministic).span) == message)
        }
    }
}

extension Everything {
    static func random(using random: inout SplitMix64, depth: Int = 0) -> Everything {
        func text() -> String {
            String(
                (0..<Int.random(in: 0..<40, using: &random)).map { _ in
                    "aé漢😀z ".randomElement(using: &random) ?? "a"
                })
        }
        func randomBytes() -> [UInt8] {
            (0..<Int.random(in: 0..<300, using: &random)).map { _ in
                .random(in: .min ... .max, using: &random)
            }
        }
        func some<T>(_ make: () -> T) -> [T] {
            (0..<Int.random(in: 0..<6, using: &random)).map { _ in make() }
        }
        func number<T: FixedWidthInteger>(_: T.Type = T.self) -> T {
            T(truncatingIfNeeded: random.next() >> UInt64.random(in: 0..<64, using: &random))
                &* (Bool.random(using: &random) ? 1 : 0 &- 1)
        }
        func child() -> Child { .with { ($0.id, $0.tags) = (number(), some(text)) } }
        return .with {
            $0.int32 = number()
            $0.int64 = number()
            $0.uint32 = number()
            $0.uint64 = number()
            $0.sint32 = number()
            $0.sint64 = number()
            $0.fixed32 = number()
            $0.fixed64 = number()
            $0.sfixed32 = number()
            $0.sfixed64 = number()
            $0.float = Float(number(Int32.self))
            $0.double = Double(number(Int64.self))
            $0.bool = .random(using: &random)
            $0.string = text()
            $0.bytes = randomBytes()
            $0.colour = .init(rawValue: number())
            if depth < 3, Bool.random(using: &random) {
                $0.again = .random(using: &random, depth: depth + 1)
            }
            $0.child = some(child).first
            $0.optionalInt32 = some { number(Int32.self) }.first
            $0.optionalString = some(text).first
            $0.optionalBytes = some(randomBytes).first
            $0.optionalBool = some { Bool.random(using: &random) }.first
            $0.optionalColour = some { Colour(rawValue: number()) }.first
            $0.int32s = some { number(Int32.self) }
            $0.sint64s = some { number(Int64.self) }
            $0.doubles = some { Double(number(Int64.self)) }
            $0.bools = some { Bool.random(using: &random) }
            $0.colours = some { Colour(rawValue: number()) }
            $0.unpacked = some { number(UInt32.self) }
            $0.strings = some(text)
            $0.byteLists = some(randomBytes)
            $0.children = some(child)
            for _ in 0..<Int.random(in: 0..<5, using: &random) { $0.names[number()] = text() }
            for _ in 0..<Int.random(in: 0..<3, using: &random) {
                $0.flags[.random(using: &random)] = child()
            }
            for _ in 0..<Int.random(in: 0..<5, using: &random) {
                $0.weights[text()] = Double(number(Int32.self))
            }
            for _ in 0..<Int.random(in: 0..<5, using: &random) {
                $0.shades[number()] = Colour(rawValue: number())
            }
            $0.choice =
                [.text(text()), .number(number()), .child(child()), nil]
                .randomElement(using: &random) ?? nil
            $0.group = some(child).first
            $0.groups = some(child)
        }
    }
}
