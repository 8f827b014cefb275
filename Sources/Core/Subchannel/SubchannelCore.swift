import SwiftletTransport
import Synchronization

/// The connections to one endpoint, and the calls on them. Carries out what a ``SubchannelLife`` decides.
final class SubchannelCore: Sendable {
    typealias Life = SubchannelLife

    struct State: ~Copyable {
        var life: Life
        /// The running attempt to connect.
        var race: ConnectionRace?
        /// The streams on which the server sends reports outside of the program's calls.
        var streams: [any ReportStream] = []
        /// The states that the balancer has not received, in their order. It gets each of them: a failure that is followed
        /// by another attempt at once fails calls, too.
        var reports: [SubchannelState] = []
    }

    /// The actions of an input, with the objects that were made for them under the lock.
    struct Work: Sendable {
        let actions: [Life.Action]
        fileprivate var mustReport = false
        fileprivate var race: ConnectionRace?
        fileprivate var cancelledRace: ConnectionRace?
        fileprivate var stoppedStreams: [any ReportStream] = []
        fileprivate var startedStreams: [any ReportStream] = []
    }

    let id: UInt64
    /// The number of the subchannel in the process.
    let diagnosticID = DiagnosticID.next()
    let plan: ConnectionPlan
    let state: Mutex<State>
    let owner: any SubchannelOwner
    /// Those of the first endpoint that it was made for.
    let labels: BackendLabels?
    private let timer = TimerSlot()

    init(
        id: UInt64, _ endpoint: Endpoint, plan: ConnectionPlan, maxConnectionCount: Int?,
        checksHealth: Bool = false, healthCheck: HealthCheck? = nil, owner: any SubchannelOwner
    ) {
        self.id = id
        self.plan = plan
        self.owner = owner
        labels = endpoint.attributes.labels
        let arguments = plan.arguments
        let life = Life(
            endpoint,
            ConnectionAttempts(arguments.backoff, connectTimeout: arguments.connectTimeout),
            maxConnectionCount: maxConnectionCount,
            server: ServerReports(checksHealth: checksHealth, healthCheck))
        state = Mutex(State(life: life))
    }
}

/// Receives the events of a subchannel, outside its lock.
protocol SubchannelOwner: AnyObject, Sendable {
    /// The state has changed. The balancer gets the state that ``SubchannelCore/takeReport()`` returns.
    func subchannelChanged(_ subchannel: SubchannelCore)
    /// A connection was opened, drained or closed.
    func subchannelLinksChanged(_ subchannel: SubchannelCore)
    /// Picks again for a call that has waited for a stream.
    func begin(_ call: CallCore)
    /// The server has reported its load. After the balancer has received the report, the owner calls
    /// ``SubchannelCore/readNextReports()``.
    func subchannel(_ subchannel: SubchannelCore, reported load: LoadReport)
    /// The channel's log.
    var log: ChannelLog { get }
    /// The calls of the channel itself on a connection.
    func calls(on link: Link) -> any OwnCalls
    /// The last connection has closed, or calls that waited for a stream have begun again. The channel may
    /// not need the subchannel any more, and a channel that closes waits for it.
    func subchannelUseEnded(_ subchannel: SubchannelCore)
}

// MARK: - Inputs

extension SubchannelCore {
    /// Handles an input. Returns whether the balancer gets a report because of it.
    @inline(never)  // Has many callers.
    @discardableResult
    func handle(_ input: Life.Input) -> Bool {
        let work = state.withLock { prepare(input, &$0) }
        carryOut(work)
        return work.mustReport
    }

    /// Decides, under the lock. The channel's log gets the changes in their order, and each before the state
    /// that it causes.
    func prepare(_ input: Life.Input, _ state: inout State) -> Work {
        var work = Work(actions: state.life.handle(input, at: .now))
        for action in work.actions {
            switch action {
            case .report: work.mustReport = true
            case .adopt(let link):
                owner.log.append(.connectionOpened(subchannel: diagnosticID, peer: link.peer))
            case .noteEnd(let link, let cause):
                owner.log.append(
                    .connectionClosed(subchannel: diagnosticID, peer: link.peer, cause: cause))
            case .cancelAttempt: work.cancelledRace = state.race.take()
            case .connect(let addresses, let timeLimit, _):
                state.race = plan.race(
                    addresses.ordered, serverNames: addresses.serverNames, timeLimit: timeLimit)
            default: continue
            }
        }
        if work.mustReport {
            let report = state.life.report(target: plan.target)
            owner.log.append(
                .subchannel(id: diagnosticID, report.connectivity, report.failure))
            state.reports.append(report)
        }
        if !state.life.isConnecting { state.race = nil }
        work.race = state.race
        fitStreams(&state, &work)
        return work
    }

