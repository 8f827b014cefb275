import SwiftletCore

/// Chooses an endpoint by the hash of the call: from the first ring entry whose hash is at least as
/// large, or from a later entry if that endpoint has failed.
final class RingHashPicker: Picker {
    private let ring: HashRing
    private let endpoints: ContiguousArray<EndpointList<Void>.Member>
    /// The name of the metadata that is hashed; empty when `PickInfo.requestHash` is used.
    private let header: String
    /// Whether an endpoint is CONNECTING.
    private let isConnecting: Bool
    private let random: PickerRandom

    init(
        ring: HashRing, endpoints: ContiguousArray<EndpointList<Void>.Member>, header: String,
        isConnecting: Bool, random: PickerRandom
    ) {
        self.ring = ring
        self.endpoints = endpoints
        self.header = header
        self.isConnecting = isConnecting
        self.random = random
    }

    func pick(_ call: borrowing PickInfo) -> Pick {
        if header.isEmpty {
            guard let hash = call.requestHash else { return .fail(.noRequestHash) }
            return pick(by: hash)
        }
        if let value = call.metadata.joined(header), !value.isEmpty {
            return pick(by: XXH64.hash(value))
        }
        return pickAnyReady(from: random.next())
    }

    /// The first endpoint that has not failed, in ring order from `hash` (A61).
    private func pick(by hash: UInt64) -> Pick {
        for member in ring.members(from: hash) {
            let endpoint = endpoints[member]
            switch endpoint.connectivity {
            case .ready: return .subchannel(endpoint.subchannel)
            case .idle: return .queue(connecting: endpoint.subchannel)
            case .connecting: return .queue()
            case .transientFailure, .shutdown: continue
            }
        }
        return failure(at: hash)
    }

    /// The first READY endpoint from a random place. Connects at most one endpoint on the way, and
    /// none while another one is connecting (A76).
    private func pickAnyReady(from hash: UInt64) -> Pick {
        var idle: Subchannel?
        for member in ring.members(from: hash) {
            let endpoint = endpoints[member]
            if endpoint.connectivity == .ready {
                idle?.backend?.requestConnection()
                return .subchannel(endpoint.subchannel)
            }
            if endpoint.connectivity == .idle, !isConnecting {
                idle = idle ?? endpoint.subchannel
            }
        }
        return isConnecting || idle != nil ? .queue(connecting: idle) : failure(at: hash)
    }

    private func failure(at hash: UInt64) -> Pick {
        let first = ring.members(from: hash).first { _ in true }
        return .fail(first.flatMap { endpoints[$0].failure } ?? .noReason)
    }
}

extension RPCError {
    fileprivate static var noRequestHash: RPCError {
        .refused(
            .unavailable, "ring_hash: the call has no hash (set requestHashHeader in the policy)")
    }
}

extension Metadata {
    /// All text values with a name, joined by commas; nil when there is none.
    fileprivate func joined(_ name: String) -> String? {
        var joined: String?
        for element in self where element.name == name {
            guard case .text(let text) = element.value else { continue }
            joined = joined.map { "\($0),\(text)" } ?? text
        }
        return joined
    }
}
