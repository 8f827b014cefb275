import SwiftletCore
import TestSupport

/// A channel without connections. It runs a balancer in virtual time and records the requests of the
/// balancer.
struct VirtualChannel {
    private final class Numbers {
        var last: UInt64 = 0
        var healthChecked: Set<Subchannel> = []
    }

    private(set) var balancer: any Balancer
    private(set) var now = Duration.zero
    private let chance: Chance
    private let numbers = Numbers()
    /// Subchannels that were made and not dropped, with their current endpoints.
    private(set) var endpoints: [Subchannel: Endpoint] = [:]
    /// All subchannels, in the order in which they were made.
    private(set) var made: [Subchannel] = []
    private(set) var dropped: [Subchannel] = []
    private(set) var connectRequests: [Subchannel] = []
    private(set) var loadIntervals: [Subchannel: Duration] = [:]
    private(set) var connectivity: ConnectivityState?
    private(set) var picker: (any Picker)?
    private(set) var reportCount = 0
    private(set) var resolutionRequestCount = 0
    private var wakeTimes: [Duration] = []
    var decisions: [BalancingDecision] = []

    init(_ policy: some BalancingPolicy, seed: UInt64 = 1) {
        balancer = policy.makeBalancer()
        chance = Chance(seed)
    }
}

// MARK: - What metrics get

extension VirtualChannel {
    var weightUpdates: [WeightUpdate] {
        decisions.compactMap { if case .weights(let update, _) = $0 { update } else { nil } }
    }
}

// MARK: - Events

extension VirtualChannel {
    mutating func update(
        _ endpoints: [Endpoint], _ policy: some BalancingPolicy
    ) throws(RPCError) {
        try run { (balancer, context) throws(RPCError) in
            try balancer.update(BalancerUpdate(endpoints: endpoints, policy: policy), &context)
        }
    }

    mutating func change(
        _ subchannel: Subchannel, to connectivity: ConnectivityState, failure: RPCError? = nil
    ) {
        run { balancer, context in
            balancer.subchannel(
                subchannel, changedTo: SubchannelState(connectivity, failure: failure), &context)
        }
    }

    /// Changes the state of the subchannel that has this address.
    mutating func change(
        _ address: String, to connectivity: ConnectivityState, failure: RPCError? = nil
    ) {
        guard let subchannel = subchannel(at: address) else { return }
        change(subchannel, to: connectivity, failure: failure)
    }

    mutating func report(_ load: LoadReport, of address: String) {
        guard let subchannel = subchannel(at: address) else { return }
        run { balancer, context in
            balancer.subchannel(subchannel, reported: load, &context)
        }
    }

    mutating func resolverFailed(_ error: RPCError) {
        run { balancer, context in balancer.resolverFailed(error, &context) }
    }

    mutating func exitIdle() { run { balancer, context in balancer.exitIdle(&context) } }

    mutating func close() { run { balancer, context in balancer.close(&context) } }

    /// Moves the time forward and wakes the balancer at each time that it requested.
    mutating func advance(by duration: Duration) {
        let end = now + duration
        while let next = wakeTimes.min(), next <= end {
            now = max(now, next)
            wakeTimes.removeAll { $0 <= now }
            run { balancer, context in balancer.timeHasCome(&context) }
        }
        now = end
    }

    private mutating func run<Failure: Error>(
        _ body: (inout any Balancer, inout BalancerContext) throws(Failure) -> Void
    ) throws(Failure) {
        let (chance, numbers) = (chance, numbers)
        var context = BalancerContext(
            now: now, random: { chance.next() }, recordsDecisions: true,
            makeSubchannel: { _, checksHealth in
                numbers.last += 1
                let subchannel = Subchannel(id: numbers.last, backend: nil)
                if checksHealth { numbers.healthChecked.insert(subchannel) }
                return subchannel
            })
        do throws(Failure) {
            try body(&balancer, &context)
            take(&context)
        } catch {
            take(&context)
            throw error
        }
    }

    private mutating func take(_ context: inout BalancerContext) {
        for action in context.actions { perform(action) }
        wakeTimes += context.wakeTimes
        decisions += context.decisions
        if context.wantsResolution { resolutionRequestCount += 1 }
        if let report = context.takeReport() {
            (connectivity, picker) = (report.connectivity, report.picker)
            reportCount += 1
        }
    }

    private mutating func perform(_ action: BalancerContext.Action) {
        switch action {
        case .make(let subchannel, let endpoint, _):
            made.append(subchannel)
            endpoints[subchannel] = endpoint
        case .update(let subchannel, let endpoint): endpoints[subchannel] = endpoint
        case .connect(let subchannel): connectRequests.append(subchannel)
        case .drop(let subchannel):
            dropped.append(subchannel)
            endpoints[subchannel] = nil
        case .reportLoad(let subchannel, let interval, _, _): loadIntervals[subchannel] = interval
        }
    }
}

// MARK: - State

extension VirtualChannel {
    /// The live subchannel that has this address.
    func subchannel(at address: String) -> Subchannel? {
        endpoints.first { $0.value.addresses.contains { "\($0)" == address } }?.key
    }

    /// The subchannels for which the balancer requests health checks.
    var healthChecked: Set<Subchannel> { numbers.healthChecked }

    /// The live subchannels in the order in which they were made.
    var live: [Subchannel] { made.filter { endpoints[$0] != nil } }

    func pick(_ metadata: Metadata = Metadata()) -> Pick {
        guard let picker else { return .queue() }
        return picker.pick(PickInfo(path: "/test.Service/Method", metadata: metadata))
    }

    /// The first address of the subchannel to which a call is sent. Otherwise the outcome of the call.
    func outcome(_ metadata: Metadata = Metadata()) -> String {
        switch pick(metadata) {
        case .subchannel(let subchannel, _):
            endpoints[subchannel]?.addresses.first?.description ?? "dropped \(subchannel)"
        case .queue(nil): "queue"
        case .queue(let subchannel?): "queue, connect \(subchannel)"
        case .fail(let error): "fail: \(error.message)"
        case .drop(let error): "drop: \(error.message)"
        }
    }

    func outcomes(_ count: Int) -> [String] { (0..<count).map { _ in outcome() } }

    /// The number of calls with each outcome, out of `count` calls.
    func shares(of count: Int) -> [String: Int] {
        outcomes(count).reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }
}

extension Endpoint {
    /// An endpoint with these addresses.
    static func at(
        _ addresses: String..., configure: (inout EndpointAttributes) -> Void = { _ in }
    ) throws -> Endpoint {
        var attributes = EndpointAttributes()
        configure(&attributes)
        return Endpoint(try addresses.map { try ServerAddress($0) }, attributes: attributes)
    }

    /// Endpoints `10.0.0.1:80`, `10.0.0.2:80`, …
    static func many(_ count: Int) throws -> [Endpoint] {
        try (1...count).map { number in
            try .at("10.\(number >> 16).\(number >> 8 & 255).\(number & 255):80")
        }
    }
}
