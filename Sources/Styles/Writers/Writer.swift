public import SwiftletCore
import SwiftletTransport
import Synchronization

/// The state of a writer.
@nonexhaustive
public enum WriterState: Hashable, Sendable {
    /// The writer has no writeable yet. It never returns to this state.
    case notStarted
    case started
    /// The writer writes nothing until it is resumed. It may finish without being resumed.
    case paused
    /// The writer has released its writeable.
    case finished
}

/// Writes values into a writeable, after its start.
///
/// ```swift
/// let points = SequenceWriter([first, second, third])
/// try points.start(with: HandlerWriteable(value: { print($0) }, completion: { _ in }))
/// ```
///
/// ``SingleValueWriter``, ``SequenceWriter``, ``AsyncSequenceWriter``, ``PipeWriter`` and
/// ``MappedWriter`` are included. A ``Call`` is a writer of its responses.
public protocol Writer<Value>: AnyObject, Sendable {
    associatedtype Value: Sendable

    var state: WriterState { get }

    /// Begins to write into `writeable`. Throws FAILED_PRECONDITION if the writer was started
    /// before.
    func start(with writeable: any Writeable<Value>) throws(RPCError)

    /// Pauses a started writer. It has no effect in other states.
    func pause()

    /// Resumes a paused writer. It has no effect in other states.
    func resume()

    /// Ends a started or paused writer, and passes the end to its writeable. Throws
    /// FAILED_PRECONDITION before the start. It has no effect after the end.
    func finish(_ error: RPCError?) throws(RPCError)

    /// Ends the writer and releases its writeable without passing an end to it.
    func stop()
}

extension Writer {
    /// Ends the writer without an error.
    public func finish() throws(RPCError) { try finish(nil) }
}

/// The state and the writeable of a writer, with the rules for both.
struct WriterProgress<Value: Sendable> {
    private(set) var state = WriterState.notStarted
    private(set) var writeable: (any Writeable<Value>)?

    /// Whether a thread writes values. That thread also handles changes in the meantime.
    var isPushing = false
    /// The end that was requested while a thread wrote a value. That thread delivers the end after
    /// the value.
    private var owedEnd: OwedEnd?

    struct OwedEnd {
        let writeable: any Writeable<Value>
        let error: RPCError?

        func deliver() {
            HeldLocks.assertNone(calling: "writeable")
            writeable.writesFinished(error)
        }
    }
}

extension WriterProgress {
    mutating func start(with writeable: any Writeable<Value>) throws(RPCError) {
        guard state == .notStarted else { throw Self.refusal("started", state) }
        state = .started
        self.writeable = writeable
    }

    mutating func pause() {
        if state == .started { state = .paused }
    }

    /// Resumes the writer. Returns whether it was paused.
    mutating func resume() -> Bool {
        guard state == .paused else { return false }
        state = .started
        return true
    }

    /// Returns the end that the caller must deliver. Nil if the thread that writes values delivers
    /// it.
    mutating func finish(_ error: RPCError?) throws(RPCError) -> OwedEnd? {
        guard state != .notStarted else { throw Self.refusal("finished", state) }
        guard let end = stop().map({ OwedEnd(writeable: $0, error: error) }) else { return nil }
        guard isPushing else { return end }
        owedEnd = end
        return nil
    }

    /// Marks that a thread writes values. Returns true if the caller must write them, and false if
    /// another thread already writes them.
    mutating func startPushing() -> Bool {
        defer { isPushing = true }
        return !isPushing
    }

    /// Marks that the caller has written its values. Returns the end that the caller must deliver.
    mutating func stopPushing() -> OwedEnd? {
        isPushing = false
        return owedEnd.take()
    }

    @discardableResult
    mutating func stop() -> (any Writeable<Value>)? {
        state = .finished
        return writeable.take()
    }

    private static func refusal(_ action: String, _ state: WriterState) -> RPCError {
        .refused(.failedPrecondition, "the writer cannot be \(action): it is \(state)")
    }
}

extension WriterState: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notStarted: "not started"
        case .started: "started"
        case .paused: "paused"
        case .finished: "finished"
        }
    }
}
