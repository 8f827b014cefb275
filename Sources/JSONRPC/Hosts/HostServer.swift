import SwiftletCore
import SwiftletTransport
import Synchronization

/// The settings and the channel of the hosts that name one server.
final class HostServer: Sendable {
    private struct State: ~Copyable {
        var settings = Host.Settings()
        /// How often the settings were changed.
        var version = 0
        var made: MadeChannel?
        /// A channel that is being made while it changes is not kept: its settings are old.
        var disconnectCount = 0
    }

    private struct MadeChannel: Sendable {
        let channel: Channel
        /// Reports the loss of the network that the server is reached by; nil if it is reached without one.
        let monitor: ConnectivityMonitor?
        /// The losses that the monitor had reported before the channel was made.
        let lossCount: Int

        /// Then its connections are gone, and the next channel is made from the settings at that time.
        var hasLostNetwork: Bool { monitor.map { $0.lossCount != lossCount } ?? false }
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
        if let made = state.withLock({ $0.made }), !made.hasLostNetwork { return made.channel }
        let (settings, count) = state.withLock { ($0.settings, $0.disconnectCount) }
        let fresh = try makeChannel(settings)
        let (made, old): (MadeChannel, MadeChannel?) = state.withLock { state in
            if let made = state.made, !made.hasLostNetwork { return (made, nil) }
            guard state.disconnectCount == count else { return (fresh, nil) }
            let old = state.made
            state.made = fresh
            return (fresh, old)
        }
        old?.channel.leaveConnections()
        return made.channel
    }

    func disconnect() {
        let old = state.withLock { state in
            state.disconnectCount += 1
            return state.made.take()
        }
        old?.channel.leaveConnections()
    }

    private func makeChannel(_ settings: Host.Settings) throws(RPCError) -> MadeChannel {
        let target = (try? WebAddress(address))?.target ?? address
        let isLocal = (try? Target(target))?.isLocal ?? false
        let monitor = settings.connectivityMonitor.flatMap { monitor in
            isLocal && !monitor.includesLocal ? nil : monitor
        }
        // Read before the channel is made, so that no loss is missed.
        let lossCount = monitor?.lossCount ?? 0
        return MadeChannel(
            channel: try settings.makeChannel(to: address), monitor: monitor, lossCount: lossCount)
    }
}

extension Host.Settings {
    fileprivate func makeChannel(to address: String) throws(RPCError) -> Channel {
        if WebAddress.isWebAddress(address) {
            // The scheme of the URL decides whether TLS is used.
            let isSecure = try WebAddress(address).isSecure
            return try Channel(
                url: address, version: httpVersion ?? .negotiated,
                credentials: try credentials(isSecure: isSecure), arguments: arguments,
                defaultOptions: defaultOptions, interceptors: interceptors, queue: queue)
        }
        return try Channel(
            address, version: httpVersion ?? .http2,
            credentials: try credentials(isSecure: isSecure), arguments: arguments,
            defaultOptions: defaultOptions, interceptors: interceptors, queue: queue)
    }

    private func credentials(isSecure: Bool) throws(RPCError) -> ChannelCredentials {
        if let credentials { return credentials }
        guard isSecure else { return .insecure }
        var options = TLSOptions()
        options.targetNameOverride = hostNameOverride
        return try .tls(options)
    }
}
