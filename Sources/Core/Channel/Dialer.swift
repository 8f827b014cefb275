import SwiftletTransport
import Synchronization

/// Connects to the first of several addresses that answers (RFC 8305), on an event loop.
///
/// It owns the sockets of its attempts. It passes the connected one on and closes all others.
final class Dialer: Sendable {
    enum Outcome: ~Copyable, Sendable {
        case connected(Socket, SocketAddress, [HappyEyeballs<String>.Failure])
        case failed([HappyEyeballs<String>.Failure])
    }

    /// One attempt. The loop calls it when its socket is ready.
    private final class Attempt: Pollable {
        let index: Int
        let socket: Mutex<Socket?>
        let token = Mutex<UInt64?>(nil)
        let dialer: Dialer

        init(_ index: Int, _ socket: consuming Socket, _ dialer: Dialer) {
            self.index = index
            self.socket = Mutex(consume socket)
            self.dialer = dialer
        }

        func ready(_ readiness: Poller.Readiness, now: MonotonicInstant) {
            dialer.attemptIsReady(self, now: now)
        }
    }

    private struct State {
        var plan: HappyEyeballs<String>
        var attempts: [Attempt] = []
        var isOver = false
    }

    private let loop: EventLoop
    private let options: SocketOptions
    private let timer = TimerSlot()
    private let state: Mutex<State>
    private let report: @Sendable (consuming Outcome) -> Void

    /// - Parameter report: Called once, on the loop's thread, unless the dialer is cancelled.
    init(
        _ addresses: [SocketAddress], attemptDelay: Duration, options: SocketOptions,
        loop: EventLoop, report: @escaping @Sendable (consuming Outcome) -> Void
    ) {
        self.loop = loop
        self.options = options
        self.report = report
        state = Mutex(State(plan: HappyEyeballs(addresses: addresses, attemptDelay: attemptDelay)))
    }
}

extension Dialer {
    func start() {
        loop.run { [self] in step(now: .now) }
    }

    /// Cancels all attempts. Returns the failures of the attempts that have failed so far.
    @discardableResult
    func cancel() -> [HappyEyeballs<String>.Failure] {
        let (attempts, failures) = state.withLock { state in
            state.isOver = true
            defer { state.attempts = [] }
            return (state.attempts, state.plan.failures)
        }
        timer.close()
        for attempt in attempts { close(attempt) }
        return failures
    }

    /// Replaces the addresses. Attempts at addresses that stay continue.
    func update(to addresses: [SocketAddress]) {
        loop.run { [self] in
            let listed = Set(addresses)
            let removed: [Attempt] = state.withLock { state in
                guard !state.isOver else { return [] }
                state.plan.replacePending(by: addresses)
                let failed = Set(state.plan.failures.map(\.address))
                let removed = state.attempts.filter { attempt in
                    let address = state.plan.addresses[attempt.index]
                    return !listed.contains(address) && !failed.contains(address)
                }
                for attempt in removed {
                    state.plan.attemptFailed(attempt.index, "the resolver has removed the address")
                }
                return removed
            }
            for attempt in removed { close(attempt) }
            step(now: .now)
        }
    }

    /// The addresses whose attempts have started.
    var startedAddresses: [SocketAddress] { state.withLock { Array($0.plan.started) } }

    private func step(now: MonotonicInstant) {
        while true {
            let action: HappyEyeballs<String>.Action? = state.withLock { state in
                state.isOver ? nil : state.plan.next(now: now)
            }
            switch action {
            case nil: return
            case .start(let index): begin(index, now: now)
            case .wait(nil): return timer.cancel()
            case .wait(.some(let deadline)): return timer.schedule(self, at: deadline, on: loop)
            case .succeeded(let index): return succeed(index)
            case .failed:
                let failures = cancel()
                return report(.failed(failures))
            }
        }
    }

    private func begin(_ index: Int, now: MonotonicInstant) {
        let address = state.withLock { $0.plan.addresses[index] }
        do throws(SystemError) {
            let socket = try Socket(for: address)
            try socket.apply(options, isTCP: address.isTCP)
            let progress = try socket.startConnecting(to: address)
            let attempt = Attempt(index, socket, self)
            let isOver = state.withLock { state in
                if !state.isOver { state.attempts.append(attempt) }
                return state.isOver
            }
            guard !isOver else { return }
            if progress == .connected {
                state.withLock { $0.plan.attemptSucceeded(index) }
            } else {
                try watch(attempt)
            }
        } catch {
            state.withLock { $0.plan.attemptFailed(index, "\(error)") }
        }
    }

    /// Runs under the lock of the socket, under which `close(_:)` removes the socket. Without this
    /// lock, the descriptor could already belong to another socket.
    private func watch(_ attempt: Attempt) throws(SystemError) {
        let result: Result<Void, SystemError> = attempt.socket.withLock { socket in
            guard let descriptor = socket?.descriptor else { return .success(()) }
            return Result { () throws(SystemError) in
                let token = try loop.add(descriptor, attempt)
                attempt.token.withLock { $0 = token }
            }
        }
        try result.get()
    }

    private func attemptIsReady(_ attempt: Attempt, now: MonotonicInstant) {
        let address = state.withLock { $0.plan.addresses[attempt.index] }
        let failure: String? = attempt.socket.withLock { socket in
            do throws(SystemError) {
                try socket?.finishConnecting(to: address)
                return nil
            } catch {
                return "\(error)"
            }
        }
        state.withLock { state in
            guard let failure else { return state.plan.attemptSucceeded(attempt.index) }
            state.plan.attemptFailed(attempt.index, failure)
        }
        if failure != nil { close(attempt) }
        step(now: now)
    }

    private func succeed(_ index: Int) {
        let winner = state.withLock { state in
            state.attempts.firstIndex { $0.index == index }.map { state.attempts.remove(at: $0) }
        }
        let address = state.withLock { $0.plan.addresses[index] }
        let failures = cancel()
        guard let winner else { return }
        forget(winner)
        guard let socket = winner.socket.withLock({ $0.take() }) else { return }
        report(.connected(socket, address, failures))
    }

    private func close(_ attempt: Attempt) {
        forget(attempt)
        _ = attempt.socket.withLock { $0.take() }
    }

    private func forget(_ attempt: Attempt) {
        attempt.socket.withLock { socket in
            guard let descriptor = socket?.descriptor,
                let token = attempt.token.withLock({ $0.take() })
            else { return }
            loop.remove(descriptor, token)
        }
    }
}

extension Dialer: TimerTarget {
    func timerFired(now: MonotonicInstant) {
        timer.hasFired(now: now)
        step(now: now)
    }
}
