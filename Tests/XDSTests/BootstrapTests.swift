import SwiftletCore
import SwiftletMessages
import SwiftletWellKnown
import Testing

@testable import SwiftletXDS

@Suite("A bootstrap")
struct BootstrapTests {
    private static let server =
        #"{"server_uri": "cp:18000", "channel_creds": [{"type": "insecure"}]}"#

    private static func bootstrap(_ more: String = "") throws(RPCError) -> XDS.Bootstrap {
        try XDS.Bootstrap(json: "{\"xds_servers\": [\(server)]\(more)}")
    }

    @Test("needs only a server")
    func smallest() throws {
        let bootstrap = try Self.bootstrap()
        let server = try #require(bootstrap.servers.first)
        #expect(server.target == "cp:18000" && server.credentials == .insecure)
        #expect(server.tokenFiles.isEmpty && server.features.isEmpty)
        #expect(bootstrap.listenerTemplate == "%s")
        #expect(bootstrap.authorities.isEmpty && bootstrap.certificateProviders.isEmpty)
    }

    @Test("keeps the order of its servers and ignores keys and features that it does not know")
    func servers() throws {
        let bootstrap = try XDS.Bootstrap(
            json: """
                {"xds_servers": [
                  {"server_uri": "a", "future": 1,
                   "channel_creds": [{"type": "google_default"}, {"type": "tls", "config": {
                     "ca_certificate_file": "/ca", "certificate_file": "/c", "private_key_file": "/k",
                     "refresh_interval": "1.5s"}}],
                   "call_creds": [{"type": "future"},
                     {"type": "jwt_token_file", "config": {"jwt_token_file": "/jwt"}}],
                   "server_features": ["xds_v3", "trusted_xds_server", "ignore_resource_deletion", 7,
                     "fail_on_data_errors", "resource_timer_is_transient_error", "future"]},
                  \(Self.server)], "future": {}}
                """)
        #expect(bootstrap.servers.map(\.target) == ["a", "cp:18000"])
        let server = bootstrap.servers[0]
        guard case .tls(let files) = server.credentials else {
            Issue.record("the first known credentials are TLS")
            return
        }
        #expect(files.authorityFile == "/ca" && files.refreshInterval == .milliseconds(1_500))
        #expect(files.identity == .init(certificateFile: "/c", keyFile: "/k"))
        #expect(server.tokenFiles == ["/jwt"])
        #expect(
            server.features == [
                .trusted, .ignoresDeletion, .failsOnDataErrors, .timerIsTransientError,
            ])
    }

    @Test("describes the program to the control plane")
    func node() throws {
        let bootstrap = try Self.bootstrap(
            """
            , "node": {"id": "n1", "cluster": "c", "locality": {"region": "r", "zone": "z", "sub_zone": "s"},
              "metadata": {"a": [1, null, true, "x", {"b": 2.5}]}}
            """)
        let node = bootstrap.node.message
        #expect(node.id == "n1" && node.cluster == "c")
        #expect(node.locality?.region == "r" && node.locality?.subZone == "s")
        #expect(node.metadata == ["a": [1, nil, true, "x", ["b": 2.5]]])
        #expect(node.userAgentName == "gRPC Swiftlet")
        #expect(
            node.clientFeatures == [
                "envoy.lb.does_not_support_overprovisioning", "xds.config.resource-in-sotw",
            ])
        #expect(
            bootstrap.node.loadReportMessage.clientFeatures == [
                "envoy.lrs.supports_send_all_clusters"
            ])
    }

    @Test("gives an authority its own servers, or those of the top")
    func authorities() throws {
        let bootstrap = try Self.bootstrap(
            """
            , "authorities": {"a": {"xds_servers": [{"server_uri": "other", "channel_creds": [{"type": "tls"}]}],
                "client_listener_resource_name_template": "xdstp://a/envoy.config.listener.v3.Listener/p/%s?x=1"},
              "b": {"fallback_on_reachability_only": true}}
            """)
        let (a, b) = (bootstrap.authorities["a"], bootstrap.authorities["b"])
        #expect(a?.servers.map(\.target) == ["other"] && a?.fallsBackOnReachabilityOnly == false)
        #expect(b?.servers.map(\.target) == ["cp:18000"] && b?.fallsBackOnReachabilityOnly == true)
        #expect(b?.listenerTemplate == "xdstp://b/envoy.config.listener.v3.Listener/%s")
    }

    @Test("reads the files of certificate providers and skips other plug-ins")
    func providers() throws {
        let bootstrap = try Self.bootstrap(
            """
            , "certificate_providers": {"x": {"plugin_name": "cas", "config": 1},
              "y": {"plugin_name": "file_watcher", "config": {"ca_certificate_file": "/ca"}}}
            """)
        #expect(Set(bootstrap.certificateProviders.keys) == ["y"])
        #expect(bootstrap.certificateProviders["y"]?.files.authorityFile == "/ca")
        #expect(bootstrap.certificateProviders["y"]?.files.refreshInterval == .seconds(600))
    }

    @Test(
        "that is not valid is refused with the key and what to write",
        arguments: [
            ("[]", "expected an object, found an array"),
            ("{}", "xds_servers: is required; list at least one control plane"),
            (#"{"xds_servers": []}"#, "xds_servers: is required"),
            (#"{"xds_servers": [7]}"#, "xds_servers[0]: expected an object, found 7"),
            (#"{"xds_servers": [{}]}"#, "xds_servers[0].server_uri: is required; write the target"),
            (#"{"xds_servers": [{"server_uri": ""}]}"#, "xds_servers[0].server_uri: is empty"),
            (
                #"{"xds_servers": [{"server_uri": "a"}]}"#,
                #"xds_servers[0].channel_creds: is required; write [{"type": "tls"}]"#
            ),
            (
                #"{"xds_servers": [{"server_uri": "a", "channel_creds": [{"type": "x"}]}]}"#,
                "xds_servers[0].channel_creds: no type is known of 'x'"
            ),
            (
                #"{"xds_servers": [{"server_uri": "a", "channel_creds": []}]}"#, "the list is empty"
            ),
            (
                #"{"xds_servers": [{"server_uri": "a", "channel_creds": [{"type": "tls", "config": {"certificate_file": "c"}}]}]}"#,
                "channel_creds[0].config.private_key_file: is required beside certificate_file"
            ),
            (
                #"{"xds_servers": [{"server_uri": "a", "channel_creds": [{"type": "tls", "config": {"refresh_interval": "-1s"}}]}]}"#,
                #"refresh_interval: expected a duration above zero such as "600s", found "-1s""#
            ),
            (
                #"{"xds_servers": [\#(server)], "node": 1}"#, "node: expected an object, found 1"
            ),
            (
                #"{"xds_servers": [\#(server)], "authorities": {"a": {"client_listener_resource_name_template": "xdstp://b/x"}}}"#,
                "authorities.a.client_listener_resource_name_template: must begin with xdstp://a/"
            ),
            (
                #"{"xds_servers": [\#(server)], "certificate_providers": {"a": {}}}"#,
                "certificate_providers.a.plugin_name: is required"
            ),
            (
                #"{"xds_servers": [\#(server)], "certificate_providers": {"a": {"plugin_name": "file_watcher"}}}"#,
                "certificate_providers.a.config: names no file"
            ),
            (#"{"xds_servers": "#, "xDS bootstrap, line 1, column 17"),
        ])
    func errors(json: String, part: String) {
        let error = #expect(throws: RPCError.self) { try XDS.Bootstrap(json: json) }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("xDS bootstrap") == true)
    }

    @Test("comes from the file that the environment names, or else from its text")
    func environment() throws {
        let text = "{\"xds_servers\": [\(Self.server)]}"
        func read(_ path: String) throws(RPCError) -> String {
            path == "/b" ? text : "{}"
        }
        let both = ["GRPC_XDS_BOOTSTRAP": "/b", "GRPC_XDS_BOOTSTRAP_CONFIG": "{}"]
        #expect(try XDS.Bootstrap.ofEnvironment({ both[$0] }, read: read).servers.count == 1)
        let one = ["GRPC_XDS_BOOTSTRAP_CONFIG": text]
        #expect(try XDS.Bootstrap.ofEnvironment({ one[$0] }, read: read).servers.count == 1)
        let error = #expect(throws: RPCError.self) {
            try XDS.Bootstrap.ofEnvironment({ _ in nil }, read: read)
        }
        #expect(error?.message.contains("set GRPC_XDS_BOOTSTRAP") == true)
    }
}
