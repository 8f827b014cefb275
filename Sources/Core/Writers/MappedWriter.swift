import Synchronization

/// Writes what another writer writes, changed.
///
/// ```swift
/// let greetings = MappedWriter(names) { HelloRequest(name: $0) }
/// ```
public final class MappedWriter<Source: Writer, Value: Sendable>: Writer {
    private let source: Source
    private let transform: @Sendable (Source.Value) throws -> Value

    /// - Parameters:
    ///   - source: Where the values come from.
    ///   - transform: Changes each; what it throws is the writer's end.
    public init(
        _ source: Source, _ transform: @escaping @Sendable (Source.Value) throws -> Value
    ) {
        self.source = source
        self.transform = transform
    }
}

extension MappedWriter {
    public var state: WriterState { source.state }

    public func start(with writeable: any Writeable<Value>) throws(RPCError) {
        try source.start(with: MappedWriteable(writeable, source, transform))
    }

    public func pause() { source.pause() }

    public func resume() { source.resume() }

    public func finish(_ error: RPCError?) throws(RPCError) { try source.finish(error) }

    public func stop() { source.stop() }
}

/// Changes values on their way.
private final class MappedWriteable<Source: Writer, Changed: Sendable>: Writeable {
    private let next: any Writeable<Changed>
    private let source: Source
    private let transform: @Sendable (Source.Value) throws -> Changed
    private let isOver = Atomic(false)

    init(
        _ next: any Writeable<Changed>, _ source: Source,
        _ transform: @escaping @Sendable (Source.Value) throws -> Changed
    ) {
        self.next = next
        self.source = source
        self.transform = transform
    }

    func write(_ value: Source.Value) {
        // What comes after a value that could not be mapped is behind the end.
        guard !isOver.load(ordering: .acquiring) else { return }
        do {
            next.write(try transform(value))
        } catch {
            source.stop()
            writesFinished(
                error as? RPCError ?? RPCError(.unknown, "a value cannot be mapped: \(error)"))
        }
    }

    func writesFinished(_ error: RPCError?) {
        if !isOver.exchange(true, ordering: .acquiringAndReleasing) { next.writesFinished(error) }
    }
}
