import SwiftletLoopback
import Synchronization
import Testing

@testable import Swiftlet
@testable import SwiftletCore

@Suite("A scheme of a module", .timeLimit(.minutes(5)))
struct ModuleSchemeTests {
    @Test("gets the channel's target, authority, arguments, credentials and loop")
    func channel() async throws {
        let server = try LoopbackServer { server in
            server.unary(ManyServersTests.whoAmI) { _, _ in [1] }
        }
        let endpoint = Endpoint([try ServerAddress(server.target)])
        let seen = Mutex<ResolverChannel?>(nil)
        Resolvers.register(forModule: "module-test") { channel in
            seen.withLock { $0 = channel }
            return FixedResolver(endpoints: [endpoint])
        }
        var arguments = ChannelArguments()
        arguments.userAgentPrefix = "mine"
        let queue = try CompletionQueue()
        let channel = try Channel(
            "module-test://control.plane:8080/shop/cart 1", credentials: .insecure,
            arguments: arguments, queue: queue)
        #expect(try await channel.unary(ManyServersTests.whoAmI, []) == [1])
        let given = try #require(seen.withLock { $0 })
        #expect(given.target.uriAuthority == "control.plane:8080")
        #expect(given.target.path == "shop/cart 1")
        #expect(given.authority == "shop%2Fcart%201")
        #expect(given.arguments.userAgentPrefix == "mine")
        #expect(!given.credentials.isSecure)
        #expect(given.loop === queue.loop)
        await channel.close()
        queue.shutdown()
    }

    @Test("has no HTTP proxy, also if one is set")
    func noProxy() throws {
        Resolvers.register(forModule: "module-proxy-test") { _ in FixedResolver(endpoints: []) }
        let target = try Target("module-proxy-test:///localhost:80")
        let proxy = ProxyChoice.server(try ProxyServer("http://proxy:3128"))
        #expect(try proxy.proxy(for: target) == nil)
        #expect(
            try ProxyChoice.environment.proxy(for: target) { _ in "http://proxy:3128" } == nil)
    }

    @Test("of xDS names what a program can write instead")
    func missing() {
        let error = Target.unknown("xds", of: "xds:///payments.prod")
        #expect(error.code == .invalidArgument)
        #expect(
            error.message
                == "the target 'xds:///payments.prod' needs a control plane: add 'import SwiftletXDS', and call 'XDS.enable()' when the program starts"
        )
        #expect(Target.unknown("etcd2", of: "etcd2:///a").message.contains("Resolvers.register"))
    }
}
