import SwiftletTransport
import Synchronization

// The results of the resolver, and the requests for other ones.
//
// Whatever asks for another result because of the present one waits for a delay, which grows. A resolver may
// answer a request before the request returns: without the delay, the two would never stop.

extension ChannelCore {
    /// Uses a result. Asks for another one later if the channel does not accept it, or if the balancer asks
    /// for another one because of it.
    func receive(_ result: ResolverResult, _ work: inout Balancing.State) {
        let isAccepted = use(result, &work)
        if isAccepted, !work.wantsResolution {
            work.resolutionBackoff = nil
            balancing.resolutionTimer.cancel()
        } else {
            work.wantsResolution = false
            resolveLater(&work)
        }
    }

    /// Asks the resolver for another result, because the balancer wants one since a connection has failed.
    func requestResolutionIfWanted(_ work: inout Balancing.State) {
        guard work.wantsResolution else { return }
        work.wantsResolution = false
        HeldLocks.assertNone(calling: "resolver")
        // After a result that was not accepted, the timer asks.
        if work.resolutionBackoff == nil { work.resolver?.requestResolution() }
    }

    /// Asks after a delay, unless it was decided before to ask.
    func resolveLater(_ work: inout Balancing.State) {
        guard !balancing.resolutionTimer.isScheduled else { return }
        var backoff = work.resolutionBackoff ?? Backoff(arguments.backoff)
        let delay = backoff.next()
        work.resolutionBackoff = backoff
        balancing.resolutionTimer.schedule(at: .now + delay, on: loop) { [weak self] in
            self?.post(.resolveAgain)
        }
    }

    /// The delay has passed. Makes a resolver if there is none. A resolver need not answer, so it is asked until a result
    /// is accepted.
    func resolveAgain(_ work: inout Balancing.State) {
        guard work.resolutionBackoff != nil else { return }
        balancing.resolutionTimer.cancel()
        resolveLater(&work)
        HeldLocks.assertNone(calling: "resolver")
        if let resolver = work.resolver { resolver.requestResolution() } else { start(&work) }
    }

    /// Asks at once instead of at the end of the delay, because the network is back.
    func resetResolutionBackoff(_ work: inout Balancing.State) {
        HeldLocks.assertNone(calling: "resolver")
        work.resolver?.resetBackoff()
        guard work.resolutionBackoff != nil else { return }
        work.resolutionBackoff?.reset()
        balancing.resolutionTimer.cancel()
        resolveLater(&work)
        if work.resolver == nil { start(&work) }
    }
}

// MARK: - The parts of a result

extension ChannelCore {
    /// Returns whether the result is accepted: it has endpoints that the balancer can use, and its service
    /// config is valid or an earlier one is.
    ///
    /// The balancer has the endpoints before the config releases calls that wait for it: those calls would
    /// otherwise be sent by the old balancer with the new config.
    private func use(_ result: ResolverResult, _ work: inout Balancing.State) -> Bool {
        let config: ServiceConfig?
        switch result.serviceConfig {
        case nil:
            // Only a result with endpoints can say that there is no config.
            guard case .success = result.endpoints else {
                config = nil
                break
            }
            config = arguments.serviceConfig ?? ServiceConfig()
        case .success(let new)?: config = new
        case .failure(let error)?:
            log.note(.serviceConfigRejected(error))
            // Proposal A21: the last good config stays in use. Without one, calls fail.
            guard work.config != nil else {
                resolverFailed(error, &work)
                return false
            }
            config = nil
        }
        if let config { apply(config, &work) }
        let (isAccepted, isFound): (Bool, Bool)
        switch result.endpoints {
        case .failure(let error):
            resolverFailed(error, &work)
            (isAccepted, isFound) = (false, false)
        case .success(let endpoints):
            isFound = true
            plan.resolved.withLock { $0 = .now }
            log.note(.resolved(endpointCount: endpoints.count))
            isAccepted = use(endpoints, &work)
        }
        if config != nil || isFound { methodConfigs?.use(config, result.selector) }
        return isAccepted
    }

    /// Uses the settings for subchannels from now on.
    private func apply(_ config: ServiceConfig, _ work: inout Balancing.State) {
        let former = work.config
        work.config = config
        let (check, count) = (config.healthCheck, maxConnectionCount(config))
        guard check != former?.healthCheck || count != maxConnectionCount(former)
        else { return }
        for member in state.withLock({ Array($0.members.values) }) {
            member.handle(.healthCheck(arguments.checksHealth ? check : nil))
            member.handle(.maxConnectionCount(count))
        }
    }

    /// The most connections of each subchannel; nil is the usual number of the version of HTTP.
    func maxConnectionCount(_ config: ServiceConfig?) -> Int? {
        guard let count = config?.maxConnectionsPerSubchannel else {
            return arguments.maxConnectionCount
        }
        return min(count, arguments.maxConfiguredConnectionCount)
    }

    /// Returns whether the balancer accepts the endpoints.
    private func use(_ endpoints: [Endpoint], _ work: inout Balancing.State) -> Bool {
        let policy: any BalancingPolicy =
            work.config?.balancing ?? arguments.balancing ?? PickFirst()
        if work.balancer == nil { work.balancer = GracefulSwitch() }
        let isOtherPolicy = state.withLock { state in
            defer { state.policyName = policy.name }
            return state.policyName != policy.name
        }
        if isOtherPolicy { log.note(.balancing(policy: policy.name)) }
        let update = BalancerUpdate(endpoints: endpoints, policy: policy)
        var failure: RPCError?
        run(&work) { balancer, context in failure = balancer.failure(of: update, &context) }
        guard let failure else {
            // The program may have asked the channel to connect before the balancer had endpoints.
            if work.mustExitIdle {
                work.mustExitIdle = false
                run(&work) { $0.exitIdle(&$1) }
            }
            return true
        }
        if state.withLock({ $0.picker == nil }) {
            install(.transientFailure, FailingPicker(error: failure))
        }
        return false
    }

    func resolverFailed(_ error: RPCError, _ work: inout Balancing.State) {
        log.note(.resolutionFailed(error))
        if work.balancer == nil {
            install(.transientFailure, FailingPicker(error: error))
        } else {
            run(&work) { $0.resolverFailed(error, &$1) }
        }
        methodConfigs?.releaseOthers(andLater: true)
    }
}
