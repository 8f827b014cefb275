import SwiftletTransport
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Reads a file descriptor without blocking the threads of tasks. Each read runs on its own thread.
final class InputReader: Sendable {
    private enum State {
        case idle
        /// A thread reads for the task with this continuation. The continuation is nil if the task was
        /// cancelled.
        case reading(CheckedContinuation<[UInt8], any Error>?)
    }

    private static let chunkByteCount = 64 << 10

    private let descriptor: CInt
    private let state = Mutex(State.idle)

    init(descriptor: CInt) { self.descriptor = descriptor }

    /// Returns the next bytes; empty at the end of the file. Throws ``FileError`` when reading fails, and
    /// `CancellationError` when the task is cancelled. After such an error, nothing can be read.
    func next() async throws -> [UInt8] {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation(start)
        } onCancel: {
            let waiting = state.withLock { state in
                guard case .reading(let waiting) = state else { return nil as Continuation? }
                state = .reading(nil)
                return waiting
            }
            waiting?.resume(throwing: CancellationError())
        }
    }

    private typealias Continuation = CheckedContinuation<[UInt8], any Error>

    private func start(_ continuation: Continuation) {
        let isIdle = state.withLock { state in
            guard case .idle = state, !Task.isCancelled else { return false }
            state = .reading(continuation)
            return true
        }
        guard isIdle else { return continuation.resume(throwing: CancellationError()) }
        if !Thread.start("swiftlet-input", { [self] in finish(Result(catching: read)) }) {
            finish(.failure(FileError(path: "standard input", code: EAGAIN)))
        }
    }

    private func finish(_ result: Result<[UInt8], any Error>) {
        let waiting = state.withLock { state in
            guard case .reading(let waiting?) = state else { return nil as Continuation? }
            state = .idle
            return waiting
        }
        waiting?.resume(with: result)
    }

    private func read() throws -> [UInt8] {
        var chunk = [UInt8](repeating: 0, count: Self.chunkByteCount)
        while true {
            let count = readSome(descriptor, into: &chunk)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw FileError(path: "standard input", code: errno) }
            return Array(chunk[..<count])
        }
    }
}
