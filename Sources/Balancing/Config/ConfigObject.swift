public import SwiftletCore
package import SwiftletJSON
import SwiftletTransport
import Synchronization

/// An object of a service config, such as the configuration of a balancing policy.
///
/// Each method reads one field. It returns nil when the field is missing or null. It throws
/// INVALID_ARGUMENT with the path of the field when the value is not valid. Fields that are not read
/// are ignored.
///
/// ```swift
/// BalancingPolicies.register(name: "least_latency") { config throws(RPCError) in
///     LeastLatency(window: try config.duration("window") ?? .seconds(10))
/// }
/// ```
public struct ConfigObject: Sendable {
    /// The paths of the fields that were read, in all objects of a config. For each: whether its value is
    /// ignored as a whole.
    private final class Reads: Sendable {
        let paths = Mutex<[String: Bool]>([:])
    }

    /// The path from the service config: `methodConfig[2].retryPolicy`. Empty for the whole config.
    public let path: String
    package let members: [String: ConfigValue]
    private let reads: Reads

    package init(_ members: [String: ConfigValue], path: String) {
        self.init(members, path: path, Reads())
    }

    private init(_ members: [String: ConfigValue], path: String, _ reads: Reads) {
        self.members = members
        self.path = path
        self.reads = reads
    }

    /// An object that is a part of this one.
    private func part(_ members: [String: ConfigValue], path: String) -> ConfigObject {
        ConfigObject(members, path: path, reads)
    }

    /// Parses a text that consists of one object.
    ///
    /// - Parameter subject: The name of the text in errors.
    package init(json: String, of subject: String = "service config") throws(RPCError) {
        let value = try JSONReader.read(json, of: subject)
        guard case .object(let members) = value else {
            throw .refused(
                .invalidArgument, "\(subject): expected an object, found \(value.shown)")
        }
        self.init(members, path: "")
    }
}

// MARK: - Fields

extension ConfigObject {
    /// A field that is true or false.
    public func bool(_ name: String) throws(RPCError) -> Bool? {
        switch read(name) {
        case nil, .null: return nil
        case .bool(let value): return value
        case let value?: throw unexpected(value, at: name, "true or false")
        }
    }

    /// A field that is a text.
    public func string(_ name: String) throws(RPCError) -> String? {
        switch read(name) {
        case nil, .null: return nil
        case .string(let value):
            try checkMarks(value, at: name)
            return value
        case let value?: throw unexpected(value, at: name, "a string")
        }
    }

    /// A field that is an integer within `range`.
    public func integer(
        _ name: String, in range: ClosedRange<Int> = 0...Int.max
    ) throws(RPCError) -> Int? {
        switch read(name) {
        case nil, .null:
            return nil
        case .number(let digits):
            if let value = Int(digits), range.contains(value) { return value }
            throw unexpected(.number(digits), at: name, Self.description(of: range))
        case let value?:
            throw unexpected(value, at: name, Self.description(of: range))
        }
    }

    /// A field that is a number, with or without a fraction.
    public func number(_ name: String) throws(RPCError) -> Double? {
        switch read(name) {
        case nil, .null:
            return nil
        case .number(let digits):
            if let value = Double(digits), value.isFinite { return value }
            throw unexpected(.number(digits), at: name, "a number")
        case let value?:
            throw unexpected(value, at: name, "a number")
        }
    }

    /// A field that is a duration of zero or more: `"1.5s"`.
    public func duration(_ name: String) throws(RPCError) -> Duration? {
        switch read(name) {
        case nil, .null:
            return nil
        case .string(let text):
            if let value = Duration(configText: text) { return value }
            throw unexpected(.string(text), at: name, Self.durationDescription)
        case let value?:
            throw unexpected(value, at: name, Self.durationDescription)
        }
    }

    /// A field that is an object.
    public func object(_ name: String) throws(RPCError) -> ConfigObject? {
        switch read(name) {
        case nil, .null: return nil
        case .object(let members): return part(members, path: pathOf(name))
        case let value?: throw unexpected(value, at: name, "an object")
        }
    }

    /// A field that is an array of objects.
    public func objects(_ name: String) throws(RPCError) -> [ConfigObject]? {
        guard let values = try array(name) else { return nil }
        var objects: [ConfigObject] = []
        for (index, value) in values.enumerated() {
            let path = pathOf("\(name)[\(index)]")
            guard case .object(let members) = value else {
                throw Self.unexpected(value, path: path, "an object")
            }
            objects.append(part(members, path: path))
        }
        return objects
    }

