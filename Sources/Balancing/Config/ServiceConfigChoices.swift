import SwiftletCore
import SwiftletJSON
import SwiftletTransport

/// The service configs in the TXT records of a name, each with the clients that it is for. One of them is
/// chosen for this client (proposal A2).
struct ServiceConfigChoices: Sendable {
    /// The properties of the client that a choice can require.
    struct Client: Hashable, Sendable {
        var language = "swift"
        /// The name of this machine.
        var hostName: String
        /// From 0 to 99. A choice for n percent of the clients applies if this is below n.
        var percentile: Int
    }

    struct Choice {
        var languages: [String]
        var percentage: Int?
        var hostNames: [String]
        /// Not parsed further: another client may know fields and policies that this one does not.
        var config: ConfigObject
    }

    private static let attribute = Array("grpc_config=".utf8)
    private let choices: [Choice]

    /// Parses the first text that is a `grpc_config=` attribute. Without such a text, there are no choices.
    ///
    /// If a choice is not valid, throws INVALID_ARGUMENT with the path of the field. Then all choices are
    /// rejected. The configs themselves are not checked.
    init(texts: [[UInt8]]) throws(RPCError) {
        guard let text = texts.first(where: { $0.starts(with: Self.attribute) }) else {
            choices = []
            return
        }
        let json = String(decoding: text.dropFirst(Self.attribute.count), as: UTF8.self)
        guard case .array(let values) = try JSONReader.read(json) else {
            throw .refused(.invalidArgument, "grpc_config: expected an array of choices")
        }
        var choices: [Choice] = []
        for (index, value) in values.enumerated() {
            let path = "[\(index)]"
            guard case .object(let members) = value else {
                throw .refused(
                    .invalidArgument, "\(path): expected an object, found \(value.shown)")
            }
            choices.append(try Choice(ConfigObject(members, path: path)))
        }
        self.choices = choices
    }

    /// The config of the first choice that applies to the client; nil if none does. Throws INVALID_ARGUMENT
    /// if this config is not valid.
    func config(for client: Client) throws(RPCError) -> ServiceConfig? {
        guard let choice = choices.first(where: { $0.matches(client) }) else { return nil }
        return try ServiceConfig(choice.config)
    }
}

extension ServiceConfigChoices.Choice {
    private static let fields: Set<String> = [
        "clientLanguage", "percentage", "clientHostname", "serviceConfig",
    ]

    fileprivate init(_ object: ConfigObject) throws(RPCError) {
        // "If any unexpected field name is present in this object, the entire config is considered invalid."
        for name in object.members.keys.inOrder() where !Self.fields.contains(name) {
            throw object.error(RPCError.shown(name), "is not a field of a choice")
        }
        languages = try object.strings("clientLanguage") ?? []
        percentage = try object.integer("percentage", in: 0...100)
        if case .number("-0")? = object.members["percentage"] {
            throw object.error("percentage", "expected an integer from 0 to 100, found -0")
        }
        hostNames = try object.strings("clientHostname") ?? []
        config = try object.required("serviceConfig", try object.object("serviceConfig"))
    }

    /// A field that is absent or empty applies to all clients.
    fileprivate func matches(_ client: ServiceConfigChoices.Client) -> Bool {
        (languages.isEmpty || languages.contains { $0.lowercased() == client.language })
            && percentage.map { client.percentile < $0 } ?? true
            && (hostNames.isEmpty || hostNames.contains(client.hostName))
    }
}
