import SwiftletTransport

/// A socket that a task connects, and that the loop watches for it. When it is released, the loop stops
/// watching, and the socket is closed.
struct ConnectingSocket: ~Copyable {
    /// Nil after ``take()``.
    private var socket: Socket?
    private var token: UInt64?
    private let loop: EventLoop
    private let wakeUp: WakeUp

    /// - Parameter wakeUp: Wakes the task that uses the socket. After its cancellation, waits fail.
    init(_ socket: consuming Socket, _ loop: EventLoop, _ wakeUp: WakeUp) {
        self.socket = consume socket
        self.loop = loop
        self.wakeUp = wakeUp
    }

    deinit {
        if let token, let descriptor = socket?.descriptor { loop.remove(descriptor, token) }
    }
}

extension ConnectingSocket {
    mutating func connect(to address: SocketAddress) async throws(CandidateFailure) {
        do throws(SystemError) {
            guard try socket?.startConnecting(to: address) == .inProgress else { return }
            try watch()
        } catch {
            throw CandidateFailure(cause: error.text)
        }
        guard await wakeUp.wait() else { throw .givenUp }
        do throws(SystemError) {
            try socket?.finishConnecting(to: address)
        } catch {
            throw CandidateFailure(cause: error.text)
        }
    }

    /// Asks the proxy at the other end for a connection to the server.
    mutating func requestTunnel(_ handshake: ProxyHandshake) async throws(CandidateFailure) {
        do throws(SystemError) {
            if token == nil { try watch() }
        } catch {
            throw CandidateFailure(cause: error.text)
        }
        try await handshake.perform(over: self)
    }

    /// Returns the connected socket, which the loop no longer watches.
    consuming func take() -> Socket? {
        guard let socket = socket.take() else { return nil }
        if let token = token.take() { loop.remove(socket.descriptor, token) }
        return socket
    }

    private mutating func watch() throws(SystemError) {
        guard let descriptor = socket?.descriptor else { return }
        token = try loop.add(descriptor, wakeUp)
    }
}

extension ConnectingSocket: ProxyConnection {
    func send(_ bytes: [UInt8]) async throws(CandidateFailure) {
        var rest = bytes[...]
        while true {
            do throws(SystemError) {
                rest = try socket?.write(rest) ?? []
            } catch {
                throw CandidateFailure(cause: "\(error)")
            }
            guard !rest.isEmpty else { return }
            guard await wakeUp.wait() else { throw .givenUp }
        }
    }

    func receive(_ count: Int) async throws(CandidateFailure) -> [UInt8] {
        var received: [UInt8] = []
        while received.count < count {
            let bytes: [UInt8]?
            do throws(SystemError) {
                bytes = try socket?.read(atMost: count - received.count)
            } catch {
                throw CandidateFailure(cause: "\(error)")
            }
            guard let bytes else {
                guard await wakeUp.wait() else { throw .givenUp }
                continue
            }
            guard !bytes.isEmpty else {
                throw CandidateFailure(cause: "the proxy closed the connection")
            }
            received += bytes
        }
        return received
    }
}
