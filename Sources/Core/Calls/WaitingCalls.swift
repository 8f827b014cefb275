/// Calls that wait for a connection or for a stream, in order.
///
/// A call that ends while it waits stays in the list for a while: to remove each one from the
/// middle would take quadratic time. The list removes ended calls together, when they may be half
/// of it.
struct WaitingCalls: Sendable {
    private var calls: [CallCore] = []
    /// The number of calls at which the list is searched for ended calls.
    private var searchCount = Self.leastSearchCount

    private static let leastSearchCount = 128
}

extension WaitingCalls {
    /// Adds a call. Returns calls that were removed because they have ended: the caller releases them
    /// outside its lock.
    mutating func append(_ call: CallCore) -> [CallCore] {
        calls.append(call)
        guard calls.count >= searchCount else { return [] }
        let old = calls
        calls = old.filter { !$0.isEnded }
        searchCount = max(Self.leastSearchCount, calls.count * 2)
        return old
    }

    /// The number of waiting calls that have not ended.
    var count: Int { calls.count { !$0.isEnded } }

    /// Whether the list is empty or all its calls have ended.
    var isEmpty: Bool { calls.allSatisfy(\.isEnded) }

    /// Removes the first calls, up to `count` that have not ended, together with the ended calls
    /// before them.
    mutating func take(upTo count: Int) -> [CallCore] {
        var end = 0
        var liveCount = 0
        while end < calls.count, liveCount < count {
            if !calls[end].isEnded { liveCount += 1 }
            end += 1
        }
        defer { calls.removeFirst(end) }
        return Array(calls[..<end])
    }

    /// Removes all calls.
    mutating func takeAll() -> [CallCore] {
        defer { self = WaitingCalls() }
        return calls
    }

    /// Removes the calls that meet a condition.
    mutating func take(where isTaken: (CallCore) -> Bool) -> [CallCore] {
        let taken = calls.filter(isTaken)
        calls.removeAll(where: isTaken)
        return taken
    }
}
