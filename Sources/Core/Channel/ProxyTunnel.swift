import SwiftletTransport
import Synchronization

/// A connected socket to a proxy, while the proxy is asked to connect it to the server.
final class ProxyTunnel: Pollable {
    enum Outcome: ~Copyable, Sendable {
        case connected(Socket)
        case failed(String)
    }

    fileprivate struct State: ~Copyable {
        var socket: Socket?
        var token: UInt64?
        var handshake: ProxyHandshake
        var output: ArraySlice<UInt8>
        var step: ProxyHandshake.Step
        /// The bytes of the current step that have arrived.
        var received: [UInt8] = []
    }

    private let loop: EventLoop
    private let state: Mutex<State>
    private let report: @Sendable (consuming Outcome) -> Void

    /// - Parameter report: Called once, on the loop's thread, unless the tunnel is cancelled.
    init(
        _ socket: consuming Socket, _ handshake: ProxyHandshake, loop: EventLoop,
        report: @escaping @Sendable (consuming Outcome) -> Void
    ) {
        self.loop = loop
        self.report = report
        let greeting = handshake.greeting
        state = Mutex(
            State(
                socket: socket, handshake: handshake, output: greeting[...],
                step: handshake.firstStep))
    }
}

extension ProxyTunnel {
    func start() {
        do throws(SystemError) {
            let result: Result<Void, SystemError> = state.withLock { state in
                guard let descriptor = state.socket?.descriptor else { return .success(()) }
                return Result { () throws(SystemError) in
                    state.token = try loop.add(descriptor, self)
                }
            }
            try result.get()
        } catch {
            return finish("\(error)")
        }
        loop.run { [self] in ready(.readable, now: .now) }
    }

    /// Closes the socket, without a report.
    func cancel() { _ = takeSocket() }

    func ready(_ readiness: Poller.Readiness, now: MonotonicInstant) {
        let result: Result<Bool, ProxyHandshake.Failure> = state.withLock { state in
            guard state.socket != nil else { return .success(false) }
            return Result { () throws(ProxyHandshake.Failure) in try state.advance() }
        }
        switch result {
        case .success(false): return
        case .success(true):
            if let socket = takeSocket() { report(.connected(socket)) }
        case .failure(let failure): finish(failure.cause)
        }
    }

    private func finish(_ cause: String) {
        let isMine = takeSocket() != nil
        if isMine { report(.failed(cause)) }
    }

    /// Nil if the socket was taken before, for example by another thread.
    private func takeSocket() -> Socket? {
        state.withLock { state in
            guard let socket = state.socket.take() else { return nil }
            if let token = state.token.take() { loop.remove(socket.descriptor, token) }
            return socket
        }
    }
}

extension ProxyTunnel.State {
    /// Advances as far as possible without blocking. True when the proxy has connected to the
    /// server.
    fileprivate mutating func advance() throws(ProxyHandshake.Failure) -> Bool {
        while try flush() {
            switch step {
            case .connected: return true
            case .send(let bytes):
                output = bytes[...]
                step = handshake.stepAfterSending
            case .receive(let count):
                guard try receive(count) else { return false }
            }
        }
        return false
    }

    /// Writes the pending output. False if the system accepts no more now.
    private mutating func flush() throws(ProxyHandshake.Failure) -> Bool {
        guard !output.isEmpty else { return true }
        do throws(SystemError) {
            output = try socket?.write(output) ?? []
        } catch {
            throw ProxyHandshake.Failure(cause: "\(error)")
        }
        return output.isEmpty
    }

    /// Reads the bytes of the step, and performs the step when all `count` are read. False if the
    /// socket has no more bytes now.
    private mutating func receive(_ count: Int) throws(ProxyHandshake.Failure) -> Bool {
        let bytes: [UInt8]?
        do throws(SystemError) {
            bytes = try socket?.read(atMost: count - received.count)
        } catch {
            throw ProxyHandshake.Failure(cause: "\(error)")
        }
        guard let bytes else { return false }
        guard !bytes.isEmpty else {
            throw ProxyHandshake.Failure(cause: "the proxy closed the connection")
        }
        received += bytes
        guard received.count == count else { return true }
        let whole = received
        received = []
        step = try handshake.receive(whole)
        return true
    }
}
