import SwiftletCore
import Synchronization

/// One host for each address.
public final class HostCache: Sendable {
    /// The cache of the program.
    public static let shared = HostCache()

    private struct State: ~Copyable {
        /// The host of each address.
        var hosts: [String: Host] = [:]
        /// The settings and the channel of each server, by its address or the origin of its URL.
        var servers: [String: HostServer] = [:]
        /// The changes that ``HostCache/configureAll(_:)`` has made.
        var changes: [@Sendable (inout Host.Settings) -> Void] = []
        /// How often ``changes`` was changed.
        var version = 0
    }

    private let state = Mutex(State())

    public init() {}

    /// The host of an address. The first look-up creates it. Base URLs of one server have different hosts
    /// with the same settings and the same channel.
    public func host(at address: String) -> Host {
        if let host = state.withLock({ $0.hosts[address] }) { return host }
        let origin = (try? WebAddress(address))?.origin ?? address
        while true {
            let (changes, version) = state.withLock { ($0.changes, $0.version) }
            let fresh = HostServer(origin)
            for change in changes { fresh.configure(change) }
            let host: Host? = state.withLock { state in
                if let host = state.hosts[address] { return host }
                guard state.servers[origin] != nil || state.version == version else { return nil }
                let server = state.servers[origin] ?? fresh
                let host = Host(address, server)
                state.servers[origin] = server
                state.hosts[address] = host
                return host
            }
            if let host { return host }
        }
    }

    /// Changes the settings of every host of the cache: of those that exist, as
    /// ``Host/configure(_:)`` does, and of those that are created later, before their first use.
    /// A change for one host that is made later overrides it. ``reset()`` removes the change.
    ///
    /// ```swift
    /// HostCache.shared.configureAll { $0.maxConnectionCount = 4 }
    /// ```
    public func configureAll(_ change: @escaping @Sendable (inout Host.Settings) -> Void) {
        let servers = state.withLock { state in
            state.changes.append(change)
            state.version += 1
            return Array(state.servers.values)
        }
        for server in servers { server.configure(change) }
    }

    /// Disconnects every host. The settings are kept.
    public func disconnectAll() {
        for server in state.withLock({ Array($0.servers.values) }) { server.disconnect() }
    }

    /// Removes every host with its settings, and the settings for all hosts. A program that still has a
    /// reference to a host can use it.
    public func reset() {
        var old = State()
        state.withLock { state in
            old.version = state.version + 1
            swap(&state, &old)
        }
        // What was removed is released outside the lock.
        _ = consume old
    }
}
