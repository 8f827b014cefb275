import Synchronization

/// Runs `body`. Every call that is made in it ends when the deadline passes, in each style of call and on each
/// channel, unless a deadline of its own is earlier.
///
/// ```swift
/// let page = try await withDeadline(.after(.seconds(1))) {
///     async let user = users.get(id)
///     async let orders = orders.list(id)
///     return try await Page(user: user, orders: orders)
/// }
/// ```
///
/// A deadline inside another one applies if it is earlier. Tasks that `body` makes inherit it, except detached
/// ones. The body itself is not cancelled: only its calls end, with DEADLINE_EXCEEDED. A call that must not be
/// bounded sets ``CallOptions/inheritsDeadline`` to false.
///
/// - Parameters:
///   - deadline: When calls end. ``Deadline/never`` changes nothing.
///   - body: What makes the calls.
/// - Throws: What `body` throws.
public func withDeadline<Value>(
    _ deadline: Deadline, _ body: () async throws -> Value
) async rethrows -> Value {
    try await InheritedDeadline.local.withValue(
        InheritedDeadline.joined(deadline), operation: body)
}

/// Runs `body`, and ends every call that is made in it when the deadline passes. See the function of the same name
/// for tasks.
public func withDeadline<Value>(
    _ deadline: Deadline, _ body: () throws -> Value
) rethrows -> Value {
    try InheritedDeadline.local.withValue(InheritedDeadline.joined(deadline), operation: body)
}

/// The deadline that calls inherit.
enum InheritedDeadline {
    /// Not a property with the attribute: that needs a plug-in of the compiler.
    static let local = TaskLocal(wrappedValue: Deadline.never)

    /// Whether the program has used one. Calls of other programs do not look for it.
    private static let isUsed = Atomic(false)

    /// The earlier of a deadline and the current one.
    static func joined(_ deadline: Deadline) -> Deadline {
        isUsed.store(true, ordering: .relaxed)
        return .earlier(deadline, local.get())
    }

    /// The deadline of a call that is made now; never if there is none.
    static var ofCall: Deadline {
        // A task that has one was made after it was stored.
        isUsed.load(ordering: .relaxed) ? local.get() : .never
    }
}
