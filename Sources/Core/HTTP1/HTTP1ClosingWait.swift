import SwiftletTransport
import Synchronization

/// Waits until the calls on the connections of a closing channel, and those of its registry, have ended, or
/// until its deadline.
final class HTTP1ClosingWait: TimerTarget {
    private struct State {
        var hasConnections = true
        var hasHeldCalls = true
        var isOver = false
        var waiter: Resumption<Void>?
    }

    private let timer = TimerSlot()
    private let state = Mutex(State())

    /// Returns at the deadline at the latest, and at once when the calling task is cancelled.
    func wait(until deadline: MonotonicInstant, on loop: EventLoop) async {
        await withTaskCancellationHandler {
            await Resumption<Void>.wait { waiter in
                let isOver = state.withLock { state in
                    if !state.isOver { state.waiter = waiter }
                    return state.isOver
                }
                guard !isOver else { return waiter.resume() }
                timer.schedule(self, at: deadline, on: loop.timerLoop(isAwaited: true))
                // The timer of a queue that has been shut down never fires.
                if loop.isClosed { end() }
            }
        } onCancel: {
            end()
        }
        timer.close()
    }

    func connectionsEnded() { note { $0.hasConnections = false } }

    func heldCallsEnded() { note { $0.hasHeldCalls = false } }

    func timerFired(now: MonotonicInstant) { end() }

    private func end() { note { $0.isOver = true } }

    private func note(_ change: (inout State) -> Void) {
        let waiter: Resumption<Void>? = state.withLock { state in
            change(&state)
            if !state.hasConnections, !state.hasHeldCalls { state.isOver = true }
            return state.isOver ? state.waiter.take() : nil
        }
        waiter?.resume()
    }
}
