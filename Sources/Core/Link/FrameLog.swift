import SwiftletTransport
import Synchronization

/// Receives a readable line for each HTTP/2 frame that a channel sends or receives.
///
/// ```swift
/// arguments.frameLog = .standardError
/// ```
///
/// Without this argument, the environment variable `SWIFTLET_FRAME_LOG` writes the frames of all
/// channels of the program to standard error. It has no effect if it is empty or not set when the
/// first connection is made. A channel without a frame log has no extra cost; with one, it sends
/// and receives more slowly.
///
/// The lines show types, flags, sizes and the values of control frames, but neither headers nor
/// messages.
public final class FrameLog: Sendable {
    /// Receives a line, without a line feed, on any thread. Lines of one connection are in order. Of those that wait
    /// while it runs, at most 10,000 of each connection are kept, and a line says how many are missing.
    public typealias Write = @Sendable (_ line: String) -> Void

    let write: Write

    /// A log that gives its lines to `write`.
    public init(_ write: @escaping Write) { self.write = write }

    /// Writes to standard error. Lines that standard error does not accept are lost.
    public static let standardError = FrameLog { line in StandardError.writeLine(line) }

    /// The log that the environment variable enables; nil if it enables none.
    static let ofEnvironment: FrameLog? =
        (Environment.value(of: "SWIFTLET_FRAME_LOG") ?? "").isEmpty ? nil : standardError
}

extension FrameLog: Hashable {
    public static func == (left: FrameLog, right: FrameLog) -> Bool { left === right }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// The frame log of one connection.
///
/// Lines are made under the connection's lock and delivered outside it.
final class LinkFrameLog: Sendable {
    private struct State: ~Copyable {
        var sent = FrameTrace(hasPreface: true)
        var received = FrameTrace(hasPreface: false)
        /// Bytes in the receive buffer that were described before.
        var seenByteCount = 0
        var lines = Backlog<String>()
        var missingCount = 0
        var deliverer = SingleDeliverer()
    }

    private let prefix: String
    private let log: FrameLog
    private let state = Mutex(State())

    init(_ log: FrameLog, connection: UInt64, peer: String) {
        self.log = log
        prefix = "connection \(connection) \(peer)"
    }
}

extension LinkFrameLog {
    /// The engine has produced these bytes. The caller calls ``deliver()`` outside of its lock.
    func sent(_ bytes: [UInt8]) {
        state.withLock { state in
            var new: [String] = []
            state.sent.read(bytes.contiguous.span) { new.append($0) }
            append(new, "→", &state)
        }
    }

    /// The receive buffer contains these bytes.
    func received(_ bytes: Span<UInt8>) {
        state.withLock { state in
            var new: [String] = []
            state.received.read(bytes.extracting(droppingFirst: state.seenByteCount)) {
                new.append($0)
            }
            state.seenByteCount = bytes.count
            append(new, "←", &state)
        }
        deliver()
    }

    /// The engine has consumed bytes of the receive buffer.
    func consumed(_ byteCount: Int) { state.withLock { $0.seenByteCount -= byteCount } }

    func deliver() {
        HeldLocks.assertNone(calling: "frame log")
        guard state.withLock({ $0.deliverer.begin() }) else { return }
        while let line = state.withLock({ $0.deliverer.next($0.lines.popFirst()) }) {
            log.write(line)
        }
    }

    private static let maxLineCount = 10_000

    private func append(_ new: [String], _ direction: String, _ state: inout State) {
        guard state.lines.count < Self.maxLineCount else {
            state.missingCount += new.count
            return
        }
        let start = "\(WallClock.text(WallClock.now)) \(prefix)"
        if state.missingCount > 0 {
            state.lines.append("\(start) … \(state.missingCount) lines are missing")
            state.missingCount = 0
        }
        for line in new { state.lines.append("\(start) \(direction) \(line)") }
    }
}
