package import SwiftletTransport
import Synchronization

/// Looks up a name with the system's resolver (gRPC's naming.md): A and AAAA records. Each address
/// becomes an endpoint.
///
/// After a success, it looks the name up again on request, at most once every 30 seconds by
/// default. After a failure, it looks the name up again by itself, with a growing delay. An error
/// is reported only if there is no earlier answer that can stay in use.
package final class DNSResolver: Resolver {
    /// The next action of the resolver, and its time. Time is an argument, for tests without a clock.
    struct Schedule {
        enum Next: Equatable { case lookUp, wait(until: MonotonicInstant), nothing }

        private(set) var isLookingUp = false
        private var wantsLookup = false
        private var lastSuccess: MonotonicInstant?
        private var retry: MonotonicInstant?
        private var backoff: Backoff
        private let minInterval: Duration

        init(minInterval: Duration, backoff: Backoff.Configuration) {
            self.minInterval = minInterval
            self.backoff = Backoff(backoff)
        }
    }

    /// The results of one look-up so far.
    struct Findings: Sendable {
        var addresses: NameLookups.Answer?
        /// Nil until the answer has arrived. If no config is looked up, always `.success(nil)`.
        var config: Result<ServiceConfig?, RPCError>?
    }

    private struct State: ~Copyable {
        var schedule: Schedule
        var results: ResolverResults?
        var ticket: NameLookups.Ticket?
        var lookupCount = 0
        var findings = Findings()
        var hasAnswer = false
    }

    private let host: String
    private let port: UInt16
    private let loop: EventLoop
    private let timeLimit: Duration
    private let lookups: NameLookups
    /// Nil if the config is not looked up.
    private let configLookup: (any ServiceConfigLookup)?
    private let timer = TimerSlot()
    private let limitTimer = TimerSlot()
    private let state: Mutex<State>

    /// - Parameter configLookup: Finds a service config; nil finds only endpoints.
    package init(
        host: String, port: UInt16, arguments: ChannelArguments, loop: EventLoop,
        lookups: NameLookups = .shared, configLookup: (any ServiceConfigLookup)? = nil
    ) {
        self.host = host
        self.port = port
        self.loop = loop
        self.lookups = lookups
        self.configLookup = configLookup
        timeLimit = arguments.connectTimeout
        state = Mutex(
            State(
                schedule: Schedule(
                    minInterval: arguments.minResolutionInterval, backoff: arguments.backoff)))
    }
}

extension DNSResolver {
    package func start(_ results: ResolverResults) {
        state.withLock { $0.results = results }
        requestResolution()
    }

    package func requestResolution() {
        step(state.withLock { $0.schedule.request(now: .now) })
    }

    package func resetBackoff() {
        step(state.withLock { $0.schedule.resetBackoff(now: .now) })
    }

    package func stop() {
        let ticket = state.withLock { state in
            state.results = nil
            return state.ticket.take()
        }
        timer.close()
        limitTimer.close()
        if let ticket { lookups.cancel(ticket) }
    }

    private func step(_ next: Schedule.Next) {
        switch next {
        case .nothing: return
        case .wait(let time): timer.schedule(self, at: time, on: loop)
        case .lookUp: lookUp()
        }
    }

    private func lookUp() {
        let number: Int? = state.withLock { state in
            guard state.results != nil else { return nil }
            state.lookupCount += 1
            state.findings = Findings(config: configLookup == nil ? .success(nil) : nil)
            return state.lookupCount
        }
        guard let number else { return }
        limitTimer.schedule(at: .now + timeLimit, on: loop) { [self] in limitHasPassed(number) }
        configLookup?.start(
            isNeeded: { [self] in state.withLock { $0.results != nil && $0.lookupCount == number } }
        ) { [self] answer in
            loop.run { [self] in arrived(number) { $0.config = answer } }
        }
        let ticket = lookups.lookUp(host) { [self] answer in
            loop.run { [self] in arrived(number) { $0.addresses = answer } }
        }
        let isOver = state.withLock { state in
            let isOver = state.results == nil || state.lookupCount != number
            if !isOver { state.ticket = ticket }
            return isOver
        }
        if isOver { lookups.cancel(ticket) }
    }

