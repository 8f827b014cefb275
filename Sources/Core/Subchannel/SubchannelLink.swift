import SwiftletTransport

/// A connection of a subchannel, as far as the subchannel's decisions need it.
protocol SubchannelLink: AnyObject, Sendable {
    var address: SocketAddress { get }
    /// The text of the address.
    var peer: String { get }
    /// Whether a call of the program was sent on the connection.
    var hasCarriedCall: Bool { get }
    /// The time since the connection was ready.
    func age(at now: MonotonicInstant) -> Duration
    /// Calls that have a stream or are queued for one.
    var callCount: Int { get }
    /// Whether a stream could be opened now.
    var hasRoom: Bool { get }
    /// Makes the connection report once when a stream is free. False if one is free now.
    func reportRoom() -> Bool
    var counts: ChannelCounts { get }
}

extension Link: SubchannelLink {}

/// Why a connection accepts no more calls.
struct LinkLoss: Sendable {
    var kind: DisconnectCause
    var cause: String
    /// The machine has lost its network.
    var isNetworkLoss = false
}

extension LinkLoss {
    init(_ error: LinkError) {
        self.init(
            kind: .failed(error.kind), cause: error.cause, isNetworkLoss: error.isNetworkLoss)
    }
}
