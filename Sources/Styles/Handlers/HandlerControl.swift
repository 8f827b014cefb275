import SwiftletCore
import SwiftletTransport
import Synchronization

/// What the program does with a call that has handlers: it pauses the call, asks for messages, and writes. The
/// program may keep this object after the end of the call, so it refers to no handler for responses.
final class HandlerControl: Sendable {
    fileprivate struct State: ~Copyable {
        var call: (any CallRequests)?
        var isPaused = false
        /// The number of messages that the program wants and that were not asked for yet. The
        /// largest number means all messages. Below zero: one more was asked for, which ends a released call.
        var wantedCount: Int
        /// Whether a message was asked for whose handler has not returned yet. At most one message
        /// is asked for at a time.
        var isAsking = false
        /// True after the program has released the call. It cannot ask for more messages.
        var isReleased = false
        var writeHandlers = Backlog<@Sendable (Bool) -> Void>()
        var requestIsFinished = false
        var isOver = false
    }

    private let state: Mutex<State>
    /// Whether the message that was asked for ends a released call. Read for each message, without the lock.
    private let isExcess = Atomic(false)

    init(initialDemand: Int?) {
        state = Mutex(State(wantedCount: max(0, initialDemand ?? .max)))
    }
}

// MARK: - The program's requests

extension HandlerControl {
    func begin(_ call: any CallRequests) {
        askIfWanted { $0.call = call }
    }

    func receiveNext(_ count: Int) {
        askIfWanted { $0.want(max(0, count)) }
    }

    func pause() { state.withLock { $0.isPaused = true } }

    func resume() {
        askIfWanted { $0.isPaused = false }
    }

    /// The program has released the call. When it has received what it wanted, one more message is asked for. If the server
    /// sends one, the call is cancelled. If not, the end of the call is delivered, which would wait otherwise.
    func wasReleased() {
        askIfWanted { state in
            state.isReleased = true
            if state.isPaused { (state.isPaused, state.wantedCount) = (false, 0) }
        }
    }

    /// Fails the call instead of delivering a message that the program did not want. Returns whether it did.
    func refusesMessage() -> Bool {
        guard isExcess.load(ordering: .relaxed) else { return false }
        call?.fail(
            RPCError(
                .cancelled,
                "the program released the call while it was paused, or had asked for no more messages"
            ))
        return true
    }

    /// Changes the state, and asks for the next message if that is now due.
    private func askIfWanted(after change: (inout State) -> Void) {
        let call = state.withLock { state in
            change(&state)
            let call = state.takeNextRequest()
            if state.wantedCount < 0 { isExcess.store(true, ordering: .relaxed) }
            return call
        }
        call?.receiveNext()
    }

    func requestWasFinished() { state.withLock { $0.requestIsFinished = true } }

    /// Called before a message is written. Keeps `handler` and returns true. Returns false without
    /// keeping it if the message is dropped or the call has ended. Throws if the request was
    /// finished.
    ///
    /// - Parameters:
    ///   - isDropped: Whether the call drops messages that are written.
    ///   - handler: Called when there is room for the next message.
    func willWrite(
        isDropped: Bool, _ handler: @escaping @Sendable (Bool) -> Void
    ) throws(RPCError) -> Bool {
        let result: Result<Bool, RPCError> = state.withLock { state in
            // Checked first: a write to a finished request is a mistake of the program, even if the
            // call has ended in the meantime.
            guard !state.requestIsFinished else { return .failure(.requestIsFinished) }
            guard !isDropped, !state.isOver else { return .success(false) }
            state.writeHandlers.append(handler)
            return .success(true)
        }
        return try result.get()
    }
}

// MARK: - Events of the call

extension HandlerControl {
    /// Nil before the start and after the end of the call.
    var call: (any CallRequests)? { state.withLock { $0.call } }

    /// The handler of a message has returned.
    func messageWasHandled() {
        askIfWanted { $0.isAsking = false }
    }

    func messageWasWritten(wasAccepted: Bool) {
        let handler = state.withLock { $0.writeHandlers.popFirst() }
        handler?(wasAccepted)
    }

    func callHasEnded() {
        var waiting = state.withLock { state in
            state.isOver = true
            state.call = nil
            defer { state.writeHandlers = Backlog() }
            return state.writeHandlers
        }
        while let handler = waiting.popFirst() { handler(false) }
    }
}

extension HandlerControl.State {
    fileprivate mutating func want(_ count: Int) {
        let (sum, isTooLarge) = wantedCount.addingReportingOverflow(count)
        wantedCount = isTooLarge ? .max : sum
    }

    /// Returns the call if its next message is to be asked for now.
    fileprivate mutating func takeNextRequest() -> (any CallRequests)? {
        guard let call, wantedCount > 0 || isReleased, !isPaused, !isAsking else { return nil }
        isAsking = true
        if wantedCount < .max { wantedCount -= 1 }
        return call
    }
}
