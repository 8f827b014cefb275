package import SwiftletCore
import SwiftletTransport

/// A balancer inside another one: its last report, and when it is removed.
package struct ChildBalancer: Sendable {
    /// How long a child that is not in use is kept (A56, A28).
    package static let retention = Duration.seconds(15 * 60)

    private var balancer = GracefulSwitch()
    package private(set) var report = BalancerReport.connecting
    /// When the child is removed; nil while it is in use.
    package private(set) var removalTime: Duration?

    package init() {}
}

extension ChildBalancer {
    /// Calls the child and records its report. Returns whether it made one.
    package mutating func run<Failure: Error>(
        _ context: inout BalancerContext,
        _ call: (inout GracefulSwitch, inout BalancerContext) throws(Failure) -> Void
    ) throws(Failure) -> Bool {
        var failure: Failure?
        let report = context.reportOf { context in
            do throws(Failure) { try call(&balancer, &context) } catch { failure = error }
        }
        if let report { self.report = report }
        if let failure { throw failure }
        return report != nil
    }

    /// Sets the time at which the child is removed, unless that time is set already.
    package mutating func deactivate(_ context: inout BalancerContext) {
        guard removalTime == nil else { return }
        let time = context.now + Self.retention
        removalTime = time
        context.wake(at: time)
    }

    package mutating func reactivate() { removalTime = nil }
}

extension [String: ChildBalancer] {
    /// Closes and removes the children whose removal time has passed.
    package mutating func removeExpired(_ context: inout BalancerContext) {
        let now = context.now
        for (name, child) in self where child.removalTime.map({ $0 <= now }) ?? false {
            remove(name, &context)
        }
    }

    package mutating func removeAll(_ context: inout BalancerContext) {
        for name in keys.inOrder() { remove(name, &context) }
    }

    package mutating func remove(_ name: String, _ context: inout BalancerContext) {
        guard var child = removeValue(forKey: name) else { return }
        _ = child.run(&context) { balancer, context in balancer.close(&context) }
    }

    /// Calls each child, in the order of the names. Returns the names of those that made a report.
    package mutating func runEach(
        _ context: inout BalancerContext,
        _ call: (inout GracefulSwitch, inout BalancerContext) -> Void
    ) -> Set<String> {
        var reported: Set<String> = []
        for name in keys.inOrder() where self[name]?.run(&context, call) ?? false {
            reported.insert(name)
        }
        return reported
    }
}

extension [Endpoint] {
    /// Groups the endpoints by the first name of their path, which names the child, and removes
    /// that name from the path (A56). Endpoints without a path are left out.
    package func byChild() -> [String: [Endpoint]] {
        var lists: [String: [Endpoint]] = [:]
        for var endpoint in self {
            guard let name = endpoint.attributes.removeFirstName() else { continue }
            lists[name, default: []].append(endpoint)
        }
        return lists
    }
}
