import Synchronization

/// TLS session tickets by host. A ticket shortens the next handshake with that host.
final class TLSSessionCache: Sendable {
    private let tickets = Mutex<[ServerIdentity: [OpenSSLTicket]]>([:])

    func store(_ ticket: OpenSSLTicket, for host: ServerIdentity) {
        // Dropped tickets are released outside the lock.
        let dropped = tickets.withLock { tickets in
            var dropped: [[OpenSSLTicket]] = []
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

    /// Returns the newest ticket. Removes it unless it is reusable. A ticket of TLS 1.3 is used only once,
    /// because an observer could link two connections that use it (RFC 8446 §C.4).
    func take(for host: ServerIdentity) -> OpenSSLTicket? {
        tickets.withLock { tickets in
            guard let newest = tickets[host]?.last else { return nil }
            if !newest.isReusable { tickets[host]?.removeLast() }
            return newest
        }
    }
}
