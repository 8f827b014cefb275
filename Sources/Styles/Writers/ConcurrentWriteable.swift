public import SwiftletCore
import SwiftletTransport
import Synchronization

/// Accepts values and an end on any thread. Passes them to another writeable one at a time, in
/// order, in one context. Passes the end at most once.
public final class ConcurrentWriteable<Value: Sendable>: Sendable {
    private enum Event: Sendable {
        case value(Value, then: @Sendable () -> Void)
        case end(RPCError?, dropsValues: Bool)
    }

    private enum State {
        case open(any Writeable<Value>)
        /// An end is queued. The queued values before it are delivered or dropped.
        case ending(any Writeable<Value>, dropsValues: Bool)
        case closed
    }

    private let context: SerialContext
    private let state: Mutex<State>
    private let mailbox = SerialMailbox<Event>()

    public init(_ writeable: any Writeable<Value>, context: SerialContext = .inline) {
        self.context = context
        state = Mutex(.open(writeable))
    }
}

extension ConcurrentWriteable {
    /// Delivers a value. `then` is called after its delivery. It is not called if the value is
    /// dropped because of an end.
    public func enqueue(_ value: Value, then: @escaping @Sendable () -> Void = {}) {
        post(.value(value, then: then))
    }

    /// Delivers an end without an error after the queued values.
    public func enqueueSuccessfulCompletion() { enqueueCompletion(nil) }

    /// Delivers an end after the queued values. The end contains the error, if there is one.
    public func enqueueCompletion(_ error: RPCError?) {
        let isFirst = state.withLock { state in
            guard case .open(let writeable) = state else { return false }
            state = .ending(writeable, dropsValues: false)
            return true
        }
        if isFirst { post(.end(error, dropsValues: false)) }
    }

    /// Delivers an error and drops the queued values. If an end is already queued after the values,
    /// the error replaces it.
    public func cancel(with error: RPCError) {
        let isFirst = state.withLock { state in
            switch state {
            case .open(let writeable), .ending(let writeable, dropsValues: false):
                state = .ending(writeable, dropsValues: true)
                return true
            case .ending, .closed: return false
            }
        }
        if isFirst { post(.end(error, dropsValues: true)) }
    }

    /// Releases the writeable without delivering an end.
    public func cancelSilently() {
        let old = state.withLock { state in
            defer { state = .closed }
            return state
        }
        // Released outside the lock.
        _ = old
    }

    private func post(_ event: Event) {
        guard mailbox.post(event) else { return }
        context { [self] in
            while let event = mailbox.next() { deliver(event) }
        }
    }

    private func deliver(_ event: Event) {
        HeldLocks.assertNone(calling: "writeable")
        switch event {
        case .value(let value, let then):
            let writeable: (any Writeable<Value>)? = state.withLock { state in
                switch state {
                case .open(let writeable), .ending(let writeable, dropsValues: false): writeable
                case .ending, .closed: nil
                }
            }
            guard let writeable else { return }
            writeable.write(value)
            then()
        case .end(let error, let dropsValues):
            let writeable: (any Writeable<Value>)? = state.withLock { state in
                // An end that was replaced is dropped.
                guard case .ending(let writeable, dropsValues) = state else { return nil }
                state = .closed
                return writeable
            }
            writeable?.writesFinished(error)
        }
    }
}
