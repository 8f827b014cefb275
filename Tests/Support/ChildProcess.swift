public import Foundation
import Synchronization

/// A program in another process, with pipes to its input and from its output and its errors. It is killed
/// when this object is released.
///
/// Foundation's `Process` sometimes crashes when a thousand files are open: it copies an entry of the
/// directory `/proc/self/fd` as if each entry had the maximum length.
public final class ChildProcess: Sendable {
    public struct StartFailure: Error, CustomStringConvertible {
        public let description: String
    }

    private enum State {
        case running
        case ended(status: Int32)
    }

    public let input: FileHandle
    public let output: FileHandle
    public let errors: FileHandle
    private let identifier: pid_t
    private let state = Mutex(State.running)

    /// Held while a child starts, because another child that starts at the same time must not inherit its
    /// files.
    private static let start = Mutex(())

    /// - Parameter environment: Variables in addition to those of the tests.
    public init(
        _ path: String, _ arguments: [String] = [], environment: [String: String] = [:]
    ) throws {
        let started = try Self.start.withLock { _ in
            let pipes = try (Pair(), Pair(), Pair())
            let identifier = try Self.spawn(
                path, arguments, ProcessInfo.processInfo.environment.merging(environment) { $1 },
                [pipes.0.reader, pipes.1.writer, pipes.2.writer].map(\.fileDescriptor))
            return (identifier, pipes.0.writer, pipes.1.reader, pipes.2.reader)
        }
        (identifier, input, output, errors) = started
    }

    deinit {
        guard case .running = state.withLock({ $0 }) else { return }
        kill(identifier, SIGKILL)
        _ = wait()
    }

    public func send(signal: Int32) {
        state.withLock { state in
            // Another process may have the identifier of an ended process.
            if case .running = state { kill(identifier, signal) }
        }
    }

    /// Blocks until the program has ended. Returns its exit status, or 128 plus the signal that ended it.
    public func wait() -> Int32 {
        if case .ended(let status) = state.withLock({ $0 }) { return status }
        var status: Int32 = 0
        while unsafe waitpid(identifier, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7f
        let result = signal == 0 ? (status >> 8) & 0xff : 128 + signal
        state.withLock { $0 = .ended(status: result) }
        return result
    }

    /// Blocks until the program has closed its output.
    public func allOutput() throws -> String { try Self.text(of: output) }

    /// Blocks until the program has closed its standard error.
    public func allErrors() throws -> String { try Self.text(of: errors) }

    private static func text(of file: FileHandle) throws -> String {
        String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
    }
}

// MARK: - Starting

extension ChildProcess {
    /// The ends of a pipe. They are close-on-exec, so a program inherits only the ends that are passed to it.
    private struct Pair {
        let reader: FileHandle
        let writer: FileHandle

        init() throws {
            var ends: [Int32] = [-1, -1]
            guard unsafe pipe(&ends) == 0 else {
                throw StartFailure(description: "no pipe: error \(errno)")
            }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            reader = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
            writer = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
        }
    }

    /// - Parameter files: The descriptors of the standard input, output and error of the program.
    private static func spawn(
        _ path: String, _ arguments: [String], _ environment: [String: String], _ files: [Int32]
    ) throws -> pid_t {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #else
            var actions = unsafe posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #endif
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for (number, file) in files.enumerated() {
            unsafe posix_spawn_file_actions_adddup2(&actions, file, Int32(number))
        }
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        // A thread of the tests may have blocked signals.
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))

        let words = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
        let variables =
            unsafe environment.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
        defer { unsafe (words + variables).forEach { unsafe free($0) } }
        var identifier: pid_t = 0
        let error = unsafe posix_spawn(&identifier, path, &actions, &attributes, words, variables)
        guard error == 0 else {
            throw StartFailure(description: "\(path) does not start: error \(error)")
        }
        return identifier
    }
}
