public import SwiftletCore
import Synchronization

/// Sends each call to the endpoint with the fewest open calls among a few that are chosen at random:
/// the policy `least_request_experimental` (A48).
///
/// It keeps a connection to every endpoint, as `RoundRobin` does.
public struct LeastRequest: BalancingPolicy {
    /// How many endpoints are compared for each call: 2 to 10. A larger number counts as 10, a smaller
    /// one as 2; 2 by default.
    public var choiceCount: Int

    /// Makes the policy.
    public init(choiceCount: Int = 2) { self.choiceCount = choiceCount }

    public var name: String { "least_request_experimental" }

    public func makeBalancer() -> any Balancer { LeastRequestBalancer() }
}

struct LeastRequestBalancer: Balancer {
    private var endpoints = ConnectedEndpoints<OpenCalls>()
    private var choiceCount = 2

    mutating func update(
        _ update: BalancerUpdate, _ context: inout BalancerContext
    ) throws(RPCError) {
        if let policy = update.policy as? LeastRequest {
            choiceCount = min(max(policy.choiceCount, 2), 10)
        }
        let isDue = try endpoints.update(update.endpoints, &context) { _ in OpenCalls() }
        if isDue { reportReady(&context) }
    }

    mutating func resolverFailed(_ error: RPCError, _ context: inout BalancerContext) {
        endpoints.resolverFailed(error, &context)
    }

    mutating func subchannel(
        _ subchannel: Subchannel, changedTo state: SubchannelState,
        _ context: inout BalancerContext
    ) {
        let isDue = endpoints.subchannel(subchannel, changedTo: state, &context)
        if isDue { reportReady(&context) }
    }

    mutating func close(_ context: inout BalancerContext) { endpoints.close(&context) }

    private func reportReady(_ context: inout BalancerContext) {
        context.report(
            .ready,
            LeastRequestPicker(
                ContiguousArray(endpoints.list.ready.map { ($0.subchannel, $0.extra) }),
                choiceCount: choiceCount, random: PickerRandom(seed: context.randomNumber())))
    }
}

/// The number of open calls of one endpoint.
final class OpenCalls: CallTracker {
    private let counter = Atomic<Int>(0)

    var count: Int { counter.load(ordering: .relaxed) }

    func callBegan() { counter.wrappingAdd(1, ordering: .relaxed) }

    func callEnded(_ outcome: CallOutcome) { counter.wrappingSubtract(1, ordering: .relaxed) }
}

final class LeastRequestPicker: Picker {
    typealias Choice = (subchannel: Subchannel, calls: OpenCalls)

    private let choices: ContiguousArray<Choice>
    private let choiceCount: Int
    private let random: PickerRandom

    /// - Parameter choices: At least one.
    init(_ choices: ContiguousArray<Choice>, choiceCount: Int, random: PickerRandom) {
        precondition(!choices.isEmpty, "a picker needs a subchannel")
        self.choices = choices
        self.choiceCount = choiceCount
        self.random = random
    }

    func pick(_ call: borrowing PickInfo) -> Pick {
        var best = random.next(below: choices.count)
        for _ in 1..<choiceCount {
            let other = random.next(below: choices.count)
            if choices[other].calls.count < choices[best].calls.count { best = other }
        }
        choices[best].calls.callBegan()
        return .subchannel(choices[best].subchannel, tracker: choices[best].calls)
    }
}
