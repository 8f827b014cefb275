/// A policy as a value that can be compared, for policies that hold others.
struct PolicyBox: Hashable, Sendable {
    var policy: any BalancingPolicy

    static func == (left: PolicyBox, right: PolicyBox) -> Bool {
        AnyHashable(left.policy) == AnyHashable(right.policy)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(AnyHashable(policy)) }
}
