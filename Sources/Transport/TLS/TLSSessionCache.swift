import Synchronization

/// What is kept of past sessions, to begin the next one with the same host in a shorter way.
final class TLSSessionCache<Ticket: Sendable>: Sendable {
    /// A server sends two tickets as a rule, and two are enough for a pair of connections that
    /// begin together.
    private static var ticketsPerHost: Int { 2 }

    /// A client of very many hosts forgets all of them now and then, instead of growing.
    private static var hostLimit: Int { 1_024 }

    private let tickets = Mutex<[String: [Ticket]]>([:])

    func store(_ ticket: Ticket, for host: String) {
        // What is pushed out is released outside the lock.
        let dropped = tickets.withLock { tickets in
            var dropped: [[Ticket]] = []
            if tickets[host] == nil, tickets.count >= Self.hostLimit {
                dropped = Array(tickets.values)
                tickets = [:]
            }
            var kept = tickets[host] ?? []
            if kept.count >= Self.ticketsPerHost { dropped.append([kept.removeFirst()]) }
            kept.append(ticket)
            tickets[host] = kept
            return dropped
        }
        _ = dropped
    }

    /// The newest ticket, which stays only when `isReusable` says so: one of TLS 1.3 is to be
    /// used once, since it would let an observer link two connections (RFC 8446 §C.4).
    func take(for host: String, isReusable: (Ticket) -> Bool) -> Ticket? {
        tickets.withLock { tickets in
            guard let newest = tickets[host]?.last else { return nil }
            if !isReusable(newest) { tickets[host]?.removeLast() }
            return newest
        }
    }
}
