public import SwiftletCore
import SwiftletTransport
import Synchronization

/// Writes the values of a sequence, on the thread that starts or resumes it.
public final class SequenceWriter<Source: Sequence & Sendable>: Writer
where Source.Element: Sendable {
    public typealias Value = Source.Element

    private let progress = Mutex(WriterProgress<Value>())
    // Safe, although the compiler cannot check it: only the thread that has set `isPushing` uses
    // the iterator. The lock of `progress` orders such threads one after the other.
    nonisolated(unsafe) private var iterator: Source.Iterator

    public init(_ source: Source) { unsafe iterator = source.makeIterator() }
}

extension SequenceWriter {
    public var state: WriterState { progress.withLock { $0.state } }

    public func start(with writeable: any Writeable<Value>) throws(RPCError) {
        try progress.withLock { progress throws(RPCError) in try progress.start(with: writeable) }
        push()
    }

    public func pause() { progress.withLock { $0.pause() } }

    public func resume() {
        if progress.withLock({ $0.resume() }) { push() }
    }

    public func finish(_ error: RPCError?) throws(RPCError) {
        let end = try progress.withLock { progress throws(RPCError) in
            try progress.finish(error)
        }
        end?.deliver()
    }

    public func stop() {
        let writeable = progress.withLock { $0.stop() }
        // Released outside the lock.
        _ = writeable
    }

    private func push() {
        guard progress.withLock({ $0.startPushing() }) else { return }
        while true {
            let (writeable, end) = progress.withLock { progress in
                progress.state == .started
                    ? (progress.writeable, nil) : (nil, progress.stopPushing())
            }
            guard let writeable else {
                end?.deliver()
                return
            }
            HeldLocks.assertNone(calling: "sequence or writeable")
            if let value = unsafe iterator.next() {
                writeable.write(value)
            } else {
                progress.withLock { $0.stop() }?.writesFinished(nil)
            }
        }
    }
}

/// Writes one value.
public typealias SingleValueWriter<Value: Sendable> = SequenceWriter<CollectionOfOne<Value>>

extension SequenceWriter {
    /// A writer of one value.
    public convenience init<Only>(value: Only) where Source == CollectionOfOne<Only> {
        self.init(CollectionOfOne(value))
    }
}
