public import SwiftletCore
import SwiftletTransport
import Synchronization

/// A writer that passes on the values that are written to it. Before its start and while it is
/// paused, it keeps them in order.
///
/// ```swift
/// let notes = PipeWriter<RouteGuide.RouteNote>()
/// let call = Call(channel, routeChat, requests: notes)
/// notes.write(note)
/// notes.writesFinished(nil)
/// ```
public final class PipeWriter<Value: Sendable>: Writer, Writeable {
    private struct State: ~Copyable {
        var progress = WriterProgress<Value>()
        var values = Backlog<Value>()
        /// The end, which is passed on after the values.
        var end: RPCError??
    }

    private enum Step {
        case value(Value, any Writeable<Value>)
        case end(RPCError?, any Writeable<Value>)
    }

    private let pipe = Mutex(State())

    public init() {}
}

// MARK: - Input

extension PipeWriter {
    public func write(_ value: Value) {
        pipe.withLock { pipe in
            if pipe.end == nil, pipe.progress.state != .finished { pipe.values.append(value) }
        }
        push()
    }

    public func writesFinished(_ error: RPCError?) {
        pipe.withLock { pipe in
            if pipe.end == nil { pipe.end = .some(error) }
        }
        push()
    }
}

// MARK: - Output

extension PipeWriter {
    public var state: WriterState { pipe.withLock { $0.progress.state } }

    public func start(with writeable: any Writeable<Value>) throws(RPCError) {
        try pipe.withLock { pipe throws(RPCError) in try pipe.progress.start(with: writeable) }
        push()
    }

    public func pause() { pipe.withLock { $0.progress.pause() } }

    public func resume() {
        if pipe.withLock({ $0.progress.resume() }) { push() }
    }

    public func finish(_ error: RPCError?) throws(RPCError) {
        let end = try pipe.withLock { pipe throws(RPCError) in
            let end = try pipe.progress.finish(error)
            pipe.values.removeAll()
            return end
        }
        end?.deliver()
    }

    public func stop() {
        let writeable = pipe.withLock { pipe in
            pipe.values.removeAll()
            return pipe.progress.stop()
        }
        // Released outside the lock.
        _ = writeable
    }

    private func push() {
        guard pipe.withLock({ $0.progress.startPushing() }) else { return }
        while let step = nextStep() {
            HeldLocks.assertNone(calling: "writeable")
            switch step {
            case .value(let value, let writeable): writeable.write(value)
            case .end(let error, let writeable): writeable.writesFinished(error)
            }
        }
    }

    private func nextStep() -> Step? {
        pipe.withLock { pipe in
            guard pipe.progress.state == .started, let writeable = pipe.progress.writeable else {
                return pipe.progress.stopPushing().map { .end($0.error, $0.writeable) }
            }
            if let value = pipe.values.popFirst() { return .value(value, writeable) }
            if let end = pipe.end {
                pipe.progress.stop()
                return .end(end, writeable)
            }
            pipe.progress.isPushing = false
            return nil
        }
    }
}
