import SwiftletBalancing
import SwiftletCore
import SwiftletJSON
import SwiftletTransport

extension XDS.Bootstrap {
    /// A control plane. Equal servers share a channel.
    struct Server: Hashable, Sendable {
        let target: String
        let credentials: Credentials
        /// The files of tokens that are sent with the stream (A97).
        let tokenFiles: [String]
        let features: Features
    }

    enum Credentials: Hashable, Sendable {
        case insecure
        case tls(TLSFiles)
    }

    /// What a server promises, or asks for. Unknown features are ignored.
    struct Features: OptionSet, Hashable, Sendable {
        let rawValue: Int

        /// It may tell clients which authority to send (A81).
        static let trusted = Features(rawValue: 1)
        /// Resources that it no longer sends stay in use (A53).
        static let ignoresDeletion = Features(rawValue: 2)
        /// Data errors fail calls also if there is an older resource (A88).
        static let failsOnDataErrors = Features(rawValue: 4)
        /// A resource that does not arrive in time is an error of the connection, not an absent resource (A88).
        static let timerIsTransientError = Features(rawValue: 8)

        init(rawValue: Int) { self.rawValue = rawValue }

        init(values: [ConfigValue]) {
            self = []
            for case .string(let name) in values {
                if name.hasBytes(of: "trusted_xds_server") { insert(.trusted) }
                if name.hasBytes(of: "ignore_resource_deletion") { insert(.ignoresDeletion) }
                if name.hasBytes(of: "fail_on_data_errors") { insert(.failsOnDataErrors) }
                if name.hasBytes(of: "resource_timer_is_transient_error") {
                    insert(.timerIsTransientError)
                }
            }
        }
    }
}

// MARK: - Reading

extension XDS.Bootstrap.Server {
    /// The servers of the bootstrap, or of an authority. Empty if there are none.
    static func list(_ object: ConfigObject) throws(RPCError) -> [Self] {
        var servers: [Self] = []
        for server in try object.objects("xds_servers") ?? [] {
            servers.append(try Self(server))
        }
        return servers
    }

    private init(_ object: ConfigObject) throws(RPCError) {
        let uri = "server_uri"
        target = try object.required(
            uri, object.string(uri), "write the target of the control plane, such as \"host:port\"")
        guard !target.isEmpty else { throw object.error(uri, "is empty; write \"host:port\"") }
        credentials = try Self.credentials(object)
        tokenFiles = try Self.tokenFiles(object)
        features = try XDS.Bootstrap.Features(values: object.array("server_features") ?? [])
    }

    /// The first credentials whose type is known.
    private static func credentials(
        _ object: ConfigObject
    ) throws(RPCError) -> XDS.Bootstrap.Credentials {
        let key = "channel_creds"
        let advice = "write [{\"type\": \"tls\"}] or [{\"type\": \"insecure\"}]"
        var types: [String] = []
        for entry in try object.required(key, object.objects(key), advice) {
            let type = try entry.required("type", entry.string("type"), "write \"tls\"")
            if type.hasBytes(of: "insecure") { return .insecure }
            if type.hasBytes(of: "tls") {
                return .tls(try XDS.Bootstrap.TLSFiles(entry.object("config")))
            }
            types.append("'\(RPCError.shown(type))'")
        }
        let found =
            types.isEmpty
            ? "the list is empty" : "no type is known of \(types.joined(separator: ", "))"
        throw object.error(key, "\(found); \(advice)")
    }

    private static func tokenFiles(_ object: ConfigObject) throws(RPCError) -> [String] {
        var files: [String] = []
        for entry in try object.objects("call_creds") ?? [] {
            let type = try entry.required("type", entry.string("type"), "write \"jwt_token_file\"")
            guard type.hasBytes(of: "jwt_token_file") else { continue }
            let config = try entry.required(
                "config", entry.object("config"), "write {\"jwt_token_file\": \"/path\"}")
            let key = "jwt_token_file"
            let path = try config.string(key).flatMap { $0.isEmpty ? nil : $0 }
            files.append(try config.required(key, path, "write the path of the file"))
        }
        return files
    }
}

extension ConfigObject {
    /// The value of a required field.
    ///
    /// - Parameter advice: What to write there.
    func required<Value>(
        _ name: String, _ value: Value?, _ advice: String
    ) throws(RPCError) -> Value {
        guard let value else { throw error(name, "is required; \(advice)") }
        return value
    }
}