    /// Adds a part of the answer. Ends the look-up if this was the last part, or if the addresses
    /// failed.
    private func arrived(_ number: Int, _ change: (inout Findings) -> Void) {
        let findings: Findings? = state.withLock { state in
            guard state.lookupCount == number else { return nil }
            change(&state.findings)
            return state.findings
        }
        switch (findings?.addresses, findings?.config) {
        case (.failure(let error)?, _): failed("\(error)", number)
        case (.success(let addresses)?, let config?):
            found(addresses.map { $0.with(port: port) }, config, number)
        default: break
        }
    }

    private func found(
        _ addresses: [SocketAddress], _ config: Result<ServiceConfig?, RPCError>, _ number: Int
    ) {
        guard !addresses.isEmpty else { return failed("\(host) has no address", number) }
        var result = ResolverResult(addresses.map { Endpoint([ServerAddress($0)]) })
        var hasConfig = true
        switch config {
        case .success(let config): result.serviceConfig = config.map { .success($0) }
        case .failure(let error):
            result.serviceConfig = .failure(error)
            // The look-up is repeated with a growing delay, as after a failure.
            hasConfig = false
        }
        finish(number, isSuccess: hasConfig) { [result] state in
            state.hasAnswer = true
            return result
        }
    }

    private func failed(_ cause: String, _ number: Int) {
        finish(number, isSuccess: false) { state in
            guard !state.hasAnswer else { return nil }
            var error = RPCError(.unavailable, cause)
            error.phase = .resolve
            error.mayHaveBeenExecuted = false
            error.reconnection = state.schedule.reconnection(now: .now)
            return ResolverResult(endpoints: .failure(error))
        }
    }

    /// Ends a look-up, reports its result, and starts the next look-up or its timer.
    private func finish(
        _ number: Int, isSuccess: Bool, _ result: (inout State) -> ResolverResult?
    ) {
        typealias Outcome = (
            next: Schedule.Next, results: ResolverResults?, result: ResolverResult?,
            ticket: NameLookups.Ticket?
        )
        let outcome: Outcome? = state.withLock { state in
            guard state.lookupCount == number, state.schedule.isLookingUp else { return nil }
            let next = state.schedule.ended(isSuccess: isSuccess, now: .now)
            return (next, state.results, result(&state), state.ticket.take())
        }
        guard let outcome else { return }
        limitTimer.cancel()
        // Cancelling a look-up that has ended has no effect.
        if let ticket = outcome.ticket { lookups.cancel(ticket) }
        if let result = outcome.result { outcome.results?.report(result) }
        step(outcome.next)
    }

    /// Fails a look-up that exceeds the time limit. The thread of the look-up cannot be interrupted.
    private func limitHasPassed(_ number: Int) {
        let seconds = timeLimit.text(in: .seconds(1), digitCount: 0)
        failed("look up \(host): no answer within \(seconds) s", number)
    }
}

extension DNSResolver: TimerTarget {
    package func timerFired(now: MonotonicInstant) {
        timer.hasFired(now: now)
        step(state.withLock { $0.schedule.next(now: now) })
    }
}

// MARK: - The times of look-ups

extension DNSResolver.Schedule {
    /// Requests a new look-up.
    mutating func request(now: MonotonicInstant) -> Next {
        wantsLookup = true
        return next(now: now)
    }

    mutating func ended(isSuccess: Bool, now: MonotonicInstant) -> Next {
        isLookingUp = false
        if isSuccess {
            backoff.reset()
            lastSuccess = now
            retry = nil
        } else {
            wantsLookup = true
            retry = now + backoff.next()
        }
        return next(now: now)
    }

    /// If a look-up is delayed after a failure, starts it at once.
    mutating func resetBackoff(now: MonotonicInstant) -> Next {
        guard retry != nil else { return .nothing }
        backoff.reset()
        retry = now
        return next(now: now)
    }

    mutating func next(now: MonotonicInstant) -> Next {
        guard wantsLookup, !isLookingUp else { return .nothing }
        let earliest = retry ?? lastSuccess.map { $0 + minInterval } ?? now
        guard earliest <= now else { return .wait(until: earliest) }
        wantsLookup = false
        isLookingUp = true
        return .lookUp
    }

    /// The state of the resolver after a failure.
    func reconnection(now: MonotonicInstant) -> RPCError.Reconnection {
        RPCError.Reconnection(
            attemptNumber: backoff.attemptCount, nextAttempt: retry.map { now.duration(to: $0) })
    }
}
