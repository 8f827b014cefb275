// PINGs that we send, and what their answers are for. The eight octets say which is which.

extension Connection {
    enum PingPurpose: UInt64 {
        case keepAlive = 0x7377_6966_6c65_7401
        case bandwidth = 0x7377_6966_6c65_7402
        case gracefulLeave = 0x7377_6966_6c65_7403
    }

    /// Asks the peer for an answer, which comes as ``Event/pingAnswered(_:)``.
    package mutating func ping(_ opaque: UInt64) {
        PingFrame(isAck: false, opaque: opaque).encode(into: &output.tail)
    }

    mutating func writePing(_ purpose: PingPurpose) {
        ping(purpose.rawValue)
    }

    mutating func receivePingAnswer(_ opaque: UInt64, now: Instant) {
        switch PingPurpose(rawValue: opaque) {
        case .keepAlive: break  // Any frame at all has proved that the peer lives.
        case .bandwidth: bandwidth?.pingAnswered(now: now)
        case .gracefulLeave: finishGracefulLeave()
        case nil: events.append(.pingAnswered(opaque))
        }
    }
}

// MARK: - Time

extension Connection {
    /// Looks at what is due. Returns when to come again; nil is never, or when something else
    /// happens. Calling too often is harmless.
    package mutating func poll(now: Instant) -> Instant? {
        guard !lifecycle.hasFailed else { return nil }
        if let settingsDeadline, now >= settingsDeadline {
            answer(
                .connection(.settingsTimeout, "our SETTINGS were not acknowledged in time"),
                now: now)
            return nil
        }
        switch keepAlive?.poll(now: now, hasStreams: streams.count > 0) {
        case nil, .wait(until: nil):
            return settingsDeadline
        case .wait(until: .some(let deadline)):
            return settingsDeadline.map { min($0, deadline) } ?? deadline
        case .sendPing:
            writePing(.keepAlive)
            return poll(now: now)
        case .closeConnection:
            answer(
                .connection(.noError, "keep-alive PING was not answered in time"), now: now)
            return nil
        }
    }
}
