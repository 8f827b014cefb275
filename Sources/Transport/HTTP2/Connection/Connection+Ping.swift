// The PINGs of this side. Their eight bytes identify their purpose.

extension Connection {
    enum PingPurpose: UInt64 {
        case keepAlive = 0x7377_6966_6c65_7401
        case bandwidth = 0x7377_6966_6c65_7402
        case gracefulShutdown = 0x7377_6966_6c65_7403
    }

    /// Sends a PING. Its answer arrives as ``Event/pingAnswered(_:)``.
    mutating func ping(_ opaque: UInt64) {
        outbox.write(PingFrame(isAck: false, opaque: opaque))
        counts.sentPings &+= 1
    }

    mutating func writePing(_ purpose: PingPurpose) { ping(purpose.rawValue) }

    mutating func receivePing(_ frame: PingFrame, now: Instant) throws(HTTP2Error) {
        try abuse.charge(now: now)
        guard frame.isAck else {
            try pingStrikes?.receive(now: now, hasStreams: streams.count > 0)
            // §6.7: the answer carries the same bytes.
            outbox.write(PingFrame(isAck: true, opaque: frame.opaque))
            counts.pings &+= 1
            return try outbox.countAnswer()
        }
        receivePingAnswer(frame.opaque, now: now)
    }

    private mutating func receivePingAnswer(_ opaque: UInt64, now: Instant) {
        switch PingPurpose(rawValue: opaque) {
        case .keepAlive: break  // Every received frame has shown already that the peer is alive.
        case .bandwidth: flow.delayMeasured(now: now)
        case .gracefulShutdown: finishGracefulShutdown()
        case nil: events.append(.pingAnswered(opaque))
        }
    }
}

// MARK: - Time

extension Connection {
    /// Handles the deadlines of SETTINGS and keep-alive that have passed. Returns the next deadline, or nil
    /// if there is none. The next deadline may change with every input and output. Additional calls are
    /// harmless.
    package mutating func poll(now: Instant) -> Instant? {
        guard !lifecycle.hasFailed else { return nil }
        if let deadline = settings.deadline, now >= deadline {
            answer(
                .connection(.settingsTimeout, "our SETTINGS were not acknowledged in time"),
                now: now)
            return nil
        }
        switch keepAlive?.poll(now: now, hasStreams: streams.count > 0) {
        case nil, .wait(until: nil):
            return settings.deadline
        case .wait(until: .some(let deadline)):
            return settings.deadline.map { min($0, deadline) } ?? deadline
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
