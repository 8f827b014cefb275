import SwiftletBalancing
public import SwiftletCore
import SwiftletMessages
import SwiftletTransport

extension XDS {
    /// The control planes of a program, and how the program introduces itself to them. It has the JSON form that all
    /// clients of gRPC read.
    public struct Bootstrap: Sendable, Hashable {
        /// The servers of resources without an authority, the preferred one first. Never empty.
        let servers: [Server]
        let node: Node
        /// The name of the listener of a target without an authority; `%s` is the target's path.
        let listenerTemplate: String
        let authorities: [ByteText: Authority]
        let certificateProviders: [ByteText: FileWatcher]

        /// Reads a bootstrap. Throws INVALID_ARGUMENT with the key, and what to write there, if the text is not valid.
        /// Unknown keys are ignored.
        public init(json: String) throws(RPCError) {
            let object = try ConfigObject(json: json, of: Self.subject)
            do throws(RPCError) { try self.init(object) } catch {
                throw .refused(.invalidArgument, "\(Self.subject): \(error.message)")
            }
        }

        /// What errors call it.
        private static let subject = "xDS bootstrap"

        private init(_ object: ConfigObject) throws(RPCError) {
            let servers = try Server.list(object)
            guard !servers.isEmpty else {
                throw object.error("xds_servers", "is required; list at least one control plane")
            }
            self.servers = servers
            node = try Node(object.object("node"))
            let template = "client_default_listener_resource_name_template"
            listenerTemplate = try object.string(template) ?? "%s"
            var authorities: [ByteText: Authority] = [:]
            for (name, object) in try object.objectsByName("authorities") ?? [] {
                authorities[ByteText(name)] = try Authority(
                    named: name, object, defaultServers: servers)
            }
            self.authorities = authorities
            var providers: [ByteText: FileWatcher] = [:]
            for (name, object) in try object.objectsByName("certificate_providers") ?? [] {
                providers[ByteText(name)] = try FileWatcher(provider: object)
            }
            certificateProviders = providers
        }
    }
}

extension XDS.Bootstrap {
    /// The servers of the resources with an authority.
    struct Authority: Hashable, Sendable {
        let listenerTemplate: String
        let servers: [Server]
        /// Whether the next server is asked whenever one cannot be reached, even if every resource is known (A95).
        let fallsBackOnReachabilityOnly: Bool

        fileprivate init(
            named name: String, _ object: ConfigObject, defaultServers: [Server]
        ) throws(RPCError) {
            let prefix = "xdstp://\(PercentEncoding.encode(name, keeping: .authority))/"
            let key = "client_listener_resource_name_template"
            let template = try object.string(key)
            if let template, !template.utf8.starts(with: prefix.utf8) {
                throw object.error(key, "must begin with \(RPCError.shown(prefix))")
            }
            listenerTemplate = template ?? prefix + ResourceType.listener.messageName + "/%s"
            let own = try Server.list(object)
            servers = own.isEmpty ? defaultServers : own
            fallsBackOnReachabilityOnly =
                try object.bool("fallback_on_reachability_only") ?? false
        }
    }
}

// MARK: - Where the text comes from

extension XDS.Bootstrap {
    /// Reads the bootstrap that the environment names: a file, or else the text itself. Throws INVALID_ARGUMENT if
    /// there is none, or if it is not valid.
    ///
    /// - Parameters:
    ///   - variable: The value of an environment variable.
    ///   - read: The text of a file.
    static func ofEnvironment(
        _ variable: (String) -> String?, read: (_ path: String) throws(RPCError) -> String
    ) throws(RPCError) -> XDS.Bootstrap {
        if let path = variable("GRPC_XDS_BOOTSTRAP"), !path.isEmpty {
            return try XDS.Bootstrap(json: try read(path))
        }
        if let text = variable("GRPC_XDS_BOOTSTRAP_CONFIG"), !text.isEmpty {
            return try XDS.Bootstrap(json: text)
        }
        throw .refused(
            .invalidArgument,
            """
            there is no xDS bootstrap: set GRPC_XDS_BOOTSTRAP to the path of its file, or \
            GRPC_XDS_BOOTSTRAP_CONFIG to its text
            """)
    }
}
