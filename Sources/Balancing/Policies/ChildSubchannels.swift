package import SwiftletCore

/// The subchannels that the children of a balancer have made and not dropped, also those deep in the tree and
/// those that are made late. For a parent that must know them.
package struct ChildSubchannels<Extra: Sendable>: Sendable {
    package struct Entry: Sendable {
        package fileprivate(set) var endpoint: Endpoint
        /// Recognizes the endpoint in a list; nil if it has no addresses.
        package fileprivate(set) var key: EndpointKey?
        /// Whether the policy of the subchannel uses health reports (A61).
        package let checksHealth: Bool
        /// The state that the channel has reported last; nil before the first.
        package fileprivate(set) var state: SubchannelState?
        /// What the parent keeps for the subchannel.
        package var extra: Extra
    }

    package private(set) var entries: [Subchannel: Entry] = [:]

    package init() {}
}

extension ChildSubchannels {
    /// Records the actions that children have requested.
    ///
    /// - Parameters:
    ///   - actions: The actions that a call of the children has added to the context.
    ///   - extra: What the parent keeps for a new subchannel.
    /// - Returns: The subchannels that were made, updated and dropped.
    package mutating func follow(
        _ actions: ArraySlice<BalancerContext.Action>, new extra: Extra
    ) -> [Subchannel] {
        var changed: [Subchannel] = []
        for action in actions {
            switch action {
            case .make(let subchannel, let endpoint, let checksHealth):
                entries[subchannel] = Entry(
                    endpoint: endpoint, key: EndpointKey(endpoint), checksHealth: checksHealth,
                    extra: extra)
                changed.append(subchannel)
            case .update(let subchannel, let endpoint):
                entries[subchannel]?.endpoint = endpoint
                entries[subchannel]?.key = EndpointKey(endpoint)
                changed.append(subchannel)
            case .drop(let subchannel):
                entries[subchannel] = nil
                changed.append(subchannel)
            case .connect, .reportLoad: break
            }
        }
        return changed
    }

    /// Records the state that the channel reports. Returns the entry; nil for a subchannel of others.
    package mutating func subchannel(
        _ subchannel: Subchannel, changedTo state: SubchannelState
    ) -> Entry? {
        entries[subchannel]?.state = state
        return entries[subchannel]
    }

    /// Changes what the parent keeps for a subchannel.
    package mutating func changeExtra(of subchannel: Subchannel, _ body: (inout Extra) -> Void) {
        guard var entry = entries[subchannel] else { return }
        body(&entry.extra)
        entries[subchannel] = entry
    }

    /// Removes a subchannel that a child has dropped, and that the parent keeps for itself.
    package mutating func remove(_ subchannel: Subchannel) { entries[subchannel] = nil }

    package mutating func removeAll() { entries = [:] }
}
