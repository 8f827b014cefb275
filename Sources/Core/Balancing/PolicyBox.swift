/// A policy that can be compared, for policies that contain other policies.
package struct PolicyBox: Hashable, Sendable {
    package var policy: any BalancingPolicy

    package init(policy: any BalancingPolicy) { self.policy = policy }

    package static func == (left: PolicyBox, right: PolicyBox) -> Bool {
        AnyHashable(left.policy) == AnyHashable(right.policy)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(AnyHashable(policy)) }
}
