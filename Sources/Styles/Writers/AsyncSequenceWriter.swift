public import SwiftletCore
import SwiftletTransport
import Synchronization

/// Writes the values of an asynchronous sequence. A task reads the sequence; it begins when the
/// writer starts. If the sequence throws an error, the writer ends with that error.
public final class AsyncSequenceWriter<Source: AsyncSequence & Sendable>: Writer
where Source.Element: Sendable {
    public typealias Value = Source.Element

    private struct State: ~Copyable {
        var progress = WriterProgress<Value>()
        var task: Task<Void, Never>?
        /// The suspended task, while the writer is paused.
        var waiter: Resumption<Void>?
    }

    private let source: Source
    private let writer = Mutex(State())

    public init(_ source: Source) { self.source = source }
}

extension AsyncSequenceWriter {
    public var state: WriterState { writer.withLock { $0.progress.state } }

    public func start(with writeable: any Writeable<Value>) throws(RPCError) {
        try writer.withLock { writer throws(RPCError) in
            try writer.progress.start(with: writeable)
        }
        let task = Task { await run() }
        let isOver = writer.withLock { writer in
            writer.task = task
            return writer.progress.state == .finished
        }
        if isOver { task.cancel() }
    }

    public func pause() { writer.withLock { $0.progress.pause() } }

    public func resume() {
        let waiter = writer.withLock { writer in
            writer.progress.resume() ? writer.waiter.take() : nil
        }
        waiter?.resume()
    }

    public func finish(_ error: RPCError?) throws(RPCError) {
        let owed = try writer.withLock { writer throws(RPCError) in
            try writer.progress.finish(error)
        }
        end()
        owed?.deliver()
    }

    public func stop() {
        let writeable = writer.withLock { $0.progress.stop() }
        end()
        // Released outside the lock.
        _ = writeable
    }

    /// Ends the task.
    private func end() {
        let (task, waiter) = writer.withLock { ($0.task.take(), $0.waiter.take()) }
        task?.cancel()
        waiter?.resume()
    }

    private func run() async {
        var failure: RPCError?
        do {
            for try await value in source {
                guard let writeable = await writeableWhenStarted() else { return }
                HeldLocks.assertNone(calling: "writeable")
                writeable.write(value)
                if let end = writer.withLock({ $0.progress.stopPushing() }) { return end.deliver() }
            }
        } catch let error as RPCError {
            failure = error
        } catch is CancellationError {
            failure = RPCError(.cancelled, "the writer's source was cancelled")
        } catch {
            failure = RPCError(.unknown, "the writer's source failed: \(error)")
        }
        let writeable = writer.withLock { writer in
            writer.task = nil
            return writer.progress.stop()
        }
        HeldLocks.assertNone(calling: "writeable")
        writeable?.writesFinished(failure)
    }

    /// Waits until the writer is not paused. Returns the writeable; nil if the writer is finished.
    private func writeableWhenStarted() async -> (any Writeable<Value>)? {
        while true {
            let (state, writeable) = writer.withLock { writer in
                writer.progress.isPushing = writer.progress.state == .started
                return (writer.progress.state, writer.progress.writeable)
            }
            guard state == .paused else { return writeable }
            await Resumption.wait { waiter in
                let waits = writer.withLock { writer in
                    guard writer.progress.state == .paused else { return false }
                    writer.waiter = waiter
                    return true
                }
                if !waits { waiter.resume() }
            }
        }
    }
}
