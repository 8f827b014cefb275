import Foundation
import SwiftletCore
import SwiftletTransport
import Testing

@testable import SwiftletXDS

@Suite("A file that is only half written")
struct HalfWrittenFilesTests {
    private static let certificates = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Certificates")

    /// A folder with copies of certificates, which is removed with this object.
    private final class Folder {
        let url = FileManager.default.temporaryDirectory.appending(
            path: "swiftlet-half-\(UUID().uuidString)")

        init() throws {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        }

        deinit { try? FileManager.default.removeItem(at: url) }

        /// Writes a copy of a certificate or key, up to a part of its bytes.
        func write(_ name: String, from source: String, share: Double = 1) throws {
            let bytes = try Data(
                contentsOf: HalfWrittenFilesTests.certificates.appending(path: source))
            try bytes.prefix(Int(Double(bytes.count) * share)).write(to: url.appending(path: name))
        }

        /// The sessions of a cluster with the files of this folder. They are read again after ten minutes.
        func sessions() throws -> UpstreamSessions {
            let bootstrap = try XDS.Bootstrap(
                json: """
                    {"xds_servers": [{"server_uri": "s", "channel_creds": [{"type": "insecure"}]}],
                     "certificate_providers": {"p": {"plugin_name": "file_watcher", "config": {
                       "ca_certificate_file": "\(url.path)/ca", "certificate_file": "\(url.path)/chain",
                       "private_key_file": "\(url.path)/key"}}}}
                    """)
            let tls = UpstreamTLS(
                identity: "p", roots: .provider("p"), names: [], sni: "", sendsHostName: false,
                checksSentName: false)
            return UpstreamSessions(tls, bootstrap.certificateProviders)
        }
    }

    private static func connects(_ sessions: UpstreamSessions) -> Bool {
        (try? sessions.makeSession(host: nil, offering: nil)) != nil
    }

    @Test(
        "of certificates fails the connection, and the next one reads it again",
        .enabled(if: (try? TLSLibrary.name()) != nil, "OpenSSL is not installed"),
        arguments: ["ca", "chain", "key"], [0, 0.5, 0.98])
    func first(name: String, share: Double) throws {
        let folder = try Folder()
        let sources = ["ca": "ca.pem", "chain": "client.pem", "key": "client.key"]
        for (file, source) in sources {
            try folder.write(file, from: source, share: file == name ? share : 1)
        }
        let sessions = try folder.sessions()
        for _ in 0..<3 { #expect(!Self.connects(sessions)) }
        try folder.write(name, from: try #require(sources[name]))
        #expect(Self.connects(sessions))
    }

    @Test(
        "of a key that does not fit its certificate yet is read again",
        .enabled(if: (try? TLSLibrary.name()) != nil, "OpenSSL is not installed"))
    func key() throws {
        let folder = try Folder()
        try folder.write("ca", from: "ca.pem")
        try folder.write("chain", from: "client.pem")
        try folder.write("key", from: "server.key")
        let sessions = try folder.sessions()
        #expect(!Self.connects(sessions))
        try folder.write("key", from: "client.key")
        #expect(Self.connects(sessions))
        // What has worked stays in use, whatever happens to the files.
        try folder.write("key", from: "client.key", share: 0)
        #expect(Self.connects(sessions))
    }

    @Test("of a bootstrap is refused with a reason")
    func bootstrap() throws {
        let whole = """
            {"xds_servers": [{"server_uri": "s", "channel_creds": [{"type": "insecure"}]}],
             "node": {"id": "n\u{e9}", "metadata": {"a": [1, -2.5e3, null, true, {"b": "\\u00e9"}]}}}
            """
        #expect(throws: Never.self) { try XDS.Bootstrap(json: whole) }
        for count in 0..<whole.utf8.count {
            let text = String(decoding: Array(whole.utf8.prefix(count)), as: UTF8.self)
            let error = #expect(throws: RPCError.self) { try XDS.Bootstrap(json: text) }
            #expect(error?.code == .invalidArgument)
        }
    }
}
