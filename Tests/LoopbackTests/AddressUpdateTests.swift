import Foundation
import SwiftletLoopback
import Synchronization
import Testing

@testable import Swiftlet
@testable import SwiftletCore

@Suite("A change of the addresses during an attempt to connect", .timeLimit(.minutes(5)))
struct AddressUpdateTests {
    /// A server that accepts connections and sends its SETTINGS later.
    private final class SlowServer: Sendable {
        let peer: RawPeer
        let endpoint: Endpoint
        private let settings = DispatchSemaphore(value: 0)

        init() throws {
            peer = try RawPeer(
                RawScript(opening: { [settings] connection in
                    settings.wait()
                    settings.signal()
                    try connection.send(RawFrame.settings([]))
                }))
            endpoint = Endpoint([try ServerAddress(peer.target)])
        }

        deinit { settings.signal() }

        func sendSettings() { settings.signal() }
    }

    @Test("tries an address again that was removed and is listed again")
    func listedAgain() async throws {
        let servers = try (0..<2).map { _ in try SlowServer() }
        func result(_ number: Int) -> ResolverResult { ResolverResult([servers[number].endpoint]) }
        let resolver = PushedResolver(result(0))
        var arguments = ChannelArguments()
        arguments.connectTimeout = .seconds(3_600)
        arguments.initialReconnectBackoff = .seconds(3_600)
        arguments.maxReconnectBackoff = .seconds(3_600)
        let channel = try Channel(resolver.target(), credentials: .insecure, arguments: arguments)
        channel.connect()
        for (number, server) in servers.enumerated() {
            await resolver.push(result(number))
            try await eventually { server.peer.connectionCount == 1 }
        }
        await resolver.push(result(0))
        for server in servers { server.sendSettings() }
        try await eventually { channel.connectivity == .ready }
        #expect(servers.map(\.peer.connectionCount) == [2, 1])
    }

    @Test(
        "does not interrupt a handshake with an address that stays",
        arguments: [
            ([0, 1], [1, 0]), ([0, 1], [0]), ([0], [0, 1]), ([0], [1, 0]), ([0, 1], [0, 2]),
        ] as [([Int], [Int])])
    func keptHandshake(before: [Int], after: [Int]) async throws {
        let servers = try (0..<3).map { _ in try SlowServer() }
        func result(_ numbers: [Int]) -> ResolverResult {
            ResolverResult(numbers.map { servers[$0].endpoint })
        }
        let resolver = PushedResolver(result(before))
        var arguments = ChannelArguments()
        arguments.connectTimeout = .seconds(3_600)
        let channel = try Channel(resolver.target(), credentials: .insecure, arguments: arguments)
        channel.connect()
        try await eventually { servers[0].peer.connectionCount == 1 }
        for _ in 0..<3 {
            await resolver.push(result(after))
            await resolver.push(result(before))
        }
        await resolver.push(result(after))
        for server in servers { server.sendSettings() }
        try await eventually { channel.connectivity == .ready }
        let core = try #require(channel.backend as? ChannelCore)
        let members = core.state.withLock { Array($0.members.values) }
        // On a busy machine the next address is tried as well, and may win.
        #expect(members.flatMap(\.allLinks).count == 1)
        #expect(servers[0].peer.connectionCount == 1)
    }
}
