import SwiftletCore
import SwiftletJSON
import SwiftletTransport

/// An object of a bootstrap. Each function reads one key: it returns nil if the key is missing or null, and throws
/// INVALID_ARGUMENT with the path of the key if the value has another type. Keys that are not read are ignored.
struct BootstrapObject {
    /// The path from the bootstrap, such as `xds_servers[0]`. Empty for the whole bootstrap.
    private let path: String
    private let members: [String: ConfigValue]

    private init(_ members: [String: ConfigValue], path: String) {
        self.members = members
        self.path = path
    }

    init(json: String) throws(RPCError) {
        let value = try JSONReader.read(json, of: "xDS bootstrap")
        guard case .object(let members) = value else {
            throw .refused(
                .invalidArgument, "xDS bootstrap: expected an object, found \(value.shown)")
        }
        self.init(members, path: "")
    }
}

// MARK: - Keys

extension BootstrapObject {
    func string(_ key: String) throws(RPCError) -> String? {
        switch members[key] {
        case nil, .null: return nil
        case .string(let text): return text
        case let value?: throw unexpected(value, at: key, "a string")
        }
    }

    func bool(_ key: String) throws(RPCError) -> Bool? {
        switch members[key] {
        case nil, .null: return nil
        case .bool(let value): return value
        case let value?: throw unexpected(value, at: key, "true or false")
        }
    }

    func object(_ key: String) throws(RPCError) -> BootstrapObject? {
        switch members[key] {
        case nil, .null: return nil
        case .object(let members): return BootstrapObject(members, path: pathOf(key))
        case let value?: throw unexpected(value, at: key, "an object")
        }
    }

    func objects(_ key: String) throws(RPCError) -> [BootstrapObject]? {
        var objects: [BootstrapObject] = []
        guard let values = try values(key) else { return nil }
        for (index, value) in values.enumerated() {
            guard case .object(let members) = value else {
                throw unexpected(value, at: "\(key)[\(index)]", "an object")
            }
            objects.append(BootstrapObject(members, path: pathOf("\(key)[\(index)]")))
        }
        return objects
    }

    /// The strings of an array. Values of other types are left out.
    func strings(_ key: String) throws(RPCError) -> [String] {
        (try values(key) ?? []).compactMap { if case .string(let text) = $0 { text } else { nil } }
    }

    /// Objects by name, in the order of the names.
    func objectsByName(
        _ key: String
    ) throws(RPCError) -> [(name: String, object: BootstrapObject)] {
        guard let object = try object(key) else { return [] }
        var named: [(name: String, object: BootstrapObject)] = []
        for name in object.members.keys.inOrder() {
            guard let member = try object.object(name) else { continue }
            named.append((name, member))
        }
        return named
    }

    /// The whole object, whatever its members are.
    var values: [String: ConfigValue] { members }

    private func values(_ key: String) throws(RPCError) -> [ConfigValue]? {
        switch members[key] {
        case nil, .null: return nil
        case .array(let values): return values
        case let value?: throw unexpected(value, at: key, "an array")
        }
    }
}

// MARK: - Errors

extension BootstrapObject {
    /// An error about a key: `xDS bootstrap: xds_servers[0].server_uri: is required`.
    func error(_ key: String, _ message: String) -> RPCError {
        .refused(.invalidArgument, "xDS bootstrap: \(RPCError.shown(pathOf(key))): \(message)")
    }

    /// - Parameter advice: What to write there.
    func required<Value>(
        _ key: String, _ value: Value?, _ advice: String
    ) throws(RPCError) -> Value {
        guard let value else { throw error(key, "is required; \(advice)") }
        return value
    }

    private func pathOf(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

    private func unexpected(_ value: ConfigValue, at key: String, _ expected: String) -> RPCError {
        error(key, "expected \(expected), found \(value.shown)")
    }
}
