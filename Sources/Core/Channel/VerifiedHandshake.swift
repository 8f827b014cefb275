import SwiftletTransport
import Synchronization

/// Completes the TLS handshake of a connection, and then runs the program's check of the server's
/// certificates. The check runs in its own task, so that it blocks no other connection of the loop.
final class VerifiedHandshake: Sendable {
    enum Outcome: ~Copyable, Sendable {
        /// The wire, from which nothing was read after the handshake.
        case verified(LinkWire)
        case failed(String)
    }

    private struct State: ~Copyable {
        /// Before the handshake begins, and while the check runs.
        var wire: LinkWire?
        var handshake: Handshake?
        var check: Task<Void, Never>?
        var isOver = false
    }

    private let verification: PeerVerification
    /// The name or address that the server's certificate must be for.
    private let server: String
    private let loop: EventLoop
    private let state: Mutex<State>
    private let report: @Sendable (consuming Outcome) -> Void

    /// - Parameters:
    ///   - wire: Its handshake has not begun. The wire pauses after the handshake.
    ///   - report: Called once, on the loop's thread, unless the handshake is cancelled.
    init(
        _ wire: consuming LinkWire, _ verification: PeerVerification, server: String,
        loop: EventLoop, report: @escaping @Sendable (consuming Outcome) -> Void
    ) {
        self.verification = verification
        self.server = server
        self.loop = loop
        self.report = report
        state = Mutex(State(wire: wire))
    }
}

extension VerifiedHandshake {
    func start() {
        loop.run { [self] in
            guard let wire = state.withLock({ $0.wire.take() }) else { return }
            let handshake = Handshake(wire, loop) { [self] outcome in
                switch consume outcome {
                case .failed(let cause): end(cause)
                case .done(let wire, let received):
                    assert(received.isEmpty, "the wire pauses after its handshake")
                    verify(wire)
                }
            }
            let isOver = state.withLock { state in
                if !state.isOver { state.handshake = handshake }
                return state.isOver
            }
            if isOver { handshake.cancel() } else { handshake.start() }
        }
    }

    /// Ends the handshake and the check without a report.
    func cancel() {
        guard let rest = take() else { return }
        rest.handshake?.cancel()
        rest.check?.cancel()
        rest.wire?.close(on: loop)
    }

    /// Whether the handshake is complete, and the check runs.
    var isVerifying: Bool { state.withLock { $0.check != nil } }

    private func verify(_ wire: consuming LinkWire) {
        let chain = wire.verifiedCertificates
        let task = Task.detached { [self] in
            let failure: String?
            do {
                try await verification.check(chain, server)
                failure = nil
            } catch {
                failure = "the program's verification refused the server: \(error)"
            }
            loop.run { [self] in end(failure) }
        }
        var kept: LinkWire? = wire
        let isOver = state.withLock { state in
            guard !state.isOver else { return true }
            state.handshake = nil
            state.check = task
            swap(&state.wire, &kept)
            return false
        }
        guard isOver else { return }
        task.cancel()
        kept?.close(on: loop)
    }

    /// Ends the handshake and the check. Without a failure, the server is accepted.
    private func end(_ failure: String?) {
        guard var rest = take() else { return }
        guard let wire = rest.wire.take() else {
            return report(.failed(failure ?? "the connection is gone"))
        }
        guard let failure else { return report(.verified(wire)) }
        wire.close(on: loop)
        report(.failed(failure))
    }

    /// Ends everything. Nil if it has ended before.
    private func take() -> Rest? {
        state.withLock { state in
            guard !state.isOver else { return nil }
            state.isOver = true
            return Rest(
                wire: state.wire.take(), handshake: state.handshake.take(),
                check: state.check.take())
        }
    }

    private struct Rest: ~Copyable {
        var wire: LinkWire?
        let handshake: Handshake?
        let check: Task<Void, Never>?
    }
}
