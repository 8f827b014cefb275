import Swiftlet
import SwiftletLoopback
import SwiftletTransport
import Synchronization
import Testing

@testable import SwiftletCore

@Suite("The state of a channel", .timeLimit(.minutes(5)))
struct ChannelStateTests {
    /// Makes sockets to a server that accepts connections only between `appear()` and `vanish()`.
    private final class Supply: Sendable {
        private struct State {
            var isThere = false
            var attemptCount = 0
            var held: [Held] = []
        }
        private final class Held: Sendable {
            let socket: Socket
            init(_ socket: consuming Socket) { self.socket = socket }
        }
        private let state = Mutex(State())

        var attemptCount: Int { state.withLock { $0.attemptCount } }

        func appear() { state.withLock { $0.isThere = true } }

        /// Ends all connections, and refuses new ones.
        func vanish() {
            state.withLock { state in
                state.isThere = false
                for held in state.held { held.socket.stop() }
                state.held = []
            }
        }

        func connect() throws(SystemError) -> Socket {
            let isThere = state.withLock { state in
                state.attemptCount += 1
                return state.isThere
            }
            guard isThere else { throw SystemError("connect", "nowhere", code: 111) }
            do {
                return try Socket.withPair { client, server in
                    var settings = GatherList()
                    settings.append(referencing: RawFrame.settings([]))
                    while !settings.isEmpty { _ = try server.write(gathering: &settings) }
                    let held = Held(server)
                    state.withLock { $0.held.append(held) }
                    return client
                }
            } catch {
                throw SystemError("socketpair", "\(error)", code: 0)
            }
        }
    }

    /// A channel that makes its second attempt only after `resetBackoff()`: its backoff is an hour.
    private static func channel(to supply: Supply) throws -> Channel {
        var arguments = ChannelArguments()
        arguments.initialReconnectBackoff = .seconds(3_600)
        arguments.maxReconnectBackoff = .seconds(3_600)
        return try Channel(
            "nowhere", credentials: .insecure, arguments: arguments,
            defaultOptions: CallOptions(), interceptors: [], queues: [try .shared],
            sockets: { () throws(SystemError) in try supply.connect() })
    }

    private static func wait(for state: ConnectivityState, of channel: Channel) async {
        for await next in channel.connectivityChanges where next == state { break }
    }

    @Test(
        "is idle until it is used, fails without its server, and is ready once the server listens")
    func wholeLife() async throws {
        let supply = Supply()
        let channel = try Self.channel(to: supply)
        let core = try #require(channel.backend as? ChannelCore)
        #expect(channel.connectivity == .idle)
        #expect(supply.attemptCount == 0)

        channel.connect()
        await Self.wait(for: .transientFailure, of: channel)
        #expect(supply.attemptCount == 1)
        // Between two attempts, neither a call nor a second connect() begins an attempt.
        channel.connect()
        let error = await #expect(throws: RPCError.self) {
            try await channel.unary(HostileTrial.echo, [1])
        }
        #expect(error?.code == .unavailable)
        #expect(error?.mayHaveBeenExecuted == false)
        #expect(supply.attemptCount == 1)

        supply.appear()
        core.resetBackoff()
        await Self.wait(for: .ready, of: channel)
        #expect(supply.attemptCount == 2)

        // The connection was short and had no call, so the next attempt waits for its backoff.
        supply.vanish()
        await Self.wait(for: .transientFailure, of: channel)
        #expect(supply.attemptCount == 2)

        await channel.close()
        #expect(channel.connectivity == .shutdown)
        core.resetBackoff()
        channel.connect()
        #expect(channel.connectivity == .shutdown)
        #expect(supply.attemptCount == 2)
    }

    @Test("stays a failure while the next attempt runs, so that calls fail at once")
    func failureDuringAttempt() async throws {
        let supply = Supply()
        let channel = try Self.channel(to: supply)
        let core = try #require(channel.backend as? ChannelCore)
        channel.connect()
        await Self.wait(for: .transientFailure, of: channel)
        for count in 2...5 {
            core.resetBackoff()
            #expect(channel.connectivity == .transientFailure)
            try await eventually { supply.attemptCount == count }
        }
        await channel.close()
    }
}
