import SwiftletTransport
import Synchronization

// The calls of a subchannel, and the events of its connections.

extension SubchannelCore: SubchannelBackend {
    func open(_ call: CallCore, _ prepared: PreparedHeaders) -> SubchannelOpening {
        while true {
            var wait: Work?
            let link = state.withLock { state -> (any SubchannelLink)? in
                if let link = state.life.linkForCall(at: .now) { return link }
                if !state.life.links.open.isEmpty { wait = prepare(.waits(call), &state) }
                return nil
            }
            guard let link else {
                guard let wait else { return .disconnected }
                carryOut(wait)
                return .opened
            }
            switch link.place(call, prepared) {
            case .placed: return .opened
            case .busy: continue
            case .refused: drainRefusing(link)
            }
        }
    }

    func requestConnection() { plan.firstLoop.run { [self] in handle(.wanted) } }
}

extension SubchannelCore: LinkOwner {
    func linkIsReady(_ link: Link) {}

    func linkHasRoom(_ link: any SubchannelLink) {
        repeat {
            handle(.room(link, streamCount: link.roomCount))
        } while state.withLock { $0.life.hasWaitingCalls(for: link) }
            && !link.hasEnded && !link.reportRoom()
    }

    func linkIsLeaving(_ link: Link, _ goAway: GoAwayFrame) {
        if goAway.isTooManyPings, link.notePingComplaint() { plan.doubleKeepAliveInterval() }
        let cause = "the server sent GOAWAY (\(goAway.code)) before it carried a call"
        let loss = LinkError(phase: .http2, cause: cause, kind: .goAway(goAway.code))
        handle(.draining(link, loss))
    }

    /// A connection has refused a call: it has ended, or its server has sent a GOAWAY that was not
    /// reported yet, or it has no stream identifiers left. Its other calls continue. It reports its end itself, when its
    /// calls have found another connection: without one, a released channel would be shut down before.
    func drainRefusing(_ link: any SubchannelLink) {
        handle(.draining(link, link.loss))
        link.leave()
    }

    func linkEnded(_ link: any SubchannelLink, _ error: LinkError) {
        handle(.ended(link, error))
    }
}

extension GoAwayFrame {
    /// Whether the server reports that it gets too many PINGs (proposal A8).
    fileprivate var isTooManyPings: Bool {
        code == .enhanceYourCalm && debugData == Array("too_many_pings".utf8)
    }
}

// MARK: - State

extension SubchannelCore {
    /// The next state for the balancer. Nil if it has received all.
    func takeReport() -> SubchannelState? {
        state.withLock { $0.reports.isEmpty ? nil : $0.reports.removeFirst() }
    }

    /// The part of a failed ``report`` that changes with time. Nil if the subchannel has not failed.
    var reconnection: RPCError.Reconnection? { state.withLock { $0.life.reconnection } }

    /// The running attempt to connect, and the last failure; nil if there is none. A call that
    /// reaches its deadline reports both as causes.
    var waitState: (attempt: ConnectionRace?, failure: ConnectionFailure?) {
        state.withLock { ($0.race, $0.life.failure) }
    }

    /// The connection of a subchannel that may have only one; nil if it may have more.
    var onlyLink: (any SubchannelLink)? { state.withLock { $0.life.onlyLink } }

    /// The open connections, including those that are drained.
    var allLinks: [any SubchannelLink] { state.withLock { $0.life.links.all } }

    /// Whether calls of the program use the subchannel.
    var hasCalls: Bool {
        let (isAwaited, links, streams) = state.withLock { state in
            (state.life.hasWaitingCalls, state.life.links.all, state.streams)
        }
        return isAwaited
            || links.contains { link in
                link.callCount > streams.count { $0.link === link && $0.isOpen }
            }
    }

    /// Whether calls wait for a stream, or were taken from the waiting ones and have not begun again.
    var hasWaitingCalls: Bool { state.withLock { $0.life.hasWaitingCalls } }

    func takeWaiting(where isTaken: (CallCore) -> Bool) -> [CallCore] {
        state.withLock { $0.life.takeWaiting(where: isTaken) }
    }

    /// Whether the subchannel was dropped, its last connection has ended, and no call waits here.
    var isOver: Bool { state.withLock { $0.life.isOver } }

    var isDropped: Bool { state.withLock { $0.life.isDropped } }

    var isEmpty: Bool { state.withLock { $0.life.links.isEmpty } }

    var counts: ChannelCounts { state.withLock { $0.life.links.counts } }
}
