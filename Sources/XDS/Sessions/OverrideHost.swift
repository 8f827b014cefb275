import SwiftletCore
import SwiftletTransport

/// A server to which sessions stick, and the subchannels that lead to it.
struct OverrideHost: Sendable {
    struct Member: Sendable {
        let subchannel: Subchannel
        /// Whether the policy of the cluster has no such subchannel, or has dropped it.
        fileprivate(set) var isOwn: Bool
        fileprivate(set) var connectivity = ConnectivityState.idle
        /// The address that it is connected to, if that is known.
        fileprivate(set) var address: ByteText?
    }

    var endpoint: Endpoint {
        didSet { texts = Self.texts(of: endpoint) }
    }
    /// The endpoint's addresses, in their order.
    private(set) var texts: [ByteText]
    /// Whether its health status is one of those to which sessions stick (A55).
    var isUsable = true
    private(set) var subchannels: [Member] = []
    /// Whether a session has used the host since ``lastUse`` was set.
    var wasUsed = false
    /// When it was last known that a session had used the host.
    var lastUse: Duration?
    /// Whether calls wait for a change of its subchannels.
    var isAwaited = false
    /// Whether the balancer was asked to make a subchannel.
    var isWanted = false

    init(_ endpoint: Endpoint) {
        self.endpoint = endpoint
        texts = Self.texts(of: endpoint)
    }

    private static func texts(of endpoint: Endpoint) -> [ByteText] {
        endpoint.addresses.map { ByteText("\($0.socketAddress)") }
    }
}

extension OverrideHost {
    /// The subchannel for a call: a connected one, else one that can connect, else one that connects.
    var bestSubchannel: Member? {
        for state in [ConnectivityState.ready, .idle, .connecting] {
            if let member = subchannels.first(where: { $0.connectivity == state }) { return member }
        }
        return nil
    }

    /// The addresses for a cookie: first the one that the subchannel is connected to.
    func list(of subchannel: Subchannel) -> ByteText {
        guard texts.count > 1 else { return texts.first ?? "" }
        let first = subchannels.first { $0.subchannel == subchannel }?.address ?? texts[0]
        let all = [first] + texts.filter { $0 != first }
        return ByteText(all.map(\.string).joined(separator: ","))
    }

    /// The subchannels that the balancer of sessions must drop itself.
    var own: [Subchannel] { subchannels.filter(\.isOwn).map(\.subchannel) }

    func isOwn(_ subchannel: Subchannel) -> Bool { own.contains(subchannel) }

    /// Whether a subchannel of the policy is connected.
    var isConnectedByPolicy: Bool {
        subchannels.contains { !$0.isOwn && $0.connectivity == .ready }
    }

    /// Whether calls can use another subchannel at once.
    func hasOther(than subchannel: Subchannel) -> Bool {
        subchannels.contains {
            $0.subchannel != subchannel && ($0.isOwn || $0.connectivity == .ready)
        }
    }

    mutating func add(_ subchannel: Subchannel, isOwn: Bool) {
        subchannels.append(Member(subchannel: subchannel, isOwn: isOwn))
    }

    mutating func remove(_ subchannel: Subchannel) {
        subchannels.removeAll { $0.subchannel == subchannel }
    }

    mutating func set(_ subchannel: Subchannel, _ report: SubchannelState) {
        guard let index = subchannels.firstIndex(where: { $0.subchannel == subchannel }) else {
            return
        }
        subchannels[index].connectivity = report.connectivity
        subchannels[index].address = report.address.map { ByteText("\($0.socketAddress)") }
    }

    /// The policy has dropped the subchannel.
    mutating func own(_ subchannel: Subchannel) {
        guard let index = subchannels.firstIndex(where: { $0.subchannel == subchannel }) else {
            return
        }
        subchannels[index].isOwn = true
    }

    /// Whether calls wait for the host, or sessions have used it since `time`.
    func isInUse(since time: Duration) -> Bool {
        isAwaited || lastUse.map { $0 > time } ?? false
    }

    /// Sets ``lastUse`` if a session has used the host.
    mutating func noteUse(now: Duration) {
        if wasUsed { lastUse = now }
        wasUsed = false
    }
}
