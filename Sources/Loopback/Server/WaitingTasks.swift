import SwiftletCore

/// The reason why a waiting task continues.
enum WaitOutcome: Sendable {
    case ready, isCancelled
    /// Another task waits for the same.
    case isBusy
}

/// The tasks of a handler that wait: one for the request, and any number for room to write.
struct WaitingTasks {
    private var reader: Resumption<WaitOutcome>?
    private var writers: [UInt64: Resumption<WaitOutcome>] = [:]
    private var writerCount: UInt64 = 0

    /// Returns false if there is a reader already.
    mutating func addReader(_ resumption: Resumption<WaitOutcome>) -> Bool {
        guard reader == nil else { return false }
        reader = resumption
        return true
    }

    mutating func takeReader() -> Resumption<WaitOutcome>? { reader.take() }

    /// The name of a task that will wait to write, so that its cancellation finds it.
    mutating func nameWriter() -> UInt64 {
        writerCount += 1
        return writerCount
    }

    mutating func addWriter(_ resumption: Resumption<WaitOutcome>, _ name: UInt64) {
        writers[name] = resumption
    }

    mutating func takeWriter(_ name: UInt64) -> Resumption<WaitOutcome>? {
        writers.removeValue(forKey: name)
    }

    mutating func takeWriters() -> [Resumption<WaitOutcome>] {
        defer { writers = [:] }
        return Array(writers.values)
    }

    mutating func takeAll() -> [Resumption<WaitOutcome>] {
        takeWriters() + (takeReader().map { [$0] } ?? [])
    }
}

extension Resumption<WaitOutcome> {
    func resume() { resume(returning: .ready) }
}