    /// Makes the streams that are wanted, and removes the others.
    private func fitStreams(_ state: inout State, _ work: inout Work) {
        let (link, wanted) = state.life.wantedReports
        work.stoppedStreams = state.streams.filter { stream in
            stream.link !== link || !wanted.contains { $0.subject == stream.subject }
        }
        state.streams.removeAll { stream in work.stoppedStreams.contains { $0 === stream } }
        // Only a server of HTTP/2 is asked.
        guard !wanted.isEmpty, let link = link as? Link else { return }
        for (subject, source) in wanted
        where !state.streams.contains(where: { $0.subject == subject }) {
            let stream = source.makeStream(
                subject, on: link, calls: owner.calls(on: link),
                backoff: Backoff(plan.arguments.backoff), receiver: self)
            state.streams.append(stream)
            work.startedStreams.append(stream)
        }
    }
}

// MARK: - Actions

extension SubchannelCore {
    /// Carries out the actions, outside of the lock.
    func carryOut(_ work: Work) {
        for stream in work.stoppedStreams { stream.stop() }
        for stream in work.startedStreams { stream.start() }
        if !work.actions.isEmpty { owner.log.deliver() }
        for action in work.actions { carryOut(action, of: work) }
    }

    private func carryOut(_ action: Life.Action, of work: Work) {
        switch action {
        case .report: owner.subchannelChanged(self)
        case .adopt(let link): adopt(link)
        case .giveUp(let link): link.endSoon(with: .givenUp)
        case .leave(let links): for link in links { link.leave() }
        case .reportLinks: owner.subchannelLinksChanged(self)
        case .connect(_, _, let attempt): if let race = work.race { run(race, attempt) }
        case .redirect(let addresses):
            work.race?.update(to: addresses.ordered, serverNames: addresses.serverNames)
        case .cancelAttempt: work.cancelledRace?.cancel()
        case .setTimer(let time): timer.schedule(self, at: time, on: plan.firstLoop)
        case .closeTimer: timer.close()
        case .begin(let calls):
            for call in calls where !call.isEnded { owner.begin(call) }
            handle(.begun(callCount: calls.count))
        // The calls go with the list of actions.
        case .release: break
        case .reportEndOfUse: owner.subchannelUseEnded(self)
        case .noteFailedAttempt: plan.metrics?.record(.failed, labels)
        case .noteDisconnected(let cause, let count):
            plan.metrics?.record(.disconnected(cause, count: count), labels)
        case .noteEnd: plan.metrics?.record(.closed, labels)
        }
    }

    private func run(_ race: ConnectionRace, _ number: Int) {
        // Without the values of a task whose call needs the connection, which outlives it.
        Task.detached(executorPreference: race.loop) { [self] in
            do throws(ConnectionFailure) {
                let (link, candidate) = try await race.run()
                let name = candidate.serverName
                handle(.connected(link, named: name, race.lesson, attempt: number))
            } catch {
                handle(.failed(error, race.lesson, attempt: number))
            }
        }
    }

    private func adopt(_ link: any SubchannelLink) {
        plan.metrics?.record(.opened, labels)
        link.changeOwner(to: self)
        // The former owner may have received the report of a stream that has become free.
        linkHasRoom(link)
        // The server may have ended the connection before this subchannel could receive the report.
        if !link.acceptsCalls { drainRefusing(link) }
        if link.hasEnded { handle(.ended(link, link.loss)) }
    }
}

/// The timer keeps the subchannel alive until it fires or is closed.
extension SubchannelCore: TimerTarget {
    func timerFired(now: MonotonicInstant) {
        timer.hasFired(now: now)
        handle(.timerFired)
    }
}
