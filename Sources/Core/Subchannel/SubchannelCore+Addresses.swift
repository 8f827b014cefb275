import SwiftletTransport
import Synchronization

// How a subchannel changes its addresses.

extension SubchannelCore {
    /// The balancer has other addresses for the endpoint. Connections to addresses that are gone are
    /// drained. A new address is tried at once: the delay after failures of other addresses does
    /// not apply to it.
    ///
    /// A running attempt continues, with the addresses that stay: a resolver that reports often must not
    /// keep the channel from connecting.
    func update(_ endpoint: Endpoint) {
        let addresses = endpoint.addresses.map(\.socketAddress)
        let serverNames = endpoint.serverNames
        typealias Outcome = (
            drained: [Link], waiting: [CallCore], attempt: ConnectionRace<Link>?,
            mustConnect: Bool
        )
        let outcome: Outcome = change { state in
            guard state.addresses != addresses || state.serverNames != serverNames
            else { return ([], [], nil, false) }
            // An address with another TLS name is a new one.
            let known = Set(state.addresses)
            let kept = addresses.filter {
                known.contains($0) && state.serverNames[$0] == serverNames[$0]
            }
            let hasNew = kept.count < addresses.count
            state.addresses = addresses
            state.serverNames = serverNames
            let keptPeers = Set(kept.map { "\($0)" })
            let gone = state.links.filter { !keptPeers.contains($0.peer) }
            let waiting = state.drain(gone, at: .now)
            let mustConnect =
                state.attempt != nil || (hasNew && state.connectivity == .transientFailure)
            if hasNew, mustConnect {
                state.backoff.reset()
                if let attempt = state.attempt {
                    let (delay, _) = state.beginAttempt(
                        connectTimeout: plan.arguments.connectTimeout, at: .now)
                    state.nextAttempt = attempt.begun + delay
                }
            }
            return (gone, waiting, state.attempt, mustConnect)
        }
        leave(outcome.drained)
        if !outcome.drained.isEmpty { linksChanged(pickingFor: outcome.waiting) }
        guard outcome.mustConnect else { return }
        if let attempt = outcome.attempt {
            return attempt.update(to: addresses, serverNames: serverNames)
        }
        backoffTimer.cancel()
        startConnecting()
    }
}

extension SubchannelCore.State {
    /// Whether a connection to `peer`, whose certificate was checked for `name`, may be used.
    func lists(_ peer: String, named name: String?) -> Bool {
        addresses.contains { "\($0)" == peer && serverNames[$0] == name }
    }
}
