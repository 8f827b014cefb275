/// Builds protobuf's text format, a line for each field.
public struct TextWriter {
    enum Value {
        case scalar(String)
        case message([String])
    }

    var values: [Value] = []

    init() {}

    mutating func value(_ text: String) { values.append(.scalar(text)) }

    mutating func nested<M: Message>(_ message: M) {
        values.append(.message(Self.lines(of: message)))
    }

    /// Text keeps its letters; of octets only ASCII is shown as it is.
    mutating func quoted(_ octets: some Sequence<UInt8>, isText: Bool) {
        var text: [UInt8] = [UInt8(ascii: "\"")]
        for octet in octets {
            switch octet {
            case UInt8(ascii: "\n"): text += "\\n".utf8
            case UInt8(ascii: "\r"): text += "\\r".utf8
            case UInt8(ascii: "\t"): text += "\\t".utf8
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): text += [UInt8(ascii: "\\"), octet]
            case 0x20..<0x7f: text.append(octet)
            case 0x80... where isText: text.append(octet)
            default: text += Self.octal(octet)
            }
        }
        text.append(UInt8(ascii: "\""))
        value(String(decoding: text, as: UTF8.self))
    }

    private static func octal(_ octet: UInt8) -> [UInt8] {
        let zero = UInt8(ascii: "0")
        return [
            UInt8(ascii: "\\"), zero + octet >> 6, zero + octet >> 3 & 7, zero + octet & 7,
        ]
    }

    /// A float as the text format spells it: no `.0`, and `nan`, `inf`, `-inf`.
    static func number(_ value: some BinaryFloatingPoint & CustomStringConvertible) -> String {
        if value.isNaN { return "nan" }
        let text = value.description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    static func lines(of message: some Message) -> [String] {
        var describer = FieldDescriber()
        let names = describer.walk(message)
        var lines: [String] = []
        for entry in describer.entries {
            let name = entry.choice ?? entry.offset.flatMap { names[$0] } ?? "\(entry.number)"
            for value in entry.values { lines += Self.lines(name, value) }
        }
        return lines + unknown(message.unknownFields.octets)
    }

    static func lines(_ name: String, _ value: Value) -> [String] {
        switch value {
        case .scalar(let text): ["\(name): \(text)"]
        case .message(let lines): ["\(name) {"] + lines.map { "  " + $0 } + ["}"]
        }
    }
}

extension Message {
    /// The message in protobuf's text format.
    public var debugDescription: String { TextWriter.lines(of: self).joined(separator: "\n") }
}
