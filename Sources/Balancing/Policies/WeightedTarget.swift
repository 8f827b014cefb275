public import SwiftletCore
import SwiftletTransport

/// Spreads calls over groups of endpoints in proportion to fixed weights: the policy
/// `weighted_target_experimental` (A28). Only groups that are READY get calls.
///
/// The first name in the path of an endpoint's attributes is the group that it belongs to.
public struct WeightedTarget: BalancingPolicy {
    /// One group.
    public struct Target: Hashable, Sendable {
        /// The share of the calls relative to other groups. A group of weight 0 gets none.
        public var weight: UInt32
        private var box: PolicyBox

        /// Makes a group.
        public init(weight: UInt32, policy: any BalancingPolicy) {
            self.weight = weight
            box = PolicyBox(policy: policy)
        }

        /// How calls are spread over the endpoints of the group.
        public var policy: any BalancingPolicy {
            get { box.policy }
            set { box.policy = newValue }
        }
    }

    /// The groups by name.
    public var targets: [String: Target]

    /// Makes the policy.
    public init(_ targets: [String: Target]) { self.targets = targets }

    public var name: String { "weighted_target_experimental" }

    public func makeBalancer() -> any Balancer { WeightedTargetBalancer() }
}

struct WeightedTargetBalancer: Balancer {
    private var targets: [String: WeightedTarget.Target] = [:]
    private var children: [String: ChildBalancer] = [:]
    private var random: PickerRandom?

    mutating func update(
        _ update: BalancerUpdate, _ context: inout BalancerContext
    ) throws(RPCError) {
        if let policy = update.policy as? WeightedTarget { targets = policy.targets }
        for name in children.keys where targets[name] == nil {
            children[name]?.deactivate(&context)
        }
        let endpoints = update.endpoints.byChild()
        var failure: RPCError?
        for (name, target) in targets.inOrder(by: { $0.key < $1.key }) {
            let update = BalancerUpdate(endpoints: endpoints[name] ?? [], policy: target.policy)
            var child = children[name] ?? ChildBalancer()
            child.reactivate()
            do throws(RPCError) {
                _ = try child.run(&context) { (balancer, context) throws(RPCError) in
                    try balancer.update(update, &context)
                }
            } catch {
                failure = failure ?? error
            }
            children[name] = child
        }
        leaveIdle(&context)
        report(&context)
        if let failure { throw failure }
    }

    mutating func resolverFailed(_ error: RPCError, _ context: inout BalancerContext) {
        guard !children.isEmpty else { return context.reportFailure(error) }
        run(&context) { balancer, context in balancer.resolverFailed(error, &context) }
    }

    mutating func subchannel(
        _ subchannel: Subchannel, changedTo state: SubchannelState,
        _ context: inout BalancerContext
    ) {
        run(&context) { balancer, context in
            balancer.subchannel(subchannel, changedTo: state, &context)
        }
    }

    mutating func timeHasCome(_ context: inout BalancerContext) {
        children.removeExpired(&context)
        run(&context) { balancer, context in balancer.timeHasCome(&context) }
    }

    mutating func exitIdle(_ context: inout BalancerContext) {
        run(&context) { balancer, context in balancer.exitIdle(&context) }
    }

    mutating func subchannel(
        _ subchannel: Subchannel, reported load: LoadReport, _ context: inout BalancerContext
    ) {
        run(&context) { balancer, context in
            balancer.subchannel(subchannel, reported: load, &context)
        }
    }

    mutating func close(_ context: inout BalancerContext) { children.removeAll(&context) }
}

extension WeightedTargetBalancer {
    private mutating func run(
        _ context: inout BalancerContext,
        _ call: (inout GracefulSwitch, inout BalancerContext) -> Void
    ) {
        guard !children.runEach(&context, call).isEmpty else { return }
        leaveIdle(&context)
        report(&context)
    }

    /// Connects children that are IDLE. While other children are READY, all calls use those, so no
    /// call would connect an IDLE child.
    private mutating func leaveIdle(_ context: inout BalancerContext) {
        for name in targets.keys.inOrder() where children[name]?.report.connectivity == .idle {
            _ = children[name]?.run(&context) { balancer, context in balancer.exitIdle(&context) }
        }
    }

    private mutating func report(_ context: inout BalancerContext) {
        let active = targets.inOrder { $0.key < $1.key }.compactMap { name, target in
            target.weight > 0 ? children[name].map { (target.weight, $0.report) } : nil
        }
        func pickers(_ connectivity: ConnectivityState) -> [WeightedPicker.Choice] {
            active.filter { $0.1.connectivity == connectivity }.map { ($0.0, $0.1.picker) }
        }
        let ready = pickers(.ready)
        let failed = pickers(.transientFailure)
        if !ready.isEmpty {
            context.report(.ready, weighted(ready, &context))
        } else if active.count > failed.count {
            context.reportConnecting()
        } else if !failed.isEmpty {
            context.report(.transientFailure, weighted(failed, &context))
        } else {
            context.reportFailure(.noConnection("weighted_target: no target has a weight"))
        }
    }

    private mutating func weighted(
        _ choices: [WeightedPicker.Choice], _ context: inout BalancerContext
    ) -> any Picker {
        if choices.count == 1 { return choices[0].picker }
        let random = random ?? PickerRandom(seed: context.randomNumber())
        self.random = random
        return WeightedPicker(choices, random: random)
    }
}

/// Lets one of several pickers choose, at random in proportion to their weights.
final class WeightedPicker: Picker {
    typealias Choice = (weight: UInt32, picker: any Picker)

    private let pickers: [any Picker]
    /// The sum of the weights up to each picker.
    private let bounds: [Int]
    private let random: PickerRandom

    /// - Parameter choices: At least one, with weights above 0.
    init(_ choices: [Choice], random: PickerRandom) {
        precondition(!choices.isEmpty, "a weighted picker needs at least one choice")
        pickers = choices.map(\.picker)
        var sum = 0
        bounds = choices.map { choice in
            sum += Int(choice.weight)
            return sum
        }
        self.random = random
    }

    func pick(_ call: borrowing PickInfo) -> Pick {
        let place = random.next(below: bounds[bounds.count - 1])
        return pickers[bounds.firstPlace { $0 > place }].pick(call)
    }
}
