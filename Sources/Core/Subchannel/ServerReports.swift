/// What the server of a subchannel reports outside of the program's calls: which reports are wanted, and its
/// health (proposals A17 and A51).
struct ServerReports {
    private let checksHealth: Bool
    /// The service whose health is checked; nil checks none.
    private var healthService: String?
    private var health = HealthResult.unknown
    /// How often each balancer wants a load report.
    private var loadIntervals: [String: Duration] = [:]

    init(checksHealth: Bool, healthService: String?) {
        self.checksHealth = checksHealth
        self.healthService = checksHealth ? healthService : nil
    }
}

extension ServerReports {
    private static var shortestLoadInterval: Duration { .milliseconds(1) }

    mutating func setHealthService(_ service: String?) {
        guard checksHealth, service != healthService else { return }
        healthService = service
        health = .unknown
    }

    /// Nil ends the reports.
    mutating func setLoadInterval(_ interval: Duration?, for requester: String) {
        loadIntervals[requester] = interval.map { max($0, Self.shortestLoadInterval) }
    }

    /// Returns whether the result is a change. A result for a service that is not checked any more is none.
    mutating func setHealth(_ health: HealthResult, of service: String) -> Bool {
        guard service == healthService, health != self.health else { return false }
        self.health = health
        return true
    }

    /// No connection is left. The health of the next one is not known.
    mutating func connectionWasLost() { health = .unknown }

    /// The health of a connected server; nil when it is not checked.
    var checkedHealth: HealthResult? { healthService == nil ? nil : health }

    /// The reports that are wanted.
    var subjects: [SubchannelSubject] {
        var subjects: [SubchannelSubject] = []
        if let healthService { subjects.append(.health(service: healthService)) }
        if let interval = loadIntervals.values.min() { subjects.append(.load(interval: interval)) }
        return subjects
    }
}
