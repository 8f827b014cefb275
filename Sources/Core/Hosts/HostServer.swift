import SwiftletTransport
import Synchronization

/// The settings and the channel of the hosts that name one server.
final class HostServer: Sendable {
    private struct State: ~Copyable {
        var settings = Host.Settings()
        /// How often the settings were changed.
        var version = 0
        var channel: Channel?
    }

    private let address: String
    private let state = Mutex(State())

    init(_ address: String) { self.address = address }
}

extension HostServer {
    var settings: Host.Settings { state.withLock { $0.settings } }

    func configure(_ change: (inout Host.Settings) -> Void) {
        while true {
            var (settings, version) = state.withLock { ($0.settings, $0.version) }
            HeldLocks.assertNone(calling: "change of settings")
            change(&settings)
            let isDone = state.withLock { state in
                guard state.version == version else { return false }
                state.version += 1
                // The old ones are released outside the lock.
                swap(&state.settings, &settings)
                return true
            }
            if isDone { return }
        }
    }

    func channel() throws(RPCError) -> Channel {
        if let channel = state.withLock({ $0.channel }) { return channel }
        let settings = settings
        let fresh = try makeChannel(settings)
        settings.connectivityMonitor?.add(self)
        return state.withLock { state in
            if let channel = state.channel { return channel }
            state.channel = fresh
            return fresh
        }
    }

    func disconnect() {
        let old = state.withLock { $0.channel.take() }
        old?.leaveConnections()
    }

    /// The machine has lost its network, so the connections are gone. The next channel is made from
    /// the settings at that time.
    func networkWasLost(_ monitor: ConnectivityMonitor) {
        let isLocal = (try? Target(address))?.isLocal ?? false
        if monitor.includesLocal || !isLocal { disconnect() }
    }

    private func makeChannel(_ settings: Host.Settings) throws(RPCError) -> Channel {
        let version = settings.httpVersion ?? .http2
        if version != .http2 || WebAddress.isWebAddress(address) {
            return try WebChannels.channel(to: address, settings)
        }
        return try Channel(
            address, credentials: try settings.credentials(isSecure: settings.isSecure),
            arguments: settings.arguments, defaultOptions: settings.defaultOptions,
            interceptors: settings.interceptors, queue: settings.queue)
    }
}

extension Host.Settings {
    package func credentials(isSecure: Bool) throws(RPCError) -> ChannelCredentials {
        if let credentials { return credentials }
        guard isSecure else { return .insecure }
        var options = TLSOptions()
        options.targetNameOverride = hostNameOverride
        return try .tls(options)
    }
}
