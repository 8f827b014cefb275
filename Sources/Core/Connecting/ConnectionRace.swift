import SwiftletTransport
import Synchronization

/// A race over whole connections to several addresses (RFC 8305): the next address starts 250 ms after the
/// last one, or at once when that one has failed. The first complete connection wins.
///
/// So an address that accepts the socket and is then silent, or does not speak the protocol, costs no more
/// than one that does not answer at all.
final class ConnectionRace: Sendable {
    /// Makes a connection of a wire whose handshake is complete.
    typealias LastStep =
        @Sendable (consuming LinkWire, ConnectionCandidate) async throws(CandidateFailure) ->
        any SubchannelLink

    /// The connection, and the candidate that has made it.
    typealias Win = (link: any SubchannelLink, candidate: ConnectionCandidate)

    let begun: MonotonicInstant
    let loop: EventLoop
    private let plan: ConnectionPlan
    private let timeLimit: Duration
    private let resolved: MonotonicInstant?
    private let lastStep: LastStep
    private let wakeUp = WakeUp()
    private let timer = TimerSlot()
    private let state: Mutex<RaceState>

    /// - Parameters:
    ///   - addresses: In the order in which they are tried. Not used if the plan supplies sockets.
    ///   - serverNames: The names that TLS checks. For an address without an entry, TLS checks the channel's
    ///     name.
    ///   - begun: When the work began that the race is a part of; now by default.
    ///   - resolved: When the resolver found the addresses.
    ///   - timeLimit: How long the race may last, from `begun`.
    ///   - loop: The loop that the connection belongs to.
    init(
        _ addresses: [SocketAddress], serverNames: [SocketAddress: ServerName] = [:],
        _ plan: ConnectionPlan, begun: MonotonicInstant = .now, resolved: MonotonicInstant?,
        timeLimit: Duration, loop: EventLoop, lastStep: @escaping LastStep
    ) {
        self.begun = begun
        self.plan = plan
        self.resolved = resolved
        self.timeLimit = timeLimit
        self.loop = loop
        self.lastStep = lastStep
        let order = HappyEyeballs(
            addresses: plan.sockets == nil ? addresses : [.unix(path: plan.target.text)],
            attemptDelay: plan.arguments.happyEyeballsDelay)
        state = Mutex(
            RaceState(plan: order, serverNames: serverNames, deadline: begun + timeLimit))
    }
}

extension ConnectionRace {
    /// Runs the race on the loop. When it returns, no candidate is left but the one that has won.
    func run() async throws(ConnectionFailure) -> Win {
        await withDiscardingTaskGroup { group in
            while let step = nextStep(now: .now) {
                switch step {
                case .start(let index, let candidate):
                    group.addTask { [self] in await run(candidate, index) }
                case .wait(let deadline):
                    timer.schedule(wakeUp, at: deadline, on: loop)
                    // After a cancellation there is no next step.
                    _ = await wakeUp.wait()
                }
            }
            timer.close()
            let losers = state.withLock { $0.end(timeLimit: timeLimit) }
            for loser in losers { loser.cancel() }
        }
        return try state.withLock { state throws(ConnectionFailure) in
            guard let win = state.win else { throw state.failure }
            return win
        }
    }

    private enum Step {
        case start(Int, ConnectionCandidate)
        case wait(until: MonotonicInstant)
    }

    /// What to do next; nil at the end.
    private func nextStep(now: MonotonicInstant) -> Step? {
        state.withLock { state in
            // The first address is always tried, so that the error names it if the loop stood still.
            guard !state.isCancelled, state.win == nil,
                now < state.deadline || state.plan.started.isEmpty
            else { return nil }
            switch state.plan.next(now: now) {
            case .start(let index): return .start(index, start(index, &state))
            case .wait(let start):
                return .wait(until: start.map { min($0, state.deadline) } ?? state.deadline)
            case .failed: return nil
            }
        }
    }

    private func start(_ index: Int, _ state: inout RaceState) -> ConnectionCandidate {
        let address = state.plan.addresses[index]
        var times = ConnectionTimes(begun: begun)
        times.resolved = resolved
        times.failedAttemptCount = state.failures.count
        let candidate = ConnectionCandidate(
            address, serverName: state.serverNames[address], plan, times: times, loop: loop)
        state.begin(index, candidate)
        return candidate
    }

    private func run(_ candidate: ConnectionCandidate, _ index: Int) async {
        do throws(CandidateFailure) {
            let link = try await lastStep(try await candidate.openWire(), candidate)
            let isFirst = state.withLock { $0.finish(index, link) }
            if !isFirst { link.endSoon(with: .givenUp) }
        } catch {
            state.withLock { $0.fail(index, error) }
        }
        wakeUp.signal()
    }
}

// MARK: - From any thread

extension ConnectionRace {
    /// Ends the race soon. It then fails, unless a candidate has won before.
    func cancel() {
        state.withLock { $0.isCancelled = true }
        wakeUp.cancel()
    }

    /// Replaces the addresses and their TLS names. Candidates whose address and name stay continue. If none
    /// of them stays, the time limit begins again.
    func update(to addresses: [SocketAddress], serverNames: [SocketAddress: ServerName]) {
        let removed = state.withLock { state in
            let removed = state.replace(by: addresses, serverNames)
            if !removed.isEmpty, state.running.isEmpty { state.deadline = .now + timeLimit }
            return removed
        }
        for candidate in removed { candidate.cancel() }
        wakeUp.signal()
    }

    /// What each candidate waits for. A call whose deadline passes reports it as a cause.
    var progress: [(phase: RPCError.Phase, text: String)] {
        let running = state.withLock { $0.running.map(\.candidate) }
        return running.map { candidate in
            let progress = candidate.progress
            return (progress.phase, "\(candidate.subject): \(progress.missing)")
        }
    }

    /// What the next race should know. Complete after the end.
    var lesson: AddressOrder.Lesson { state.withLock { $0.lesson } }
}
