import SwiftletCore
import SwiftletTransport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Encodes and decodes JSON bodies.
public enum JSONBody {
    /// Encodes a value. Keys are sorted, so that equal values give equal bytes.
    public static func encode(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return Array(try encoder.encode(value))
    }

    /// Decodes a body in UTF-8. Throws a `DecodingError` if it has a zero byte, as text in UTF-16 or UTF-32 has, or if a
    /// key has more than 30 combining marks in a row: Swift would take very long to find it.
    public static func decode<Value: Decodable>(_ body: [UInt8]) throws -> Value {
        // The decoder would accept other encodings, in which the keys below are not found.
        guard !body.contains(0) else {
            throw malformed("the JSON has a zero byte; it must be in UTF-8")
        }
        guard JSONKeys.areBounded(in: body) else {
            throw malformed(
                "a key has more than \(WireText.maxMarkRun) combining marks in a row")
        }
        let decoder = JSONDecoder()
        if let key = JSONTree.key { decoder.userInfo[key] = JSONTree(body) }
        return try decoder.decode(Value.self, from: Data(body))
    }

    private static func malformed(_ reason: String) -> DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: [], debugDescription: reason))
    }

    /// Runs `unbox`. If it throws a decoding error, the reported error contains the beginning of the body.
    static func reading<Value>(_ body: [UInt8], _ unbox: () throws -> Value) throws -> Value {
        do {
            return try unbox()
        } catch let error as DecodingError {
            let beginning = String(decoding: body.prefix(80), as: UTF8.self)
            throw RPCError(
                .internal, "the answer cannot be decoded: \(error) in '\(beginning)'")
        }
    }

    /// Makes an object of fields that are already encoded. The keys are sorted, as in ``encode(_:)``.
    static func object(_ fields: [String: [UInt8]]) throws -> [UInt8] {
        let members = try fields.sorted { $0.key < $1.key }.map { name, value in
            try encode(name) + [UInt8(ascii: ":")] + value
        }
        return [UInt8(ascii: "{")] + members.joined(separator: [UInt8(ascii: ",")])
            + [UInt8(ascii: "}")]
    }

    /// The bytes of each element of an array. The JSON must be valid.
    static func elements(of list: [UInt8]) -> [[UInt8]] {
        var elements: [[UInt8]] = []
        var start = 0
        var depth = 0
        var isString = false
        var isEscaped = false
        for (index, byte) in list.enumerated() {
            if isString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isString = true
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                if depth == 1 { start = index + 1 }
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                depth -= 1
                if depth == 0 { elements.append(Array(list[start..<index])) }
            case UInt8(ascii: ",") where depth == 1:
                elements.append(Array(list[start..<index]))
                start = index + 1
            default: break
            }
        }
        return elements
    }
}
