import SwiftletMessages
import SwiftletTransport

/// The stream of load reports to one server: what the server wants, what is counted for it, and when the next report or
/// attempt is due.
struct LoadStream: Sendable {
    enum Phase: Hashable, Sendable {
        case opening, open
        case waiting(until: MonotonicInstant)
    }

    /// What the server wants to know, as it has said on this stream.
    private struct Wishes: Hashable, Sendable {
        /// Nil for all.
        var clusters: Set<ByteText>?
        var interval: Duration

        init(_ response: Envoy.LoadStats.LoadStatsResponse) {
            if !response.sendAllClusters {
                clusters = Set(response.clusters.map { ByteText($0) })
            }
            let interval = response.loadReportingInterval.flatMap { Duration($0) }
            self.interval = max(interval ?? .zero, LoadStream.minInterval)
        }

        func has(_ cluster: ByteText) -> Bool { clusters?.contains(cluster) ?? true }
    }

    /// That of the C++ library, also for a response without an interval.
    static let minInterval = Duration.seconds(1)

    private(set) var phase = Phase.opening
    private var attempts: StreamAttempts
    /// Nil before the first response of this stream.
    private var wishes: Wishes?
    /// Whether there is no room for another request.
    private var isSending = false
    private var nextReport: MonotonicInstant?
    /// Whether the last report of this stream had no calls.
    private var lastIsZero = false
    private var loads = LoadTable<ObjectIdentifier, ClusterLoad>()
    /// When counts were taken last, for a report or to throw them away; nil before the first time.
    private var lastTime: MonotonicInstant?

    init(at now: MonotonicInstant, chance: Double) {
        attempts = StreamAttempts(at: now, chance: chance)
    }
}

extension LoadStream {
    /// Whether nothing is counted for the server, and the last counts were sent.
    var isFinished: Bool { loads.isEmpty && !isSending }

    mutating func add(_ load: ClusterLoad) {
        _ = loads.counter(for: ObjectIdentifier(load)) { load }
    }

    /// The next request introduces the client.
    mutating func opened() {
        phase = .open
        isSending = true
    }

    /// The counts stay, for the first report of the next stream.
    mutating func closed(at now: MonotonicInstant) {
        phase = .waiting(until: attempts.end(hasResponded: wishes != nil, at: now))
        wishes = nil
        isSending = false
        nextReport = nil
        lastIsZero = false
    }

    /// Begins the next attempt when its time has come. Returns whether it does.
    mutating func retry(at now: MonotonicInstant, chance: Double) -> Bool {
        guard case .waiting(let time) = phase, now >= time else { return false }
        phase = .opening
        attempts.begin(at: now, chance: chance)
        return true
    }

    /// There is room for another request.
    mutating func sent(at now: MonotonicInstant) {
        isSending = false
        scheduleReport(at: now)
    }

    mutating func receive(
        _ response: Envoy.LoadStats.LoadStatsResponse, at now: MonotonicInstant
    ) {
        let last = wishes
        let new = Wishes(response)
        wishes = new
        // The wait for a report begins again only with another interval.
        if last?.interval != new.interval { scheduleReport(at: now) }
    }

    private mutating func scheduleReport(at now: MonotonicInstant) {
        nextReport = isSending ? nil : wishes.map { now + $0.interval }
    }

    /// The time at which something has to be done without an input; nil for never.
    var wakeTime: MonotonicInstant? {
        if case .waiting(let time) = phase { time } else { nextReport }
    }
}

// MARK: - Reports

extension LoadStream {
    /// The report, if it is due, and if it has calls or the last one had some.
    mutating func report(at now: MonotonicInstant) -> Envoy.LoadStats.LoadStatsRequest? {
        guard let time = nextReport, now >= time, let wishes else { return nil }
        var request = Envoy.LoadStats.LoadStatsRequest()
        var isZero = true
        // What is counted for other clusters is thrown away: later reports are about later calls.
        for (cluster, taken) in takeCounts(at: now).inOrder(by: { $0.key < $1.key })
        where wishes.has(cluster.cluster) {
            request.clusterStats.append(
                .init(taken.counts, of: cluster, interval: now - taken.start))
            isZero = isZero && taken.counts.isZero
        }
        isSending = !(isZero && lastIsZero)
        lastIsZero = isZero
        scheduleReport(at: now)
        return isSending ? request : nil
    }

    private mutating func takeCounts(
        at now: MonotonicInstant
    ) -> [CallCount.Key: (start: MonotonicInstant, counts: LoadCounts)] {
        var taken: [CallCount.Key: (start: MonotonicInstant, counts: LoadCounts)] = [:]
        func take(_ load: ClusterLoad) {
            let start = max(load.start, lastTime ?? load.start)
            var sum = taken[load.settings.cluster] ?? (start, LoadCounts())
            sum.start = min(sum.start, start)
            sum.counts += load.take()
            taken[load.settings.cluster] = sum
        }
        let unused = loads.removeUnused()
        for load in loads.counters.values { take(load) }
        for (_, load) in unused {
            take(load)
            // Its calls have not all ended.
            if !load.isEmpty { add(load) }
        }
        lastTime = now
        return taken
    }
}
