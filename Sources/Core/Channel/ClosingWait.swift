import SwiftletTransport
import Synchronization

/// Waits until the last call of connections that were left has ended, and the last that
/// interceptors have in hand, but no longer than it may. For that time it is the connections' owner,
/// and tells the former one, which may wait as well.
final class ClosingWait: LinkOwner, TimerTarget {
    private struct State {
        var links: [ObjectIdentifier: Link]
        var hasChains: Bool
        var formerOwners: [ObjectIdentifier: any LinkOwner] = [:]
        var waiter: Resumption<Void>?
        var timer: TimerHandle?
    }

    private let loop: EventLoop
    private let chains: ChainRegistry?
    private let state: Mutex<State>

    /// - Parameter chains: What interceptors have in hand; nil is not waited for.
    init(for links: [Link], _ chains: ChainRegistry? = nil, loop: EventLoop) {
        self.loop = loop
        self.chains = chains
        let links = Dictionary(uniqueKeysWithValues: links.map { (ObjectIdentifier($0), $0) })
        state = Mutex(State(links: links, hasChains: chains != nil))
    }

    func wait(until deadline: MonotonicInstant) async {
        let links = state.withLock { Array($0.links.values) }
        await Resumption<Void>.wait { waiter in
            state.withLock { $0.waiter = waiter }
            startTimer(deadline)
            for link in links {
                let former = link.changeOwner(to: self)
                state.withLock { $0.formerOwners[ObjectIdentifier(link)] = former }
                // It may have ended before anybody here could be told, or before it was known who
                // else is to be.
                if link.hasEnded {
                    linkEnded(link, LinkError(phase: .http2, cause: "it had ended before"))
                }
            }
            chains?.whenEmpty { [self] in settle { $0.hasChains = false } }
        }
    }

    private func startTimer(_ deadline: MonotonicInstant) {
        let timer = loop.schedule(self, at: deadline)
        let isNeeded = state.withLock { state in
            guard state.waiter != nil else { return false }
            state.timer = timer
            return true
        }
        // When the queue has been shut down nothing can come of waiting.
        let isInVain = loop.isClosed
        if isInVain { stop() }
        if isInVain || !isNeeded { loop.cancel(timer) }
    }

    func timerFired(now: MonotonicInstant) { stop() }

    private func stop() {
        let waiter = state.withLock { state in
            state.links = [:]
            return state.waiter.take()
        }
        waiter?.resume()
    }

    func linkEnded(_ link: Link, _ error: LinkError) {
        let former = state.withLock {
            $0.formerOwners.removeValue(forKey: ObjectIdentifier(link))
        }
        former?.linkEnded(link, error)
        settle { $0.links[ObjectIdentifier(link)] = nil }
    }

    private func settle(_ change: (inout State) -> Void) {
        let (waiter, timer): (Resumption<Void>?, TimerHandle?) = state.withLock { state in
            change(&state)
            guard state.links.isEmpty, !state.hasChains else { return (nil, nil) }
            return (state.waiter.take(), state.timer.take())
        }
        if let timer { loop.cancel(timer) }
        waiter?.resume()
    }

    // The connections take no calls, whatever they have to say.
    func linkIsReady(_ link: Link) {}
    func linkIsLeaving(_ link: Link, _ goAway: GoAwayFrame) {}
    func linkHasRoom(_ link: Link) {}
}
