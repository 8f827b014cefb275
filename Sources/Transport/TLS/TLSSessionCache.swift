import Synchronization

/// TLS session tickets by host. A ticket shortens the next handshake with that host.
final class TLSSessionCache<Ticket: Sendable>: Sendable {
    private let tickets = Mutex<[ServerIdentity: [Ticket]]>([:])

    func store(_ ticket: Ticket, for host: ServerIdentity) {
        // Dropped tickets are released outside the lock.
        let dropped = tickets.withLock { tickets in
            var dropped: [[Ticket]] = []
            if tickets[host] == nil, tickets.count >= Limits.ticketServerCount {
                dropped = Array(tickets.values)
                tickets = [:]
            }
            var kept = tickets[host] ?? []
            if kept.count >= Limits.ticketsPerServer { dropped.append([kept.removeFirst()]) }
            kept.append(ticket)
            tickets[host] = kept
            return dropped
        }
        _ = dropped
    }

    /// Returns the newest ticket. Removes it unless `isReusable` returns true. A ticket of TLS 1.3 is used
    /// only once, because an observer could link two connections that use it (RFC 8446 §C.4).
    func take(for host: ServerIdentity, isReusable: (Ticket) -> Bool) -> Ticket? {
        tickets.withLock { tickets in
            guard let newest = tickets[host]?.last else { return nil }
            if !isReusable(newest) { tickets[host]?.removeLast() }
            return newest
        }
    }
}
