public import SwiftletCore

extension ServiceConfig {
    /// The service name that health checks send (proposal A17). An empty name checks the whole
    /// server. Nil, the default, means no health checks.
    public var healthCheckServiceName: String? {
        get { healthCheck?.service }
        set { healthCheck = newValue.map { HealthCheck(of: $0, by: SubchannelStreams()) } }
    }
}

extension BalancerContext {
    /// Requests load reports from the server of a subchannel, outside of calls and while the
    /// subchannel is connected (proposal A51). The reports arrive in
    /// `Balancer.subchannel(_:reported:_:)`. A server without the service
    /// `xds.service.orca.v3.OpenRcaService` sends none.
    ///
    /// - Parameters:
    ///   - subchannel: The subchannel.
    ///   - interval: The time between two reports; at least a millisecond. A server may choose a longer one.
    ///     Nil ends the reports.
    ///   - requester: The name of the balancer, needed when nested balancers both request reports;
    ///     empty by default. The shortest interval of all requesters is used.
    public mutating func reportLoad(
        of subchannel: Subchannel, every interval: Duration?, requester: String = ""
    ) {
        reportLoad(
            of: subchannel, every: interval, requester: requester, by: SubchannelStreams())
    }
}

/// Opens the streams in which a subchannel's server reports its health and its load.
private struct SubchannelStreams: ReportSource {
    func makeStream(
        _ subject: SubchannelSubject, on link: Link, calls: any OwnCalls, backoff: Backoff,
        receiver: any ReportReceiver
    ) -> any ReportStream {
        SubchannelStream(subject, on: link, calls: calls, backoff: backoff, receiver: receiver)
    }
}
