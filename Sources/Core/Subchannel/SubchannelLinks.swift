/// The connections of a subchannel. Each accepts calls, or is draining, or has ended; it never goes back.
struct SubchannelLinks {
    typealias Link = any SubchannelLink

    /// Connections that accept calls, the oldest first.
    private(set) var open: [Link] = []
    /// Connections that accept no new calls but whose calls continue.
    private(set) var draining: [Link] = []
    /// The counts of connections that have ended.
    private(set) var pastCounts = ChannelCounts()
}

extension SubchannelLinks {
    var all: [Link] { open + draining }

    var isEmpty: Bool { open.isEmpty && draining.isEmpty }

    func isOpen(_ link: Link) -> Bool { open.contains { $0 === link } }

    mutating func add(_ link: Link) { open.append(link) }

    /// - Parameter links: Open ones.
    mutating func drain(_ links: [Link]) {
        open.removeAll { link in links.contains { $0 === link } }
        draining += links
    }

    /// A connection has ended. False if it is not draining.
    mutating func remove(_ link: Link) -> Bool {
        guard let index = draining.firstIndex(where: { $0 === link }) else { return false }
        pastCounts += draining.remove(at: index).counts
        return true
    }

    var counts: ChannelCounts { all.reduce(into: pastCounts) { $0 += $1.counts } }
}
