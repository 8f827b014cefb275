import Swiftlet
import SwiftletLoopback
import Testing

@testable import SwiftletCLI

@Suite("The command xds", .timeLimit(.minutes(5)))
struct MeshCommandTests {
    private static func run(
        _ words: [String], _ plane: SmallControlPlane
    ) async throws -> Program.Output {
        let file = try TemporaryFile(plane.bootstrap, suffix: ".json")
        return try await Program.run(
            ["xds"] + words, environment: ["GRPC_XDS_BOOTSTRAP": file.path])
    }

    @Test("shows the resources of targets, with their states and versions")
    func status() async throws {
        let plane = try SmallControlPlane(SmallControlPlane.resources)
        let text = try await Self.run(["xds:///svc"], plane)
        #expect(text.status == 0, "\(text.errors)")
        #expect(text.output.hasPrefix("xds:///svc (node n1)\n  control plane "))
        for line in [
            "Listener               svc     ACKED  version 1  ",
            "RouteConfiguration     routes  ACKED  version 1  ",
            "Cluster                a       ACKED  version 1  ",
            "ClusterLoadAssignment  a       ACKED  version 1  ",
        ] {
            #expect(text.output.contains("\n  " + line), "\(text.output)")
        }
        let json = try await Self.run(["status", "xds:///svc", "--json"], plane)
        #expect(json.output.contains("\"configuration\": \"complete\""))
        #expect(json.output.contains("\"state\": \"ACKED\""))
        #expect(json.output.contains("\"connected\": true"))
    }

    @Test("fails with the reason of calls, and shows the refused version")
    func failure() async throws {
        let broken = SmallControlPlane.resources.replacing(
            "\"rds\"", with: "\"xff_num_trusted_hops\": 1, \"rds\"")
        let plane = try SmallControlPlane(broken)
        let text = try await Self.run(["xds:///svc"], plane)
        #expect(text.status == 64 + 14)
        #expect(text.output.contains("\n  calls fail: xds: LDS resource svc: is not valid: "))
        #expect(text.output.contains("  Listener  svc  NACKED\n    version 1, "), "\(text.output)")
        let explained = try await Self.run(["explain", "xds:///svc", "s/m"], plane)
        #expect(explained.status == 64 + 14 && explained.output.isEmpty)
        #expect(explained.errors.contains("LDS resource svc: is not valid"))
    }

