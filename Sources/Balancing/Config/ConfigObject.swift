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
    /// The path of an object, as a link to that of the object around it. Written out only for errors: a long name in it
    /// would otherwise be copied for each field below.
    private indirect enum Place: Sendable {
        case root(String)
        case part(of: Place, String)

        var path: String {
            switch self {
            case .root(let path): path
            case .part(let outer, let name): outer.path(of: name)
            }
        }

        /// A long name is cut. It is of no use in an error.
        func path(of name: String) -> String {
            let outer = path
            let name = PeerText.clean(name, upTo: 256)
            return outer.isEmpty ? name : "\(outer).\(name)"
        }
    }

    /// The fields of an object that were read.
    private final class Reads: Sendable {
        struct State {
            /// For each: whether its value is ignored as a whole.
            var fields: [String: Bool] = [:]
            /// Of the objects that are its fields, or are in lists that are: `a` and `b[2]`.
            var parts: [String: Reads] = [:]
        }

        let state = Mutex(State())

        func part(_ name: String) -> Reads {
            state.withLock { state in
                if let part = state.parts[name] { return part }
                let part = Reads()
                state.parts[name] = part
                return part
            }
        }
    }

    package let members: [String: ConfigValue]
    private let place: Place
    private let reads: Reads

    package init(_ members: [String: ConfigValue], path: String) {
        self.init(members, .root(path), Reads())
    }

    private init(_ members: [String: ConfigValue], _ place: Place, _ reads: Reads) {
        self.members = members
        self.place = place
        self.reads = reads
    }

    /// The path from the service config: `methodConfig[2].retryPolicy`. Empty for the whole config. Names of more than 256
    /// bytes are cut.
    public var path: String { place.path }

    /// An object that is a part of this one.
    ///
    /// - Parameter name: That of the field, with the index if it is a list.
    func part(_ members: [String: ConfigValue], _ name: String) -> ConfigObject {
        ConfigObject(members, .part(of: place, name), reads.part(name))
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
        case .object(let members): return part(members, name)
        case let value?: throw unexpected(value, at: name, "an object")
        }
    }

    /// A field that is an array of objects.
    public func objects(_ name: String) throws(RPCError) -> [ConfigObject]? {
        guard let values = try array(name) else { return nil }
        var objects: [ConfigObject] = []
        for (index, value) in values.enumerated() {
            let element = "\(name)[\(index)]"
            guard case .object(let members) = value else {
                throw unexpected(value, at: element, "an object")
            }
            objects.append(part(members, element))
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
        reads.state.withLock { $0.fields[name] = false }
        return members[name]
    }

    /// Records that the field is known, although its value is not used.
    func ignore(_ name: String) {
        reads.state.withLock { $0.fields[name] = true }
    }

    /// A sentence for each field that nothing has read, also in the objects of fields that were read.
    package func unreadFields() -> [String] { Self.unread(members, place, reads) }

    private static func unread(
        _ members: [String: ConfigValue], _ place: Place, _ reads: Reads
    ) -> [String] {
        let (fields, parts) = reads.state.withLock { ($0.fields, $0.parts) }
        func unread(_ value: ConfigValue, _ name: String) -> [String] {
            guard case .object(let members) = value else { return [] }
            return Self.unread(members, .part(of: place, name), parts[name] ?? Reads())
        }
        return members.keys.inOrder().flatMap { name -> [String] in
            guard let isIgnored = fields[name] else {
                let path = RPCError.shown(place.path(of: name))
                return ["\(path): the field is not known, so it has no effect"]
            }
            guard !isIgnored, let value = members[name] else { return [] }
            guard case .array(let values) = value else { return unread(value, name) }
            return values.enumerated().flatMap { unread($1, "\(name)[\($0)]") }
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

    func pathOf(_ name: String) -> String { place.path(of: name) }

    func unexpected(_ value: ConfigValue, at name: String, _ expected: String) -> RPCError {
        error(name, "expected \(expected), found \(value.shown)")
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
