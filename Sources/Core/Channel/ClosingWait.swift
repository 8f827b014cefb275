import SwiftletTransport
import Synchronization

/// Waits until the calls on the connections of a closing channel, and those that interceptors hold,
/// have ended, or until its deadline. Meanwhile it owns the connections, and reports to the former
/// owner, which may wait as well.
final class ClosingWait: LinkOwner, TimerTarget {
    private struct State {
        var links: [ObjectIdentifier: Link]
        var hasChains: Bool
        var formerOwners: [ObjectIdentifier: any LinkOwner] = [:]
        var waiter: Resumption<Void>?
        var isOver = false
    }

    private let loop: EventLoop
    private let chains: ChainRegistry?
    private let timer = TimerSlot()
    private let state: Mutex<State>

    /// - Parameter chains: What interceptors have in hand; nil is not waited for.
    init(for links: [Link], _ chains: ChainRegistry? = nil, loop: EventLoop) {
        self.loop = loop
        self.chains = chains
        let links = Dictionary(uniqueKeysWithValues: links.map { (ObjectIdentifier($0), $0) })
        state = Mutex(State(links: links, hasChains: chains != nil))
    }

    /// Returns at the deadline at the latest, and at once when the calling task is cancelled.
    func waitOrCancel(until deadline: MonotonicInstant) async {
        await withTaskCancellationHandler {
            await wait(until: deadline)
        } onCancel: {
            stop()
        }
    }

    /// Returns at the deadline at the latest.
    func wait(until deadline: MonotonicInstant) async {
        let links = state.withLock { Array($0.links.values) }
        await Resumption<Void>.wait { waiter in
            let isOver = state.withLock { state in
                if !state.isOver { state.waiter = waiter }
                return state.isOver
            }
            guard !isOver else { return waiter.resume() }
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
        timer.schedule(self, at: deadline, on: loop)
        // The timer of a queue that has been shut down never fires.
        if loop.isClosed { stop() }
    }

    func timerFired(now: MonotonicInstant) { stop() }

    /// Ends the wait now, whatever is still open.
    private func stop() {
        let waiter = state.withLock { state in
            state.links = [:]
            state.isOver = true
            return state.waiter.take()
        }
        timer.close()
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
        let waiter: Resumption<Void>? = state.withLock { state in
            change(&state)
            guard state.links.isEmpty, !state.hasChains else { return nil }
            state.isOver = true
            return state.waiter.take()
        }
        guard let waiter else { return }
        timer.close()
        waiter.resume()
    }

    // The connections accept no more calls, so these events need no reaction.
    func linkIsReady(_ link: Link) {}
    func linkIsLeaving(_ link: Link, _ goAway: GoAwayFrame) {}
    func linkHasRoom(_ link: Link) {}
}
