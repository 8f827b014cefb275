/// The endpoints of a balancer with one subchannel for each, and the counts of their states.
///
/// `Extra` is what a policy keeps for each endpoint. It stays with the endpoint as long as the
/// resolver reports the same addresses.
package struct EndpointList<Extra: Sendable>: Sendable {
    package struct Member: Sendable {
        fileprivate let key: EndpointKey
        /// The endpoint as it was last reported.
        package fileprivate(set) var endpoint: Endpoint
        /// The sum of the weights of all entries with these addresses. A weight of 0 counts as 1.
        package fileprivate(set) var weight: UInt64
        package let subchannel: Subchannel
        /// The state of the subchannel. After a failure it stays TRANSIENT_FAILURE until READY.
        package fileprivate(set) var connectivity = ConnectivityState.idle
        /// Why the subchannel failed; nil in other states than TRANSIENT_FAILURE.
        package fileprivate(set) var failure: RPCError?
        package var extra: Extra
    }

    /// In the order of the resolver, without duplicates and without endpoints that have no address.
    package private(set) var members: ContiguousArray<Member> = []
    /// The failure that was reported last; nil before the first.
    private(set) var lastFailure: RPCError?
    private var places: [Subchannel: Int] = [:]
    private var counts: [ConnectivityState: Int] = [:]

    package init() {}
}

// MARK: - Inputs

extension EndpointList {
    /// Replaces the endpoints, in linear time. Makes subchannels for new endpoints, keeps those of
    /// known endpoints, and drops the others.
    package mutating func update(
        _ endpoints: [Endpoint], _ context: inout BalancerContext, extra: (Endpoint) -> Extra
    ) {
        var former = FormerMembers(members)
        members = []
        members.reserveCapacity(endpoints.count)
        var newPlaces: [EndpointKey: Int] = [:]
        for endpoint in endpoints {
            guard let key = EndpointKey(endpoint) else { continue }
            let weight = UInt64(max(endpoint.attributes.weight, 1))
            if let formerPlace = former.find(key) {
                if let place = former.places[formerPlace] {
                    members[place].weight += weight
                } else {
                    former.places[formerPlace] = members.count
                    members.append(former.members[formerPlace])
                    members[members.count - 1].move(to: endpoint, weight: weight, &context)
                }
            } else if let place = newPlaces[key] {
                members[place].weight += weight
            } else {
                newPlaces[key] = members.count
                let subchannel = context.makeSubchannel(to: endpoint, checksHealth: true)
                members.append(
                    Member(
                        key: key, endpoint: endpoint, weight: weight, subchannel: subchannel,
                        extra: extra(endpoint)))
            }
        }
        for place in former.members.indices where former.places[place] == nil {
            context.drop(former.members[place].subchannel)
        }
        indexMembers()
    }

    /// The members of the list before an update. Lists mostly keep their order, so the next one is tried first.
    private struct FormerMembers {
        let members: ContiguousArray<Member>
        /// The places of the members in the new list; nil for those that are not in it, or not yet.
        var places: ContiguousArray<Int?>
        private var next = 0
        /// Made when the order differs.
        private var placesByKey: [EndpointKey: Int]?

        init(_ members: ContiguousArray<Member>) {
            self.members = members
            places = ContiguousArray(repeating: nil, count: members.count)
        }

        /// The place of a member among the former ones.
        mutating func find(_ key: EndpointKey) -> Int? {
            if next < members.count, members[next].key == key {
                next += 1
                return next - 1
            }
            let index = placesByKey ?? index()
            placesByKey = index
            guard let place = index[key] else { return nil }
            next = place + 1
            return place
        }

        private func index() -> [EndpointKey: Int] {
            var index: [EndpointKey: Int] = [:]
            index.reserveCapacity(members.count)
            for place in members.indices { index[members[place].key] = place }
            return index
        }
    }

    /// How a subchannel's state changed.
    package struct Change {
        package let place: Int
        package let before: ConnectivityState
        package let after: ConnectivityState
    }

    /// Records the state of a subchannel. Nil for a subchannel that is not in the list.
    package mutating func subchannel(
        _ subchannel: Subchannel, changedTo state: SubchannelState
    ) -> Change? {
        guard let place = places[subchannel] else { return nil }
        let before = members[place].connectivity
        let isRetrying =
            before == .transientFailure
            && (state.connectivity == .connecting || state.connectivity == .idle)
        let after = isRetrying || state.connectivity == .shutdown ? before : state.connectivity
        members[place].connectivity = after
        counts[before, default: 0] -= 1
        counts[after, default: 0] += 1
        if state.connectivity == .transientFailure {
            members[place].failure = state.error
            lastFailure = state.error
        } else if after != .transientFailure {
            members[place].failure = nil
        }
        return Change(place: place, before: before, after: after)
    }

    /// Drops all subchannels.
    package mutating func removeAll(_ context: inout BalancerContext) {
        for member in members { context.drop(member.subchannel) }
        self = EndpointList()
    }

    /// Visits the members. The policy may change what it keeps for each.
    mutating func forEach(_ body: (inout Member) -> Void) {
        for place in members.indices { body(&members[place]) }
    }

    /// Changes what the policy keeps for one endpoint.
    mutating func changeExtra(of subchannel: Subchannel, _ body: (inout Extra) -> Void) {
        if let place = places[subchannel] { body(&members[place].extra) }
    }

    private mutating func indexMembers() {
        places = Dictionary(minimumCapacity: members.count)
        counts = [:]
        for place in members.indices {
            places[members[place].subchannel] = place
            counts[members[place].connectivity, default: 0] += 1
        }
    }
}

extension EndpointList.Member {
    fileprivate mutating func move(
        to endpoint: Endpoint, weight: UInt64, _ context: inout BalancerContext
    ) {
        if self.endpoint != endpoint { context.update(subchannel, to: endpoint) }
        self.endpoint = endpoint
        self.weight = weight
    }
}

// MARK: - Outputs

extension EndpointList {
    package var isEmpty: Bool { members.isEmpty }

    /// How many subchannels are in a state.
    package func count(of connectivity: ConnectivityState) -> Int { counts[connectivity] ?? 0 }

    /// The members whose subchannels are READY.
    package var ready: some Sequence<Member> { members.lazy.filter { $0.connectivity == .ready } }
}
