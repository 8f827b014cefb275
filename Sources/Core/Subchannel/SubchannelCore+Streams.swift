import Synchronization

// Reports of the server of a subchannel: health (A17) and load (A51).

extension SubchannelCore {
    /// The service whose health is checked from now on; nil checks none.
    func setHealthService(_ service: String?) {
        guard checksHealth else { return }
        change { state in
            if state.streams.setHealthService(service) { state.noteChange() }
        }
    }

    /// Sets how often a balancer wants the server to report its load; nil ends the reports.
    func setLoadInterval(_ interval: Duration?, for requester: String) {
        change { $0.streams.setLoadInterval(interval, for: requester) }
    }

    /// Asks for the next reports, because the earlier ones were handled.
    func readNextReports() {
        for stream in state.withLock({ $0.streams.all }) { stream.readNext() }
    }
}

extension SubchannelCore {
    /// Opens and closes streams to match the connections and the requests of the balancers.
    func fitStreams(_ state: inout State) -> SubchannelStreams.Change {
        state.streams.fit(to: state.links) { subject, link in
            SubchannelStream(
                subject, on: link, as: owner.requestAuthority, backoff: plan.arguments.backoff,
                receiver: self)
        }
    }
}

extension SubchannelCore.State {
    /// The health of the connection; nil when it is not checked.
    var health: HealthResult? { streams.healthService == nil ? nil : streams.health }
}

extension SubchannelCore: SubchannelStreamReceiver {
    func streamReopens(_ stream: SubchannelStream) {
        setHealth(.unknown, from: stream)
    }

    func stream(_ stream: SubchannelStream, received message: [UInt8]) throws(RPCError) {
        switch stream.subject {
        case .health(let service):
            let result = try HealthResult(
                decoding: message, service: service, peer: stream.link.peer)
            // After a change, the next result is read when the balancer has handled this one.
            if !setHealth(result, from: stream) { stream.readNext() }
        case .load:
            guard let load = LoadReport(decoding: message) else {
                throw RPCError(.internal, "\(stream.link.peer) sent a malformed load report")
            }
            let isInUse = state.withLock { $0.streams.isInUse(stream) }
            if isInUse { owner.subchannel(self, reported: load) }
        }
    }

    func streamIsUnimplemented(_ stream: SubchannelStream) {
        if case .health = stream.subject {
            owner.log.note(
                .healthCheckUnsupported(subchannel: diagnosticID, peer: stream.link.peer))
        }
        setHealth(.healthy, from: stream)
    }

    func stream(_ stream: SubchannelStream, failedWith error: RPCError) {
        guard case .health = stream.subject else { return }
        let failure = RPCError(
            .unavailable,
            "the health check of \(stream.link.peer) failed with \(error.code): \(error.message)")
        setHealth(.unhealthy(failure.notExecuted), from: stream)
    }

    /// Returns whether the result is a change, which is reported to the balancer.
    @discardableResult
    private func setHealth(_ health: HealthResult, from stream: SubchannelStream) -> Bool {
        change { state in
            guard state.streams.setHealth(health, from: stream) else { return false }
            state.noteChange()
            return true
        }
    }
}
