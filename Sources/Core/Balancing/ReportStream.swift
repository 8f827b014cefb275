/// What a subchannel's server reports in a stream of its own, outside of the program's calls.
package enum SubchannelSubject: Equatable, Sendable {
    /// Whether a service is able to serve (A17). The empty name is the server as a whole.
    case health(service: String)
    /// The server's load (A51), at an interval.
    case load(interval: Duration)
}

/// Makes the streams in which servers report. The module `SwiftletBalancing` has them: most channels ask for no reports.
package protocol ReportSource: Sendable {
    /// A stream that has not begun.
    func makeStream(
        _ subject: SubchannelSubject, on link: Link, calls: any OwnCalls, backoff: Backoff,
        receiver: any ReportReceiver
    ) -> any ReportStream
}

/// A stream on one connection, for as long as that is in use.
package protocol ReportStream: AnyObject, Sendable {
    var subject: SubchannelSubject { get }
    var link: Link { get }
    /// Whether the connection carries a call of the stream.
    var isOpen: Bool { get }

    func start()
    func stop()
    /// Asks for the next report if one was received and handled. Otherwise does nothing.
    func readNext()
}

/// Receives what the streams report, on any thread and outside of every lock.
package protocol ReportReceiver: AnyObject, Sendable {
    /// Returns whether the result is a change, after which the receiver calls ``ReportStream/readNext()``.
    func receive(_ health: HealthResult, from stream: any ReportStream) -> Bool
    /// The receiver calls ``ReportStream/readNext()`` when it has handled the report.
    func receive(_ load: LoadReport, from stream: any ReportStream)
    /// The server has no such method. One that cannot report its health counts as healthy.
    func streamIsUnsupported(_ stream: any ReportStream)
}

/// Makes the calls of a channel itself on one of its connections.
package protocol OwnCalls: Sendable {
    /// A call without a deadline, with the call credentials of the channel, not started yet.
    func makeCall(
        _ method: MethodSignature, _ limits: MessageLimits, _ observer: any CallObserver
    ) -> any CallRequests
}

/// The service whose health is checked, and who checks it.
package struct HealthCheck: Equatable, Sendable {
    package let service: String
    let source: any ReportSource

    package init(of service: String, by source: any ReportSource) {
        self.service = service
        self.source = source
    }

    package static func == (left: HealthCheck, right: HealthCheck) -> Bool {
        left.service == right.service
    }
}

/// The result of the health check of a connected subchannel (A17).
package enum HealthResult: Equatable, Sendable {
    /// The first answer has not arrived.
    case unknown
    case healthy
    case unhealthy(RPCError)

    /// The state of a READY subchannel for its balancer.
    package var subchannelState: SubchannelState {
        switch self {
        case .unknown: SubchannelState(.connecting)
        case .healthy: SubchannelState(.ready)
        case .unhealthy(let error): SubchannelState(.transientFailure, failure: error)
        }
    }
}
