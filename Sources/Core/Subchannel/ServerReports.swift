/// What the server of a subchannel reports outside of the program's calls: which reports are wanted, and its
/// health.
struct ServerReports {
    private let checksHealth: Bool
    /// Nil checks no health.
    private var healthCheck: HealthCheck?
    private var health = HealthResult.unknown
    /// How often each balancer wants a load report.
    private var loadIntervals: [String: Duration] = [:]
    private var loadSource: (any ReportSource)?

    init(checksHealth: Bool, _ healthCheck: HealthCheck?) {
        self.checksHealth = checksHealth
        self.healthCheck = checksHealth ? healthCheck : nil
    }
}

extension ServerReports {
    private static var shortestLoadInterval: Duration { .milliseconds(1) }

    mutating func setHealthCheck(_ check: HealthCheck?) {
        guard checksHealth, check != healthCheck else { return }
        healthCheck = check
        health = .unknown
    }

    /// Nil ends the reports.
    mutating func setLoadInterval(
        _ interval: Duration?, for requester: String, _ source: any ReportSource
    ) {
        loadIntervals[requester] = interval.map { max($0, Self.shortestLoadInterval) }
        loadSource = source
    }

    /// Returns whether the result is a change. A result for a service that is not checked any more is none.
    mutating func setHealth(_ health: HealthResult, of service: String) -> Bool {
        guard service == healthCheck?.service, health != self.health else { return false }
        self.health = health
        return true
    }

    /// No connection is left. The health of the next one is not known.
    mutating func connectionWasLost() { health = .unknown }

    /// The health of a connected server; nil when it is not checked.
    var checkedHealth: HealthResult? { healthCheck == nil ? nil : health }

    /// The reports that are wanted, and who makes their streams.
    var wanted: [(subject: SubchannelSubject, source: any ReportSource)] {
        var wanted: [(SubchannelSubject, any ReportSource)] = []
        if let healthCheck {
            wanted.append((.health(service: healthCheck.service), healthCheck.source))
        }
        if let interval = loadIntervals.values.min(), let loadSource {
            wanted.append((.load(interval: interval), loadSource))
        }
        return wanted
    }
}
