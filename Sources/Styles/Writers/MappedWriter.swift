public import SwiftletCore
import Synchronization

/// Transforms the values of another writer, and writes the results.
///
/// ```swift
/// let greetings = MappedWriter(names) { HelloRequest(name: $0) }
/// ```
public final class MappedWriter<Source: Writer, Value: Sendable>: Writer {
    private let source: Source
    private let transform: @Sendable (Source.Value) throws -> Value

    /// - Parameters:
    ///   - source: Writes the values to transform.
    ///   - transform: Transforms each value. If it throws, the writer ends with that error.
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

/// Transforms values and passes them on.
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
        // After a value that could not be transformed, values are dropped.
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
