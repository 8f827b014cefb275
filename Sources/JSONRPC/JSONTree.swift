import SwiftletCore
import SwiftletJSON
import Synchronization

/// A JSON text, as a tree that is made when the first ``JSONValue`` is decoded from it.
///
/// A decoder does not say which type a value has. To ask it for one type after the other costs, for each value, as much
/// as the value is deep, which a server chooses.
final class JSONTree: Sendable {
    static let key = CodingUserInfoKey(rawValue: "swiftlet.json")

    private let text: [UInt8]
    private let root = Mutex<Result<ConfigValue, RPCError>?>(nil)

    init(_ text: [UInt8]) { self.text = text }

    /// The tree of the text that `decoder` reads; nil if the decoder has none.
    static func of(_ decoder: any Decoder) -> JSONTree? {
        key.flatMap { decoder.userInfo[$0] as? JSONTree }
    }

    /// The value at a path. Throws a `DecodingError` if arrays and objects are too deep inside each other, a key
    /// is repeated, or a number is too large.
    func value(at path: [any CodingKey]) throws -> JSONValue {
        func corrupted(_ problem: String) -> DecodingError {
            .dataCorrupted(.init(codingPath: path, debugDescription: problem))
        }
        var value: ConfigValue
        do throws(RPCError) { value = try read() } catch { throw corrupted(error.message) }
        for key in path {
            let inner: ConfigValue? =
                switch value {
                case .object(let members): members[key.stringValue]
                case .array(let elements):
                    key.intValue.flatMap { elements.indices.contains($0) ? elements[$0] : nil }
                default: nil
                }
            guard let inner else { throw corrupted("there is no '\(key.stringValue)'") }
            value = inner
        }
        guard let found = JSONValue(value) else { throw corrupted("a number is too large") }
        return found
    }

    private func read() throws(RPCError) -> ConfigValue {
        try root.withLock { root in
            if let root { return root }
            let result: Result<ConfigValue, RPCError> = Result { () throws(RPCError) in
                try JSONReader.read(
                    String(decoding: text, as: UTF8.self), of: "JSON", maxByteCount: .max)
            }
            root = result
            return result
        }.get()
    }
}

extension JSONValue {
    /// Nil if a number is too large.
    fileprivate init?(_ value: ConfigValue) {
        switch value {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .number(let digits):
            guard let number = JSONValue(digits: digits) else { return nil }
            self = number
        case .string(let text): self = .string(text)
        case .array(let elements):
            var values: [JSONValue] = []
            for element in elements {
                guard let value = JSONValue(element) else { return nil }
                values.append(value)
            }
            self = .array(values)
        case .object(let members):
            var values: [String: JSONValue] = [:]
            for (key, member) in members {
                guard let value = JSONValue(member) else { return nil }
                values[key] = value
            }
            self = .object(values)
        }
    }

    private init?(digits: String) {
        if let value = Int(digits) {
            self = .integer(value)
        } else if let value = UInt64(digits) {
            self = .unsigned(value)
        } else {
            guard let value = Double(digits), value.isFinite else { return nil }
            self = Int(exactly: value).map { .integer($0) } ?? .number(value)
        }
    }
}