    @Test("waits as long as it is asked, and names what is missing")
    func late() async throws {
        let plane = try SmallControlPlane("[]")
        let text = try await Self.run(["xds:///svc", "--timeout", "300ms"], plane)
        #expect(text.status == 64 + 4)
        #expect(text.output.contains("\n  the configuration is not complete\n"))
        #expect(text.output.contains("  Listener  svc  REQUESTED"))
        let explained = try await Self.run(
            ["explain", "xds:///svc", "s/m", "--timeout", "300ms"], plane)
        #expect(explained.status == 64 + 4)
        #expect(
            explained.errors.contains("envoy.config.listener.v3.Listener svc is REQUESTED"),
            "\(explained.errors)")
    }

    @Test("explains which route a call takes, and why earlier ones do not match")
    func explain() async throws {
        let plane = try SmallControlPlane(SmallControlPlane.resources)
        let text = try await Self.run(
            ["explain", "xds:///svc", "pay.Payments/Charge", "-H", "x-tenant: red"], plane)
        #expect(text.status == 0, "\(text.errors)")
        for line in [
            "route 0        no: if the path begins with '/pay.', and the header 'x-tenant' is 'blue'",
            "                 but the header 'x-tenant' is 'red'",
            "route 1        yes: if the path begins with ''", "cluster        a",
            "timeout        1.5 seconds", "  priority 0   r/z (weight 1)",
            "                 127.0.0.1:8080 (weight 1)",
        ] {
            #expect(text.output.split(separator: "\n").contains(line[...]), "\(text.output)")
        }
        let json = try await Self.run(
            ["explain", "xds:///svc", "pay.Payments/Charge", "-H", "x-tenant: blue", "--json"],
            plane)
        #expect(json.output.contains("\"cluster\": \"b\""), "\(json.output)")
        #expect(json.output.contains("\"skippedRoutes\": []"))
    }

    @Test("lets other commands have such targets")
    func calls() async throws {
        let server = try LoopbackServer { $0.add(HealthService()) }
        let port = try #require(server.target.split(separator: ":").last)
        let plane = try SmallControlPlane(
            SmallControlPlane.resources.replacing("8080", with: String(port)))
        let file = try TemporaryFile(plane.bootstrap, suffix: ".json")
        let health = try await Program.run([
            "health", "xds:///svc", "--plaintext", "--xds-bootstrap", file.path,
        ])
        #expect(health.output == "SERVING\n", "\(health.errors)")
    }

    @Test("checks resources in files, and prints each problem with its path")
    func validate() async throws {
        let good = try TemporaryFile(SmallControlPlane.resources, suffix: ".json")
        let valid = try await Program.run(["xds", "validate", good.path])
        #expect(valid.status == 0, "\(valid.output)")
        #expect(
            valid.output.contains(
                "\(good.path): resource 0 (envoy.config.listener.v3.Listener svc): valid\n"))
        let bad = try TemporaryFile(
            SmallControlPlane.resources.replacing("\"EDS\"", with: "\"STATIC\""), suffix: ".json")
        let invalid = try await Program.run(["xds", "validate", good.path, bad.path])
        #expect(invalid.status == 1)
        #expect(
            invalid.output.contains("resource 2 (envoy.config.cluster.v3.Cluster a): type: "),
            "\(invalid.output)")
        let json = try await Program.run(["xds", "validate", bad.path, "--json"])
        #expect(json.status == 1 && json.output.contains("\"valid\": false"))
    }

    @Test(
        "refuses files that are no resources, with the place",
        arguments: [
            ("{", "line 1, column 2"), ("7", "expected an object with an '@type'"),
            ("{\"a\": 1}", "expected an object with an '@type'"),
            ("{\"@type\": 7}", "1:11: "), ("[{}, 1]", "1:6: "),
            (
                "{\"@type\": \"type.googleapis.com/envoy.config.cluster.v3.Cluster\", \"name\": 1}",
                "name"
            ),
        ])
    func malformed(text: String, error: String) async throws {
        let file = try TemporaryFile(text, suffix: ".json")
        let output = try await Program.run(["xds", "validate", file.path])
        #expect(output.status == 1 && output.errors.isEmpty)
        #expect(output.output.contains(error), "\(output.output)")
    }

    @Test("ignores what clients do not read")
    func unread() throws {
        let file = try ResourceFile(
            """
            {"@type": "type.googleapis.com/envoy.config.cluster.v3.Cluster", "name": "a",
             "dns_lookup_family": "V4_ONLY", "altStatName": {"x": [1, null]}, "type": "EDS",
             "eds_cluster_config": {"eds_config": {"ads": {}, "resource_api_version": "V3"}},
             "metadata": {"typed_filter_metadata": {"m": {"@type": "x/my.own.Message", "a": [{}]}}}}
            """)
        #expect(file.entries.count == 1)
    }

    @Test("reads a response of a control plane, and wrapped resources")
    func response() throws {
        let cluster =
            "{\"@type\": \"type.googleapis.com/envoy.config.cluster.v3.Cluster\", \"name\": \"a\"}"
        let wrapper =
            "{\"@type\": \"type.googleapis.com/envoy.service.discovery.v3.Resource\", \"name\": \"b\", \"resource\": \(cluster)}"
        let file = try ResourceFile(
            "{\"versionInfo\": \"1\", \"resources\": [\(cluster), \(wrapper)]}")
        #expect(file.entries.count == 2)
        #expect(file.entries[0].typeURL == "type.googleapis.com/envoy.config.cluster.v3.Cluster")
        #expect(file.entries[0].bytes == [0x0a, 1, UInt8(ascii: "a")])
    }

    @Test("refuses wrong usage")
    func usage() async throws {
        for (words, message) in [
            ([], "TARGET is missing"), (["status"], "TARGET is missing"),
            (["validate"], "FILE is missing"), (["explain"], "TARGET is missing"),
            (["explain", "xds:///a"], "SERVICE/METHOD is missing"),
            (["explain", "xds:///a", "s/m", "x"], "unexpected argument 'x'"),
            (
                ["localhost:1"],
                "'localhost:1' is not a target with a control plane (expected xds:///NAME)"
            ),
            (["validate", "/no/file"], "cannot read '/no/file': No such file or directory"),
            (
                ["xds:///a", "--xds-bootstrap", "/no/file"],
                "cannot read '/no/file': No such file or directory"
            ),
        ] {
            let error = await #expect(throws: UsageError.self) {
                try await MeshCommand.run(Arguments(words, of: MeshCommand.self))
            }
            #expect(error?.message == message)
        }
        let error = #expect(throws: UsageError.self) {
            let words = ["localhost:1", "--xds-bootstrap", "f"]
            _ = try ChannelOptions.channel(
                "localhost:1", Arguments(words, of: StateCommand.self))
        }
        #expect(error?.message == "--xds-bootstrap needs a target such as xds:///NAME")
    }

    @Test("says what is wrong with a bootstrap")
    func bootstrap() async throws {
        let file = try TemporaryFile("{\"xds_servers\": []}", suffix: ".json")
        let words = ["xds", "xds:///a", "--xds-bootstrap", file.path]
        let output = try await Program.run(words)
        #expect(output.status == 2)
        #expect(output.errors.contains("xDS bootstrap: xds_servers: is required"))
        let none = try await Program.run(
            ["xds", "xds:///a"],
            environment: ["GRPC_XDS_BOOTSTRAP": "", "GRPC_XDS_BOOTSTRAP_CONFIG": ""])
        #expect(none.status == 64 + 14)
        #expect(none.errors.contains("there is no xDS bootstrap"), "\(none.errors)")
    }
}
