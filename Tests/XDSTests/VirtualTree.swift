import SwiftletCore
import SwiftletTransport
import Synchronization

@testable import SwiftletXDS

/// The balancers and subchannels of a channel without sockets.
struct VirtualTree {
    /// What balancers and pickers change from other places.
    private final class Shared: Sendable {
        let subchannelCount = Atomic<UInt64>(0)
        let random: Atomic<UInt64>
        let isWoken = Atomic<Bool>(false)

        init(_ seed: UInt64) { random = Atomic(seed) }

        func next() -> UInt64 {
            // Only one thread uses it.
            let state =
                random.load(ordering: .relaxed)
                &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            random.store(state, ordering: .relaxed)
            return state >> 33 | state << 31
        }
    }

    private var balancer: (any Balancer)?
    private let shared: Shared
    private(set) var picker: any Picker = QueuePicker()
    private(set) var connectivity = ConnectivityState.connecting
    private(set) var endpoints: [Subchannel: Endpoint] = [:]
    private(set) var states: [Subchannel: ConnectivityState] = [:]
    private(set) var wakeTimes: [Duration] = []
    /// How often the balancers were woken.
    private(set) var wakeCount = 0
    /// How many pickers there were.
    private(set) var reportCount = 0

    init(seed: UInt64) { shared = Shared(seed) }
}

extension VirtualTree {
    /// Throws what the balancers throw, after their actions.
    mutating func update(to policy: some BalancingPolicy, at now: Duration) throws(RPCError) {
        if balancer == nil { balancer = policy.makeBalancer() }
        var failure: RPCError?
        run(at: now) { balancer, context in
            do throws(RPCError) {
                try balancer.update(BalancerUpdate(endpoints: [], policy: policy), &context)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    mutating func fail(_ error: RPCError, at now: Duration) {
        guard balancer != nil else {
            picker = FailingPicker(error: error)
            connectivity = .transientFailure
            return
        }
        run(at: now) { $0.resolverFailed(error, &$1) }
    }

    mutating func change(_ subchannel: Subchannel, to state: ConnectivityState, at now: Duration) {
        guard states[subchannel] != nil else { return }
        states[subchannel] = state
        let failure = RPCError(.unavailable, "refused")
        run(at: now) {
            $0.subchannel(
                subchannel,
                changedTo: SubchannelState(
                    state, failure: state == .transientFailure ? failure : nil), &$1)
        }
    }

    mutating func timeHasCome(at now: Duration) {
        wakeTimes.removeAll { $0 <= now }
        wakeCount += 1
        run(at: now) { $0.timeHasCome(&$1) }
    }

    /// Wakes the balancers if a picker has asked for it.
    mutating func wakeIfAsked(at now: Duration) {
        if shared.isWoken.exchange(false, ordering: .relaxed) { timeHasCome(at: now) }
    }

    mutating func exitIdle(at now: Duration) { run(at: now) { $0.exitIdle(&$1) } }

    mutating func connect(_ subchannel: Subchannel, at now: Duration) {
        if states[subchannel] == .idle { change(subchannel, to: .connecting, at: now) }
    }

    mutating func close(at now: Duration) {
        run(at: now) { $0.close(&$1) }
        balancer = nil
        picker = QueuePicker()
    }

    private mutating func run(
        at now: Duration, _ body: (inout any Balancer, inout BalancerContext) -> Void
    ) {
        guard var balancer else { return }
        let shared = shared
        var context = BalancerContext(
            now: now, random: { shared.next() },
            wakeUp: { shared.isWoken.store(true, ordering: .relaxed) },
            makeSubchannel: { _, _ in
                Subchannel(
                    id: shared.subchannelCount.wrappingAdd(1, ordering: .relaxed).newValue)
            })
        self.balancer = nil
        body(&balancer, &context)
        self.balancer = balancer
        var connecting: [Subchannel] = []
        for action in context.actions {
            switch action {
            case .make(let subchannel, let endpoint, _):
                endpoints[subchannel] = endpoint
                states[subchannel] = .idle
            case .update(let subchannel, let endpoint): endpoints[subchannel] = endpoint
            case .connect(let subchannel): connecting.append(subchannel)
            case .drop(let subchannel):
                endpoints[subchannel] = nil
                states[subchannel] = nil
            case .reportLoad: break
            }
        }
        wakeTimes += context.wakeTimes
        if let report = context.takeReport() {
            (connectivity, picker) = (report.connectivity, report.picker)
            reportCount += 1
        }
        for subchannel in connecting { connect(subchannel, at: now) }
        wakeIfAsked(at: now)
    }
}
