/// Where handlers of the program's own are called. One at a time and in order they are called in
/// any case; a context only says on which thread.
public struct SerialContext: Sendable {
    private let run: (@Sendable (@escaping @Sendable () -> Void) -> Void)?

    /// On the thread that brings the event, without a switch. A handler must not block it.
    public static let inline = SerialContext(run: nil)

    /// Where `run` takes what it is given: a dispatch queue, for one.
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

    /// Whether what is to be called may simply be called.
    var isInline: Bool { run == nil }

    func callAsFunction(_ body: @escaping @Sendable () -> Void) {
        if let run { run(body) } else { body() }
    }
}
