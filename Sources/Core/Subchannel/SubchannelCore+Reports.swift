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

    package func healthCheckIsUnsupported(on link: Link) {
        owner.log.note(.healthCheckUnsupported(subchannel: diagnosticID, peer: link.peer))
    }
}
