// Frames and header blocks as bytes, written without the engine's encoders. If server and client
// shared this code, a mistake in it would not be found.

/// Encodes a frame. Its header need not match its payload.
package enum RawFrame {
    package static let data: UInt8 = 0
    package static let headers: UInt8 = 1
    package static let priority: UInt8 = 2
    package static let resetStream: UInt8 = 3
    package static let settings: UInt8 = 4
    package static let pushPromise: UInt8 = 5
    package static let ping: UInt8 = 6
    package static let goAway: UInt8 = 7
    package static let windowUpdate: UInt8 = 8
    package static let continuation: UInt8 = 9

    package static let endStream: UInt8 = 0x1
    package static let acknowledgement: UInt8 = 0x1
    package static let endHeaders: UInt8 = 0x4
    package static let padded: UInt8 = 0x8
    package static let hasPriority: UInt8 = 0x20

    /// - Parameter length: The length in the frame's header; by default, the length of the payload.
    package static func bytes(
        _ type: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: [UInt8] = [],
        length: Int? = nil
    ) -> [UInt8] {
        let length = UInt32(truncatingIfNeeded: length ?? payload.count)
        return bigEndian(length).dropFirst() + [type, flags] + bigEndian(stream) + payload
    }

    package static func bigEndian(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    package static func settings(_ entries: [(UInt16, UInt32)]) -> [UInt8] {
        bytes(
            settings,
            entries.flatMap { identifier, value in
                [UInt8(identifier >> 8), UInt8(identifier & 0xff)] + bigEndian(value)
            })
    }

    package static func reset(_ stream: UInt32, _ code: UInt32) -> [UInt8] {
        bytes(resetStream, stream: stream, bigEndian(code))
    }

    package static func goAway(last: UInt32, _ code: UInt32, _ debugData: String = "") -> [UInt8] {
        bytes(goAway, bigEndian(last) + bigEndian(code) + Array(debugData.utf8))
    }

    package static func windowUpdate(_ stream: UInt32, _ increment: UInt32) -> [UInt8] {
        bytes(windowUpdate, stream: stream, bigEndian(increment))
    }
}

/// Header blocks without compression: every field a literal with a literal name (RFC 7541 §6.2.2),
/// no Huffman code, no table.
package enum RawHPACK {
    package typealias Field = (name: String, value: String)

    package static func block(_ fields: [Field]) -> [UInt8] {
        fields.flatMap { [0] + string(Array($0.name.utf8)) + string(Array($0.value.utf8)) }
    }

    /// A literal that enters the table (§6.2.1).
    package static func indexed(_ field: Field) -> [UInt8] {
        [0x40] + string(Array(field.name.utf8)) + string(Array(field.value.utf8))
    }

    private static func string(_ bytes: [UInt8]) -> [UInt8] {
        integer(bytes.count, prefixBits: 7, flags: 0) + bytes
    }

    /// Encodes an integer (§5.1).
    package static func integer(_ value: Int, prefixBits: Int, flags: UInt8) -> [UInt8] {
        let limit = 1 << prefixBits - 1
        guard value >= limit else { return [flags | UInt8(value)] }
        var bytes = [flags | UInt8(limit)]
        var rest = value - limit
        while rest >= 128 {
            bytes.append(UInt8(rest & 127) | 128)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
        return bytes
    }
}

/// Encodes a length-prefixed message. Its flag and its length need not match its body.
package enum RawPrefixed {
    package static func bytes(
        _ body: [UInt8], flag: UInt8 = 0, length: UInt32? = nil
    ) -> [UInt8] {
        [flag] + RawFrame.bigEndian(length ?? UInt32(body.count)) + body
    }
}
