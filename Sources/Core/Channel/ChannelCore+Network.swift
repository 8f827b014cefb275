import SwiftletTransport
import Synchronization

extension ChannelCore: NetworkFollower {
    func networkChanged(isConnected: Bool, _ monitor: ConnectivityMonitor) {
        guard !isConnected else { return resetBackoff() }
        let members = state.withLock { Array($0.members.values) }
        // Calls that wait for the resolver's config wait for a connection from here on. A call that waits
        // for ready continues to wait.
        methodConfigs?.releaseOthers(andLater: false)
        var calls = state.withLock { $0.waiting.take { !$0.head.waitForReady } }
        calls += members.flatMap { $0.takeWaiting { !$0.head.waitForReady } }
        for call in calls {
            var error = StatusMapping.networkLoss.notExecuted
            error.phase = .connect
            call.attemptFailed(with: error)
        }
        var loss = LinkError(phase: .http2, cause: "the machine has lost its network")
        loss.isNetworkLoss = true
        for member in members {
            for link in member.allLinks
            where monitor.includesLocal || !link.address.isOnThisMachine {
                // At once, so that no call begins on a connection that is about to end.
                member.handle(.draining(link, loss))
                link.endSoon(with: loss)
            }
        }
    }
}
