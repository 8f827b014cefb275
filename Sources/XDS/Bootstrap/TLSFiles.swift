import SwiftletBalancing
import SwiftletCore
import SwiftletTransport

extension XDS.Bootstrap {
    /// The files of certificates and keys (A65), which are read again at an interval.
    struct TLSFiles: Hashable, Sendable {
        /// The authorities to trust; nil for those of the system.
        private(set) var authorityFile: String?
        private(set) var identity: Identity?
        private(set) var refreshInterval = Duration.seconds(600)

        /// The certificate of the client, with its key.
        struct Identity: Hashable, Sendable {
            let certificateFile: String
            let keyFile: String
        }

        init(_ object: ConfigObject?) throws(RPCError) {
            guard let object else { return }
            authorityFile = try Self.path(object, "ca_certificate_file")
            let (certificate, key) = ("certificate_file", "private_key_file")
            switch (try Self.path(object, certificate), try Self.path(object, key)) {
            case (let certificateFile?, let keyFile?):
                identity = Identity(certificateFile: certificateFile, keyFile: keyFile)
            case (nil, nil): break
            case (_?, nil): throw object.error(key, "is required beside \(certificate)")
            case (nil, _?): throw object.error(certificate, "is required beside \(key)")
            }
            guard let text = try object.string("refresh_interval") else { return }
            guard let interval = Duration(configText: text), interval > .zero else {
                throw object.error(
                    "refresh_interval",
                    "expected a duration above zero such as \"600s\", found \"\(RPCError.shown(text))\""
                )
            }
            refreshInterval = interval
        }

        private static func path(
            _ object: ConfigObject, _ key: String
        ) throws(RPCError) -> String? {
            guard let path = try object.string(key) else { return nil }
            guard !path.isEmpty else {
                throw object.error(key, "is empty; write the path of a file")
            }
            return path
        }
    }

    /// Certificates that a cluster refers to by the name of an instance.
    struct FileWatcher: Hashable, Sendable {
        let files: TLSFiles

        /// Nil for a plug-in of another name.
        init?(provider object: ConfigObject) throws(RPCError) {
            let key = "plugin_name"
            let plugin = try object.required(key, object.string(key), "write \"file_watcher\"")
            guard plugin.hasBytes(of: "file_watcher") else { return nil }
            files = try TLSFiles(object.object("config"))
            guard files.authorityFile != nil || files.identity != nil else {
                throw object.error(
                    "config", "names no file; write ca_certificate_file, certificate_file or both")
            }
        }
    }
}
