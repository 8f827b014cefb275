import SwiftletCore
import SwiftletTransport
import Synchronization

/// A listener that closes each connection at once, and reports it.
final class ClosingListener: Pollable {
    private let listener: Listener
    private let queue: CompletionQueue
    private let token = Mutex<UInt64?>(nil)
    private let arrived = Mutex<(@Sendable () -> Void)?>(nil)

    var target: String { "\(listener.address)" }

    init() throws(RPCError) {
        queue = try CompletionQueue()
        do throws(SystemError) {
            listener = try Listener(on: .ipv4Loopback(port: 0))
        } catch {
            queue.shutdown()
            throw RPCError(.unavailable, "\(error)")
        }
    }

    /// - Parameter arrived: Called for each connection, on the listener's own thread.
    func open(_ arrived: @escaping @Sendable () -> Void) throws(RPCError) {
        self.arrived.withLock { $0 = arrived }
        do throws(SystemError) {
            let token = try queue.loop.add(listener.descriptor, self)
            self.token.withLock { $0 = token }
        } catch {
            queue.shutdown()
            throw RPCError(.unavailable, "\(error)")
        }
        queue.loop.run { [self] in ready(.readable, now: .now) }
    }

    func ready(_ readiness: Poller.Readiness, now: MonotonicInstant) {
        // An error of accept concerns only the connection that was not accepted.
        while (try? listener.acceptNext()) != nil {
            let report = arrived.withLock { $0 }
            report?()
        }
    }

    func close() {
        if let token = token.withLock({ $0.take() }) {
            queue.loop.remove(listener.descriptor, token)
        }
        listener.stop()
        queue.shutdown()
    }
}
