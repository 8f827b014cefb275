import Synchronization

// Reports of the server of a subchannel: health (A17) and load (A51).

extension SubchannelCore: ReportReceiver {
    /// Asks for the next reports, because the earlier ones were handled.
    func readNextReports() {
        for stream in state.withLock({ $0.streams }) { stream.readNext() }
    }

    package func receive(_ health: HealthResult, from stream: any ReportStream) -> Bool {
        guard case .health(let service) = stream.subject else { return false }
        return handle(.health(health, service: service, stream.link))
    }

    package func receive(_ load: LoadReport, from stream: any ReportStream) {
        let isInUse = state.withLock { $0.streams.contains { $0 === stream } }
        if isInUse { owner.subchannel(self, reported: load) }
    }

    package func streamIsUnsupported(_ stream: any ReportStream) {
        let peer = stream.link.peer
        let event: ChannelEvent.Kind =
            switch stream.subject {
            case .health: .healthCheckUnsupported(subchannel: diagnosticID, peer: peer)
            case .load: .loadReportsUnsupported(subchannel: diagnosticID, peer: peer)
            }
        owner.log.note(event)
    }
}
