import SwiftletTransport
import Synchronization

// The events of a channel's subchannels.

extension ChannelCore: SubchannelOwner {
    func subchannelChanged(_ subchannel: SubchannelCore) { post(.subchannel(subchannel)) }

    func subchannelLinksChanged(_ subchannel: SubchannelCore) {
        let calls = state.withLock { $0.renewRoute() }
        beginHandedOut(calls)
    }

    func subchannel(_ subchannel: SubchannelCore, reported load: LoadReport) {
        post(.load(subchannel, load))
    }

    func subchannelUseEnded(_ subchannel: SubchannelCore) {
        let closers = state.withLock { state in
            if subchannel.isOver, state.members[subchannel.id] === subchannel {
                state.members[subchannel.id] = nil
                state.pastCounts += subchannel.counts
            }
            return state.closers
        }
        for closer in closers { closer.signal() }
        shutDownIfReleased()
    }
}
