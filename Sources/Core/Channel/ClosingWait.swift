import SwiftletTransport
import Synchronization

/// Waits until the calls on the connections of a closing channel, and those of its registry,
/// have ended, or until its deadline. Meanwhile it owns the connections. It reports the end of each
/// connection to the former owner, which may be another ``ClosingWait``.
final class ClosingWait: LinkOwner, TimerTarget {
    private struct State: ~Copyable {
        var progress: ClosingProgress<ObjectIdentifier>
        /// The links to wait for, until the wait begins. They are then removed, because a
        /// connection may retain its owner, which is this object.
        var links: [any SubchannelLink]
        var formerOwners: [ObjectIdentifier: any LinkOwner] = [:]
        var waiter: Resumption<Void>?
    }

    private let openCalls: CallRegistry?
    private let loop: EventLoop
    private let deadline: MonotonicInstant
    private let timer = TimerSlot()
    private let state: Mutex<State>

    /// - Parameter openCalls: The registered calls to wait for; nil waits for none.
    init(
        for links: [any SubchannelLink], _ openCalls: CallRegistry? = nil, loop: EventLoop,
        until deadline: MonotonicInstant
    ) {
        self.openCalls = openCalls
        self.loop = loop
        self.deadline = deadline
        state = Mutex(
            State(
                progress: ClosingProgress(
                    connections: links.map { ObjectIdentifier($0) }, hasHeldCalls: openCalls != nil,
                    deadline: deadline),
                links: links))
    }

    /// Returns at the deadline at the latest, and at once when the calling task is cancelled.
    func waitOrCancel() async {
        await withTaskCancellationHandler {
            await wait()
        } onCancel: {
            cancel()
        }
    }

    /// Returns at the deadline at the latest.
    func wait() async {
        await Resumption<Void>.wait { waiter in
            let isOver = state.withLock { state in
                if !state.progress.isOver { state.waiter = waiter }
                return state.progress.isOver
            }
            guard !isOver else { return waiter.resume() }
            startTimer()
            for link in takeLinks() {
                let former = link.changeOwner(to: self)
                state.withLock { $0.formerOwners[ObjectIdentifier(link)] = former }
                // If the connection ended before the lines above were complete, this object or the
                // former owner did not get the report of its end.
                if link.hasEnded {
                    linkEnded(link, LinkError(phase: .http2, cause: "it had ended before"))
                }
            }
            openCalls?.whenEmpty { [self] in note { $0.heldCallsEnded() } }
        }
    }

    private func takeLinks() -> [any SubchannelLink] {
        state.withLock { state in
            defer { state.links = [] }
            return state.links
        }
    }

    private func startTimer() {
        timer.schedule(self, at: deadline, on: loop.timerLoop(isAwaited: true))
        // The timer of a queue that has been shut down never fires.
        if loop.isClosed { cancel() }
    }

    func timerFired(now: MonotonicInstant) { note { $0.timerFired(now: now) } }

    /// Ends the wait now, whatever is still open.
    private func cancel() { note { $0.cancel() } }

    func linkEnded(_ link: any SubchannelLink, _ error: LinkError) {
        let former = state.withLock {
            $0.formerOwners.removeValue(forKey: ObjectIdentifier(link))
        }
        former?.linkEnded(link, error)
        note { $0.connectionEnded(ObjectIdentifier(link)) }
    }

    /// Resumes the waiting task when the change ends the wait.
    private func note(_ change: (inout ClosingProgress<ObjectIdentifier>) -> Bool) {
        let waiter: Resumption<Void>? = state.withLock { state in
            change(&state.progress) ? state.waiter.take() : nil
        }
        guard let waiter else { return }
        timer.close()
        waiter.resume()
    }

    // The connections accept no more calls, so these events need no reaction.
    func linkIsReady(_ link: Link) {}
    func linkIsLeaving(_ link: Link, _ goAway: GoAwayFrame) {}
    func linkHasRoom(_ link: any SubchannelLink) {}
}
