/// A policy that can be compared, for policies that contain other policies.
struct PolicyBox: Hashable, Sendable {
    var policy: any BalancingPolicy

    static func == (left: PolicyBox, right: PolicyBox) -> Bool {
        AnyHashable(left.policy) == AnyHashable(right.policy)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(AnyHashable(policy)) }
}
