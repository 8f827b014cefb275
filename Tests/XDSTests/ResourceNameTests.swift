import SwiftletCore
import Testing

@testable import SwiftletXDS

@Suite("The name of a resource")
struct ResourceNameTests {
    private static let listener = "envoy.config.listener.v3.Listener"

    @Test(
        "of the new form has one spelling",
        arguments: [
            ("xdstp://a/T/id", "xdstp://a/T/id"),
            ("xdstp://a/T/i/d", "xdstp://a/T/i/d"),
            ("xdstp:///T/id", "xdstp:///T/id"),
            ("xdstp://a/T/", "xdstp://a/T/"),
            ("xdstp://a/T/id?b=2&a=1", "xdstp://a/T/id?a=1&b=2"),
            ("xdstp://a/T/id?a=1&a=2", "xdstp://a/T/id?a=2"),
            ("xdstp://a/T/id?a", "xdstp://a/T/id?a="),
            ("xdstp://a/T/id?", "xdstp://a/T/id"),
            ("xdstp://a/T/id?a=b=c", "xdstp://a/T/id?a=b=c"),
            ("xdstp://a/T/i%41d%20e", "xdstp://a/T/iAd%20e"),
            ("xdstp://a/T/i d%", "xdstp://a/T/i%20d%25"),
            ("xdstp://a/T/id?k%3D=%26#part", "xdstp://a/T/id?k%3D=%26"),
        ])
    func spelling(name: String, expected: String) {
        func full(_ text: String) -> String {
            text.replacing("T", with: Self.listener, maxReplacements: 1)
        }
        let parsed = ResourceName(full(name), of: .listener)
        #expect(parsed?.text.string == full(expected))
        let again = parsed.flatMap { ResourceName($0.text.string, of: .listener) }
        #expect(again == parsed)
    }

    @Test(
        "of the new form is refused if it is not one of the type",
        arguments: [
            "xdstp:", "xdstp:/a", "xdstp://a", "xdstp://a/envoy.config.listener.v3.Listener",
            "xdstp://a/envoy.config.cluster.v3.Cluster/id", "xdstp://a/T/id",
            "xdstp://a/envoy.config.listener.v3.Listener/%ff",
            "xdstp://a/envoy.config.listener.v3.Listener/id?%ff=1",
            "xdstp://%ff/envoy.config.listener.v3.Listener/id",
        ])
    func refused(name: String) {
        #expect(ResourceName(name, of: .listener) == nil)
    }

    @Test("of any other form is opaque and compared byte by byte")
    func opaque() {
        let name = ResourceName("a?b=2&a=1", of: .cluster)
        #expect(name?.text == "a?b=2&a=1" && name?.authority == nil)
        #expect(ResourceName("\u{e9}", of: .cluster) != ResourceName("e\u{301}", of: .cluster))
        #expect(ResourceName("", of: .cluster)?.text.isEmpty == true)
    }

    @Test("of a target's listener comes from the template, encoded where the template is a URI")
    func template() throws {
        let servers =
            #""xds_servers": [{"server_uri": "a", "channel_creds": [{"type": "insecure"}]}]"#
        let bootstrap = try XDS.Bootstrap(
            json: """
                {\(servers), "client_default_listener_resource_name_template": "grpc/%s/%s", "authorities": {
                  "x": {}, "y": {\(servers.replacing("\"a\"", with: "\"b\""))}, "": {}}}
                """)
        #expect(
            try bootstrap.listenerName(of: "svc x:80", authority: "").text
                == "grpc/svc x:80/svc x:80")
        let name = try bootstrap.listenerName(of: "svc x:80/a?", authority: "y")
        #expect(name.text.string == "xdstp://y/\(Self.listener)/svc%20x:80/a%3F")
        #expect(try bootstrap.servers(for: name).map(\.target) == ["b"])
        let none = try #require(ResourceName("xdstp:///\(Self.listener)/a", of: .listener))
        #expect(try bootstrap.servers(for: none).map(\.target) == ["a"])
        let error = #expect(throws: RPCError.self) {
            try bootstrap.listenerName(of: "a", authority: "z")
        }
        #expect(error?.code == .unavailable && error?.message.contains("no authority 'z'") == true)
        let unknown = try #require(ResourceName("xdstp://q/\(Self.listener)/a", of: .listener))
        #expect(throws: RPCError.self) { try bootstrap.servers(for: unknown) }
    }
}
