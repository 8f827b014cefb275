import SwiftletDynamic

/// The form of messages on the command line.
struct MessageFormat: Sendable {
    enum Name: String, CaseIterable {
        case json, text, binary
    }

    let name: Name
    /// Whether JSON includes fields that have their default.
    var emitsDefaults = false
    /// Whether JSON members that are not fields of the message are ignored. They are errors otherwise.
    var ignoresUnknownFields = false

    /// The printed bytes of a message.
    ///
    /// JSON and text end with a newline. In a stream, a line with the character U+001E separates texts, and
    /// the length of each binary message precedes it, as a varint.
    func output(_ message: DynamicMessage, isStream: Bool) throws -> [UInt8] {
        switch name {
        case .json:
            var json = try message.json(
                options: JSONWritingOptions(emitsDefaults: emitsDefaults, isIndented: true))
            if Terminal.hasColour { json = JSONColour.coloured(json) }
            return Array(json.utf8) + [UInt8(ascii: "\n")]
        case .text:
            return Array(message.text().utf8) + (isStream ? [0x1e, UInt8(ascii: "\n")] : [])
        case .binary:
            let bytes = try message.encoded()
            return isStream ? Self.varint(bytes.count) + bytes : bytes
        }
    }

    /// The bytes between messages that come from different sources.
    var separator: [UInt8] {
        switch name {
        case .json: [UInt8(ascii: "\n")]
        case .text: [0x1e]
        case .binary: []
        }
    }

    /// Reads one message.
    func input(_ bytes: [UInt8], as schema: MessageSchema) throws -> DynamicMessage {
        switch name {
        case .json:
            try DynamicMessage(
                json: bytes, as: schema,
                options: JSONReadingOptions(ignoresUnknownFields: ignoresUnknownFields))
        case .text: try DynamicMessage(text: bytes, as: schema)
        case .binary: try DynamicMessage(decoding: bytes, as: schema)
        }
    }

    private static func varint(_ value: Int) -> [UInt8] {
        var rest = UInt(value)
        var bytes: [UInt8] = []
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }
}