    /// A field that is an object whose keys are names and whose values are objects. In the order of
    /// the names.
    public func objectsByName(
        _ name: String
    ) throws(RPCError) -> [(name: String, object: ConfigObject)]? {
        guard let object = try object(name) else { return nil }
        var named: [(name: String, object: ConfigObject)] = []
        for name in object.members.keys.inOrder() {
            guard let member = try object.object(name) else { continue }
            named.append((name, member))
        }
        return named
    }

    /// A field that is an array of texts.
    public func strings(_ name: String) throws(RPCError) -> [String]? {
        guard let values = try array(name) else { return nil }
        var strings: [String] = []
        for (index, value) in values.enumerated() {
            guard case .string(let text) = value else {
                throw unexpected(value, at: "\(name)[\(index)]", "a string")
            }
            try checkMarks(text, at: "\(name)[\(index)]")
            strings.append(text)
        }
        return strings
    }

    /// Texts of a config are compared and become keys. See `WireText`.
    private func checkMarks(_ text: String, at name: String) throws(RPCError) {
        guard !WireText.hasBoundedMarks(text) else { return }
        throw error(name, "has more than \(WireText.maxMarkRun) combining marks in a row")
    }

    package func array(_ name: String) throws(RPCError) -> [ConfigValue]? {
        switch read(name) {
        case nil, .null: return nil
        case .array(let values): return values
        case let value?: throw unexpected(value, at: name, "an array")
        }
    }
}

// MARK: - Fields that were not read

extension ConfigObject {
    /// Records that the field is known.
    @discardableResult
    func read(_ name: String) -> ConfigValue? {
        reads.paths.withLock { $0[pathOf(name)] = false }
        return members[name]
    }

    /// Records that the field is known, although its value is not used.
    func ignore(_ name: String) {
        reads.paths.withLock { $0[pathOf(name)] = true }
    }

    /// A sentence for each field that nothing has read, also in the objects of fields that were read.
    package func unreadFields() -> [String] {
        let known = reads.paths.withLock { $0 }
        return Self.unread(members, path: path, known)
    }

    private static func unread(
        _ members: [String: ConfigValue], path: String, _ known: [String: Bool]
    ) -> [String] {
        members.keys.inOrder().flatMap { name in
            let field = path.isEmpty ? name : "\(path).\(name)"
            guard let isIgnored = known[field] else {
                return ["\(RPCError.shown(field)): the field is not known, so it has no effect"]
            }
            guard !isIgnored else { return [] }
            switch members[name] {
            case .object(let part)?: return unread(part, path: field, known)
            case .array(let values)?:
                return values.enumerated().flatMap { index, value in
                    guard case .object(let part) = value else { return [] as [String] }
                    return unread(part, path: "\(field)[\(index)]", known)
                }
            default: return []
            }
        }
    }
}

// MARK: - Errors

extension ConfigObject {
    /// An error about a field: `methodConfig[2].retryPolicy.maxAttempts: <message>`.
    public func error(_ name: String, _ message: String) -> RPCError {
        .refused(.invalidArgument, "\(RPCError.shown(pathOf(name))): \(message)")
    }

    /// The value of a required field. Throws when it is missing.
    public func required<Value>(_ name: String, _ value: Value?) throws(RPCError) -> Value {
        guard let value else { throw error(name, "is required") }
        return value
    }

    func pathOf(_ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

    func unexpected(_ value: ConfigValue, at name: String, _ expected: String) -> RPCError {
        Self.unexpected(value, path: pathOf(name), expected)
    }

    private static func unexpected(
        _ value: ConfigValue, path: String, _ expected: String
    ) -> RPCError {
        .refused(
            .invalidArgument, "\(RPCError.shown(path)): expected \(expected), found \(value.shown)")
    }

    private static let durationDescription = "a duration such as \"1.5s\""

    private static func description(of range: ClosedRange<Int>) -> String {
        switch (range.lowerBound, range.upperBound) {
        case (.min, .max): "an integer"
        case (0, .max): "an integer of 0 or more"
        case (let lower, .max): "an integer above \(lower - 1)"
        case (let lower, let upper): "an integer from \(lower) to \(upper)"
        }
    }
}
