/// The streams of reports of one subchannel: which are wanted, and which exist.
struct SubchannelStreams: Sendable {
    /// The service whose health is checked; nil checks none.
    private(set) var healthService: String?
    /// The health of the connection in use.
    private(set) var health = HealthResult.unknown
    /// How often each balancer wants a load report.
    private var loadIntervals: [String: Duration] = [:]
    private var healthStream: SubchannelStream?
    private var loadStream: SubchannelStream?

    /// The actions to perform outside of the lock.
    struct Change: Sendable {
        fileprivate(set) var stopped: [SubchannelStream] = []
        fileprivate(set) var started: [SubchannelStream] = []

        func carryOut() {
            for stream in stopped { stream.stop() }
            for stream in started { stream.start() }
        }
    }

    init(healthService: String?) { self.healthService = healthService }
}

extension SubchannelStreams {
    private static let shortestLoadInterval = Duration.milliseconds(1)

    /// Checks the health of a service from now on; nil checks none. Returns whether that is a change.
    mutating func setHealthService(_ service: String?) -> Bool {
        guard healthService != service else { return false }
        healthService = service
        return true
    }

    /// Sets how often a balancer wants load reports; nil ends that.
    mutating func setLoadInterval(_ interval: Duration?, for requester: String) {
        loadIntervals[requester] = interval.map { max($0, Self.shortestLoadInterval) }
    }

    /// Returns false for a stream that is not in use any more, and for a result that is the same.
    mutating func setHealth(_ health: HealthResult, from stream: SubchannelStream) -> Bool {
        guard healthStream === stream, self.health != health else { return false }
        self.health = health
        return true
    }

    func isInUse(_ stream: SubchannelStream) -> Bool {
        healthStream === stream || loadStream === stream
    }

    /// Starts and stops streams, so that each stream that is wanted is on a connection in use.
    mutating func fit(
        to links: [Link], make: (SubchannelSubject, Link) -> SubchannelStream
    ) -> Change {
        var change = Change()
        let former = healthStream
        Self.fit(
            &healthStream, healthService.map { .health(service: $0) }, links, make, &change)
        if healthStream !== former || healthStream == nil { health = .unknown }
        Self.fit(
            &loadStream, loadIntervals.values.min().map { .load(interval: $0) }, links, make,
            &change)
        return change
    }

    private static func fit(
        _ stream: inout SubchannelStream?, _ subject: SubchannelSubject?, _ links: [Link],
        _ make: (SubchannelSubject, Link) -> SubchannelStream, _ change: inout Change
    ) {
        if let present = stream {
            if present.subject == subject, links.contains(where: { $0 === present.link }) { return }
            change.stopped.append(present)
            stream = nil
        }
        guard let subject, let link = links.first else { return }
        let new = make(subject, link)
        stream = new
        change.started.append(new)
    }

    /// The calls of these streams on a connection. They do not count as use of the channel.
    func callCount(on link: Link) -> Int {
        [healthStream, loadStream].count { $0.map { $0.link === link && $0.isOpen } ?? false }
    }

    /// The streams that exist.
    var all: [SubchannelStream] { [healthStream, loadStream].compactMap(\.self) }
}
