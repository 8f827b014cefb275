/// Calls that wait for a connection or for a stream, in order.
///
/// A call that ends while it waits stays in the list for a while: to remove each one from the
/// middle would take quadratic time. The list removes ended calls together, when they may be half
/// of it.
struct WaitingCalls: Sendable {
    /// The next call last: to remove it moves no other.
    private var next: [CallCore] = []
    /// The calls after those, in order.
    private var rest: [CallCore] = []
    /// The number of calls at which the list is searched for ended calls.
    private var searchCount = Self.leastSearchCount

    /// The number of calls that were handed out and have not begun again yet.
    private var handedOutCount = 0

    private static let leastSearchCount = 128
}

extension WaitingCalls {
    /// Adds a call. Returns calls that were removed because they have ended: the caller releases them
    /// outside its lock.
    mutating func append(_ call: CallCore) -> [CallCore] {
        rest.append(call)
        guard next.count + rest.count >= searchCount else { return [] }
        let old = takeAll()
        rest = old.filter { !$0.isEnded }
        searchCount = max(Self.leastSearchCount, rest.count * 2)
        return old
    }

    /// The number of waiting calls that have not ended.
    var count: Int { next.count { !$0.isEnded } + rest.count { !$0.isEnded } }

    /// Whether the list is empty or all its calls have ended.
    var isEmpty: Bool { next.allSatisfy(\.isEnded) && rest.allSatisfy(\.isEnded) }

    /// Whether calls wait, or were handed out and have not begun again. A released channel is not shut down
    /// before them.
    var isPending: Bool { handedOutCount > 0 || !isEmpty }

    /// Removes the first calls, up to `count` that have not ended, together with the ended calls
    /// before them. The caller begins them again and then calls ``begun(_:)``.
    mutating func handOut(upTo count: Int) -> [CallCore] {
        var handedOut: [CallCore] = []
        var liveCount = 0
        while liveCount < count, let call = popFirst() {
            if !call.isEnded { liveCount += 1 }
            handedOut.append(call)
        }
        handedOutCount += handedOut.count
        return handedOut
    }

    private mutating func popFirst() -> CallCore? {
        if next.isEmpty {
            next = rest.reversed()
            rest = []
        }
        return next.popLast()
    }

    /// Removes all calls, as ``handOut(upTo:)`` does.
    mutating func handOutAll() -> [CallCore] {
        let calls = takeAll()
        handedOutCount += calls.count
        return calls
    }

    /// Calls that were handed out have begun again.
    mutating func begun(_ count: Int) { handedOutCount -= count }

    /// Removes all calls.
    mutating func takeAll() -> [CallCore] {
        defer {
            next = []
            rest = []
            searchCount = Self.leastSearchCount
        }
        return next.reversed() + rest
    }

    /// Removes the calls that meet a condition.
    mutating func take(where isTaken: (CallCore) -> Bool) -> [CallCore] {
        let taken = next.reversed().filter(isTaken) + rest.filter(isTaken)
        next.removeAll(where: isTaken)
        rest.removeAll(where: isTaken)
        return taken
    }
}
