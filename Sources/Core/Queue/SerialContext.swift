import SwiftletTransport

/// The thread on which handlers of the program are called. Handlers are always called one at a time
/// and in order.
public struct SerialContext: Sendable {
    private let run: (@Sendable (@escaping @Sendable () -> Void) -> Void)?

    /// On the thread that delivers the event, without a switch. A handler must not block it.
    public static let inline = SerialContext(run: nil)

    /// On a queue of the program: `run` gets closures and must run them in order.
    ///
    /// ```swift
    /// let main = SerialContext.on { DispatchQueue.main.async(execute: $0) }
    /// ```
    public static func on(
        _ run: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) -> SerialContext {
        SerialContext(run: run)
    }

    /// On the thread of a completion queue.
    public static func queue(_ queue: CompletionQueue) -> SerialContext {
        SerialContext { queue.loop.run($0) }
    }

    /// Whether handlers are called directly.
    @usableFromInline
    package var isInline: Bool { run == nil }

    /// Calls `body` in the context.
    public func callAsFunction(_ body: @escaping @Sendable () -> Void) {
        HeldLocks.assertNone(calling: "serial context")
        if let run { run(body) } else { body() }
    }
}
