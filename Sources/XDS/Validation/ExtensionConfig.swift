import SwiftletBalancing
import SwiftletCore
import SwiftletJSON
import SwiftletMessages
import SwiftletTransport
import SwiftletWellKnown

/// The configuration of an extension. It is a message, or a `TypedStruct`: the name of a type, and values as in JSON.
struct ExtensionConfig {
    enum Content {
        case message([UInt8])
        case structure(Google.Protobuf.Struct)
    }

    /// The full name of the type.
    let typeName: String
    let content: Content

    /// Nil if a `TypedStruct` is not valid.
    init?(
        _ field: StaticString, _ any: Google.Protobuf.AnyMessage, _ violations: inout Violations
    ) {
        func name(_ url: String) -> String {
            let slash = url.utf8.lastIndex(of: UInt8(ascii: "/"))
            return String(url.utf8[(slash.map { url.utf8.index(after: $0) } ?? url.startIndex)...])
                ?? url
        }
        if any.holds(Envoy.XDSTypes.TypedStruct.self) {
            guard
                let inner = violations.decode(
                    field, any.value, as: Envoy.XDSTypes.TypedStruct.self)
            else { return nil }
            typeName = name(inner.typeURL)
            content = .structure(inner.value ?? .init())
        } else if any.holds(Envoy.UDPATypes.TypedStruct.self) {
            guard
                let inner = violations.decode(
                    field, any.value, as: Envoy.UDPATypes.TypedStruct.self)
            else { return nil }
            typeName = name(inner.typeURL)
            content = .structure(inner.value ?? .init())
        } else {
            typeName = name(any.typeURL)
            content = .message(any.value)
        }
    }

    func isOfType<M: Message>(_ type: M.Type) -> Bool { typeName.hasBytes(of: M.messageName) }

    /// The message; nil, with a violation, if it is not valid.
    func message<M: Message>(
        _ field: StaticString, _ type: M.Type, _ violations: inout Violations
    ) -> M? {
        guard case .message(let bytes) = content else {
            violations.add(field, "a TypedStruct cannot stand for \(M.messageName)")
            return nil
        }
        return violations.decode(field, bytes, as: type)
    }
}

/// Balancing policies by their names in service configs.
protocol NamedPolicies: Sendable {
    /// Nil if no policy has the name. Throws if its configuration is not valid.
    func policy(
        named name: String, _ config: Google.Protobuf.Struct
    ) throws(RPCError) -> (any BalancingPolicy)?
}

/// The policies of the library, and those that the program has registered.
struct RegisteredPolicies: NamedPolicies {
    func policy(
        named name: String, _ config: Google.Protobuf.Struct
    ) throws(RPCError) -> (any BalancingPolicy)? {
        // Other names are costly to look up, and no policy has one.
        guard CombiningMarks.areBounded(in: name),
            let parse = BalancingPolicies.parser(named: name)
        else { return nil }
        return try parse(
            ConfigObject(config.fields.mapValues { ConfigValue($0) }, path: RPCError.shown(name)))
    }
}

/// What a check of resources needs to know of the client.
struct ValidationContext: Sendable {
    /// The server that sent the resources; nil in tests to which it does not matter.
    var server: XDS.Bootstrap.Server?
    /// The features of the server that sent the resources.
    var features: XDS.Bootstrap.Features = []
    /// The certificate providers of the bootstrap. Nil if it is not known, so that any may be there.
    var certificateProviders: Set<ByteText>? = []
    /// Makes a balancing policy that service configs can name.
    var policies: any NamedPolicies = RegisteredPolicies()
}
