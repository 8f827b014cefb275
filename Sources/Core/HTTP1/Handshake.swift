package import SwiftletTransport
import Synchronization

/// Completes the TLS handshake of a connection, and hands the connection over. Without TLS there is
/// nothing to complete.
package final class Handshake: Pollable {
    package enum Outcome: ~Copyable, Sendable {
        /// The connection, and the bytes that the server sent after its part of the handshake.
        case done(LinkWire, received: [UInt8])
        case failed(String)
    }

    struct State: ~Copyable {
        var wire: LinkWire?
        var received = ReceiveBuffer()
        let leastByteCount: Int
    }

    private let loop: EventLoop
    private let state: Mutex<State>
    private let report: @Sendable (consuming Outcome) -> Void

    /// - Parameters:
    ///   - leastByteCount: How many bytes have to arrive after the handshake; 0 by default.
    ///   - report: Called once, on the loop's thread, unless the handshake is cancelled.
    package init(
        _ wire: consuming LinkWire, _ loop: EventLoop, leastByteCount: Int = 0,
        report: @escaping @Sendable (consuming Outcome) -> Void
    ) {
        self.loop = loop
        self.report = report
        state = Mutex(State(wire: wire, leastByteCount: leastByteCount))
    }

    /// To be called on the loop's thread.
    package func start() {
        if let failure = state.withLock({ $0.begin(by: loop, for: self) }) { return end(failure) }
        advance()
    }

    package func cancel() { close() }

    package func ready(_ readiness: Poller.Readiness, now: MonotonicInstant) { advance() }

    private func advance() {
        let step: Step = state.withLock { state in
            do throws(LinkError) {
                return try state.readUntilOpen() ? .isOpen : .waits
            } catch {
                return .failed(error.cause)
            }
        }
        switch step {
        case .waits: return
        case .failed(let cause): end(cause)
        case .isOpen:
            guard let taken = take() else { return }
            taken.wire.unwatch(by: loop)
            let received = taken.received
            report(.done(taken.wire, received: received))
        }
    }

    private enum Step { case waits, isOpen, failed(String) }

    private func end(_ cause: String) {
        if close() { report(.failed(cause)) }
    }

    /// Closes the connection. False if it was taken before.
    @discardableResult
    private func close() -> Bool {
        guard let taken = take() else { return false }
        taken.wire.close(on: loop)
        return true
    }

    /// Takes the connection, and the bytes that have arrived on it. Nil if it was taken before.
    private func take() -> Taken? {
        state.withLock { state in
            guard let wire = state.wire.take() else { return nil }
            return Taken(wire: wire, received: state.received.withUnread { [UInt8](copying: $0) })
        }
    }

    private struct Taken: ~Copyable {
        var wire: LinkWire
        var received: [UInt8]
    }
}

extension Handshake.State {
    /// Begins the handshake. Returns the cause if that fails.
    fileprivate mutating func begin(by loop: EventLoop, for target: any Pollable) -> String? {
        do throws(SystemError) {
            try wire?.watch(by: loop, for: target)
        } catch {
            return "\(error)"
        }
        do throws(LinkError) {
            try wire?.begin()
        } catch {
            return error.cause
        }
        return nil
    }

    private mutating func isDone() -> Bool {
        (wire?.isOpen ?? false) && received.count >= leastByteCount
    }

    /// Reads until the handshake is complete. False if more bytes must arrive, or the connection
    /// was taken.
    fileprivate mutating func readUntilOpen() throws(LinkError) -> Bool {
        while true {
            if isDone() { return true }
            guard let read = try wire?.read(into: &received) else { return false }
            switch read.outcome {
            case .more: break
            case .last, .nothing: return isDone()
            case .endOfStream:
                throw LinkError(phase: .tls, cause: "the peer closed the connection")
            }
        }
    }
}
