import SwiftletTransport

/// The candidates of a race, and what has become of them.
struct RaceState {
    var plan: HappyEyeballs
    var serverNames: [SocketAddress: ServerName]
    var deadline: MonotonicInstant
    /// The candidates that have not ended, with the index of their address in the plan.
    private(set) var running: [(index: Int, candidate: ConnectionCandidate)] = []
    /// The addresses that were tried as they are listed now, with their TLS names.
    private var tried: [SocketAddress: ServerName?] = [:]
    /// The candidates that have failed, in the order in which they ended.
    private(set) var failures: [RPCError.Attempt] = []
    /// What the last of them waited for.
    private var failurePhase = RPCError.Phase.connect
    /// Whether a server has drained its connection at once.
    private var wasDrained = false
    private(set) var win: ConnectionRace.Win?
    var isCancelled = false
    private(set) var lesson = AddressOrder.Lesson()

    init(
        plan: HappyEyeballs, serverNames: [SocketAddress: ServerName], deadline: MonotonicInstant
    ) {
        self.plan = plan
        self.serverNames = serverNames
        self.deadline = deadline
    }
}

extension RaceState {
    mutating func begin(_ index: Int, _ candidate: ConnectionCandidate) {
        running.append((index, candidate))
        tried.updateValue(candidate.serverName, forKey: candidate.address)
    }

    /// A candidate has made a connection. False if it has lost.
    mutating func finish(_ index: Int, _ link: any SubchannelLink) -> Bool {
        guard let candidate = removeRunning(index), win == nil, !isCancelled else { return false }
        win = (link, candidate)
        // Those that began before the winner, and still wait, were silent for longer than the winner.
        lesson.silent = Set(
            running.lazy.filter { $0.index < index }.map(\.candidate.address))
        return true
    }

    /// A candidate has failed. Has no effect after it was removed.
    mutating func fail(_ index: Int, _ failure: CandidateFailure) {
        guard let candidate = removeRunning(index) else { return }
        if failure.isDrain { wasDrained = true }
        note(candidate, failure.cause)
    }

    /// Ends the race. Returns the candidates that still run. If none has won, the time limit has passed.
    mutating func end(timeLimit: Duration) -> [ConnectionCandidate] {
        defer { running = [] }
        lesson.winner = win?.candidate.address
        lesson.started = Set(plan.started)
        if win == nil, !isCancelled, !running.isEmpty {
            lesson.silent = Set(running.map(\.candidate.address))
            lesson.untried = Set(plan.addresses.dropFirst(plan.started.count))
            for (_, candidate) in running {
                note(candidate, "\(candidate.progress.missing) within \(timeLimit)")
            }
        }
        return running.map(\.candidate)
    }

    /// Replaces the addresses that have not started. Returns the candidates whose address is gone, or has
    /// another TLS name. Such an address is tried again when it is listed again.
    mutating func replace(
        by addresses: [SocketAddress], _ serverNames: [SocketAddress: ServerName]
    ) -> [ConnectionCandidate] {
        let listed = Set(addresses)
        tried = tried.filter { listed.contains($0) && $1 == serverNames[$0] }
        let gone = running.filter { tried.index(forKey: $0.candidate.address) == nil }
        for (index, _) in gone {
            fail(index, CandidateFailure(cause: "the resolver has removed the address"))
        }
        self.serverNames = serverNames
        plan.replacePending(by: addresses.filter { tried.index(forKey: $0) == nil })
        return gone.map(\.candidate)
    }

    /// The failure of a race that no candidate has won.
    var failure: ConnectionFailure {
        ConnectionFailure(phase: failurePhase, attempts: failures, wasDrained: wasDrained)
    }

    private mutating func note(_ candidate: ConnectionCandidate, _ cause: String) {
        plan.attemptFailed()
        failurePhase = candidate.progress.phase
        failures.append(
            RPCError.Attempt(
                address: "\(candidate.address)", cause: "\(candidate.subject): \(cause)"))
    }

    private mutating func removeRunning(_ index: Int) -> ConnectionCandidate? {
        running.firstIndex { $0.index == index }.map { running.remove(at: $0).candidate }
    }
}
