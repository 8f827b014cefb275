import Synchronization

/// Where a writer stands.
public enum WriterState: Hashable, Sendable {
    /// It has nobody to write to. A writer never comes back here.
    case notStarted
    case started
    /// It writes nothing until it is resumed. It may finish all the same.
    case paused
    /// It has let go of its writeable.
    case finished
}

/// Pushes values into a writeable, once it is started.
///
/// ```swift
/// let points = SequenceWriter([first, second, third])
/// try points.start(with: HandlerWriteable(value: { print($0) }, completion: { _ in }))
/// ```
///
/// ``SingleValueWriter``, ``SequenceWriter``, ``AsyncSequenceWriter``, ``PipeWriter`` and
/// ``MappedWriter`` are the ready-made ones, and a ``Call`` is a writer of its responses.
public protocol Writer<Value>: AnyObject, Sendable {
    associatedtype Value: Sendable

    var state: WriterState { get }

    /// Begins to write into `writeable`. Throws unless the writer is not started.
    func start(with writeable: any Writeable<Value>) throws(RPCError)

    /// From started to paused. Without an effect in any other state.
    func pause()

    /// From paused to started. Without an effect in any other state.
    func resume()

    /// Ends the writer, started or paused, and tells its writeable so. Throws when it is not
    /// started; without an effect when it is finished.
    func finish(_ error: RPCError?) throws(RPCError)

    /// Ends the writer and lets go of its writeable without telling it.
    func stop()
}

extension Writer {
    /// Ends the writer well.
    public func finish() throws(RPCError) { try finish(nil) }
}

/// The state of a writer, its writeable, and the rules of both.
struct WriterProgress<Value: Sendable> {
    private(set) var state = WriterState.notStarted
    private(set) var writeable: (any Writeable<Value>)?

    /// The one who pushes values looks again when he is through, so nobody else has to.
    var isPushing = false
    /// The end that was asked for while somebody pushed, who tells it behind the value that he is
    /// at.
    private var owedEnd: OwedEnd?

    struct OwedEnd {
        let writeable: any Writeable<Value>
        let error: RPCError?

        func tell() { writeable.writesFinished(error) }
    }
}

extension WriterProgress {
    mutating func start(with writeable: any Writeable<Value>) throws(RPCError) {
        guard state == .notStarted else { throw Self.refusal("is started only once", state) }
        state = .started
        self.writeable = writeable
    }

    mutating func pause() {
        if state == .started { state = .paused }
    }

    /// Whether the writer was paused.
    mutating func resume() -> Bool {
        guard state == .paused else { return false }
        state = .started
        return true
    }

    /// Returns whom to tell of the end; nobody when that is the pusher's to do.
    mutating func finish(_ error: RPCError?) throws(RPCError) -> OwedEnd? {
        guard state != .notStarted else { throw Self.refusal("finishes after its start", state) }
        guard let end = stop().map({ OwedEnd(writeable: $0, error: error) }) else { return nil }
        guard isPushing else { return end }
        owedEnd = end
        return nil
    }

    /// Whether it is the caller's to push values: nobody else is at it.
    mutating func startPushing() -> Bool {
        defer { isPushing = true }
        return !isPushing
    }

    /// The pusher is through. Returns the end that he has to tell.
    mutating func stopPushing() -> OwedEnd? {
        isPushing = false
        return owedEnd.take()
    }

    @discardableResult
    mutating func stop() -> (any Writeable<Value>)? {
        state = .finished
        return writeable.take()
    }

    private static func refusal(_ rule: String, _ state: WriterState) -> RPCError {
        .refused(.failedPrecondition, "a writer \(rule), and this one is \(state)")
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
