import Synchronization

// Reports of the server of a subchannel: health (A17) and load (A51).

extension SubchannelCore: SubchannelStreamReceiver {
    /// Asks for the next reports, because the earlier ones were handled.
    func readNextReports() {
        for stream in state.withLock({ $0.streams }) { stream.readNext() }
    }

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
            let isInUse = state.withLock { $0.streams.contains { $0 === stream } }
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
        // The connection reports its own end, which is not a result of the check: calls then wait for another one.
        guard stream.link.acceptsCalls else { return }
        let failure = RPCError(
            .unavailable,
            "the health check of \(stream.link.peer) failed with \(error.code): \(error.message)")
        setHealth(.unhealthy(failure.notExecuted), from: stream)
    }

    /// Returns whether the result is a change, which is reported to the balancer.
    @discardableResult
    private func setHealth(_ health: HealthResult, from stream: SubchannelStream) -> Bool {
        guard case .health(let service) = stream.subject else { return false }
        return handle(.health(health, service: service, stream.link))
    }
}
