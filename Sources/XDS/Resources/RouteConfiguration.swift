import SwiftletCore
import SwiftletTransport

/// A checked route configuration.
struct RouteConfiguration: Hashable, Sendable {
    let virtualHosts: [VirtualHost]
}

/// The routes of some domains.
struct VirtualHost: Hashable, Sendable {
    let domains: [Domain]
    /// In the order in which they are tried.
    let routes: [Route]
    let filterOverrides: [ByteText: FilterOverride]
}

/// The name of a virtual host. ASCII letters match in either case.
enum Domain: Hashable, Sendable {
    case exact([UInt8])
    case suffix([UInt8])
    case prefix([UInt8])
    case all

    /// Nil if a `*` is neither the first nor the last character, or if the text is empty.
    init?(_ text: String) {
        var bytes = text.utf8.map(TextMatcher.lowercased)
        let star = UInt8(ascii: "*")
        guard !bytes.isEmpty else { return nil }
        if bytes == [star] {
            self = .all
        } else if bytes.first == star {
            bytes.removeFirst()
            self = .suffix(bytes)
        } else if bytes.last == star {
            bytes.removeLast()
            self = .prefix(bytes)
        } else {
            self = .exact(bytes)
        }
        if bytes.count > 1 || self != .all, bytes.contains(star) { return nil }
    }

    /// How well the domain matches a name in lower case: first by its kind, then by its length. Nil if it does not.
    fileprivate func rank(for name: [UInt8]) -> (kind: Int, byteCount: Int)? {
        switch self {
        case .exact(let bytes): bytes == name ? (3, bytes.count) : nil
        case .suffix(let bytes):
            name.count > bytes.count && name.suffix(bytes.count).elementsEqual(bytes)
                ? (2, bytes.count) : nil
        case .prefix(let bytes):
            name.count > bytes.count && name.starts(with: bytes) ? (1, bytes.count) : nil
        case .all: (0, 0)
        }
    }
}

extension RouteConfiguration {
    /// The virtual host of a channel's authority: the one with the most exact domain, then with the longest, then the
    /// first one. Nil if there is none.
    func virtualHost(for authority: String) -> VirtualHost? {
        let name = authority.utf8.map(TextMatcher.lowercased)
        var best: (host: VirtualHost, rank: (Int, Int))?
        for host in virtualHosts {
            for domain in host.domains {
                guard let rank = domain.rank(for: name) else { continue }
                if best.map({ $0.rank < rank }) ?? true { best = (host, rank) }
            }
        }
        return best?.host
    }
}

/// Which calls go where.
struct Route: Hashable, Sendable {
    struct Match: Hashable, Sendable {
        let path: TextMatcher
        let headers: [HeaderMatcher]
        /// The part of the calls that the route is for, in millionths; nil for all.
        let millionths: UInt32?
    }

    enum Action: Hashable, Sendable {
        case forward(Forwarding)
        /// An action that clients do not have. Calls fail.
        case other
    }

    let match: Match
    let action: Action
    let filterOverrides: [ByteText: FilterOverride]
}

/// Where calls are sent, and how.
struct Forwarding: Hashable, Sendable {
    struct WeightedCluster: Hashable, Sendable {
        let name: ByteText
        let weight: UInt32
        let filterOverrides: [ByteText: FilterOverride]
    }

    enum Destination: Hashable, Sendable {
        case cluster(ByteText)
        /// At least one. The weights are above zero; their sum fits into 32 bits.
        case weighted([WeightedCluster])
    }

    let destination: Destination
    /// The longest time of a call; zero for no limit, and nil for the listener's limit.
    let maxDuration: Duration?
    let retry: RetryPolicy?
    let hashPolicies: [HashPolicy]
    /// Whether the authority of a call becomes the name of its endpoint (A81).
    let rewritesAuthority: Bool
}

/// A part of the hash of a call, by which `ring_hash` chooses an endpoint (A42).
struct HashPolicy: Hashable, Sendable {
    enum Source: Hashable, Sendable {
        case header(name: ByteText, rewrite: RegexRewrite?)
        /// A number of the channel.
        case channelID
    }

    let source: Source
    /// Whether the policies behind it do not count if there is a hash.
    let isTerminal: Bool
}
