import SwiftletCore
import SwiftletTransport
import Synchronization

/// The servers of a cluster to which sessions stick. The balancer and its pickers share them, so that a change of one
/// server's state copies nothing.
final class OverrideHosts: Sendable {
    struct State: Sendable {
        fileprivate var hosts: [Int: OverrideHost] = [:]
        fileprivate var numbers: [EndpointKey: Int] = [:]
        /// By the texts of their addresses.
        fileprivate var addresses: [ByteText: Int] = [:]
        /// The hosts that subchannels lead to.
        fileprivate var places: [Subchannel: Int] = [:]
        fileprivate var nextNumber = 0
        /// The hosts to which a subchannel must be made, because a session needs it.
        fileprivate var wanted: [Int] = []
    }

    private let state = Mutex(State())

    init() {}
}

/// What a picker does with a call of a session.
enum OverrideChoice {
    /// The call is sent there. The addresses are those of its cookie.
    case send(Subchannel, ByteText)
    /// The call waits.
    case wait(connecting: Subchannel?)
    /// The call waits, and the balancer must make a subchannel.
    case make
    /// No server of the session can be used.
    case none
}

// MARK: - For pickers

extension OverrideHosts {
    /// Chooses among the hosts that a cookie names (A75): one that is connected, else one that can connect, else one
    /// that connects, else one that nothing leads to.
    func choose(_ addresses: [ByteText]) -> OverrideChoice {
        addresses.isEmpty ? .none : state.withLock { $0.choose(addresses) }
    }

    /// The addresses for the cookie of a call that the policy has sent there; empty if its host is not known.
    func list(of subchannel: Subchannel) -> ByteText {
        state.withLock { state in
            guard let number = state.places[subchannel] else { return "" }
            state.hosts[number]?.wasUsed = true
            return state.hosts[number]?.list(of: subchannel) ?? ""
        }
    }
}

extension OverrideHosts.State {
    fileprivate mutating func choose(_ addresses: [ByteText]) -> OverrideChoice {
        var idle: Subchannel?
        var missing: Int?
        var waiting: [Int] = []
        for address in addresses {
            guard let number = self.addresses[address], let host = hosts[number], host.isUsable
            else { continue }
            guard let subchannel = host.bestSubchannel else {
                if host.subchannels.isEmpty { missing = missing ?? number }
                continue
            }
            switch subchannel.connectivity {
            case .ready:
                hosts[number]?.wasUsed = true
                return .send(subchannel.subchannel, host.list(of: subchannel.subchannel))
            case .idle: idle = idle ?? subchannel.subchannel
            default: break
            }
            waiting.append(number)
        }
        if waiting.isEmpty, let missing {
            hosts[missing]?.isAwaited = true
            // Made once, however many calls wait.
            guard hosts[missing]?.isWanted == false else { return .wait(connecting: nil) }
            hosts[missing]?.isWanted = true
            wanted.append(missing)
            return .make
        }
        for number in waiting { hosts[number]?.isAwaited = true }
        return waiting.isEmpty ? .none : .wait(connecting: idle)
    }
}

// MARK: - For the balancer

extension OverrideHosts {
    /// Uses these endpoints and forgets the others.
    ///
    /// - Returns: The own subchannels to drop, and those whose endpoint has changed.
    func use(
        _ endpoints: [Endpoint], _ states: EndpointStates
    ) -> (dropped: [Subchannel], changed: [(Subchannel, Endpoint)]) {
        state.withLock { $0.use(endpoints, states) }
    }

    /// Records what a subchannel of the policy leads to, and its state.
    ///
    /// - Parameters:
    ///   - key: Its endpoint. Nil for one that is gone.
    ///   - report: Its state; nil before the first.
    func record(
        _ subchannel: Subchannel, to key: EndpointKey?, _ report: SubchannelState?
    ) -> OverrideChange {
        state.withLock { $0.record(subchannel, to: key, report) }
    }

    /// Records the state of an own subchannel. Nil if it is not one.
    func record(own subchannel: Subchannel, _ report: SubchannelState) -> OverrideChange? {
        state.withLock { state in
            guard let number = state.places[subchannel],
                state.hosts[number]?.isOwn(subchannel) == true
            else { return nil }
            return state.change(subchannel, of: number, report)
        }
    }

    /// The policy drops a subchannel. Returns whether it becomes an own one, because calls wait for its host, or
    /// sessions have used it since `time`, and nothing else leads there.
    func keep(
        _ subchannel: Subchannel, to key: EndpointKey?, ifUsedSince time: Duration, now: Duration
    ) -> Bool {
        state.withLock { $0.keep(subchannel, to: key, ifUsedSince: time, now: now) }
    }

    /// The endpoints to which a subchannel must be made, once.
    func takeWanted() -> [(number: Int, endpoint: Endpoint)] {
        state.withLock { state in
            let wanted = state.wanted.compactMap { number in
                state.hosts[number].map { (number, $0) }
            }
            for number in state.wanted { state.hosts[number]?.isWanted = false }
            state.wanted = []
            // The policy may have made one in the meantime.
            return wanted.filter { $0.1.subchannels.isEmpty }.map { ($0.0, $0.1.endpoint) }
        }
    }

    /// Adds an own subchannel, to a host of ``takeWanted()``.
    func add(own subchannel: Subchannel, to number: Int, now: Duration) {
        state.withLock { state in
            state.places[subchannel] = number
            state.hosts[number]?.add(subchannel, isOwn: true)
            state.hosts[number]?.lastUse = now
        }
    }

    /// Removes the own subchannels to hosts that no call waits for, and no session has used since `time`. They must
    /// be dropped.
    func sweep(unusedSince time: Duration, now: Duration) -> [Subchannel] {
        state.withLock { $0.sweep(unusedSince: time, now: now) }
    }

    /// Forgets everything. Returns the own subchannels, which must be dropped.
    func removeAll() -> [Subchannel] {
        state.withLock { state in
            defer { state = State() }
            return state.hosts.values.flatMap(\.own)
        }
    }
}

/// What follows from a change of a subchannel.
struct OverrideChange {
    /// Whether calls wait for it: they must choose again.
    var isAwaited = false
    /// Own subchannels that are not needed any more.
    var dropped: [Subchannel] = []
}

extension OverrideHosts.State {
    fileprivate mutating func use(
        _ endpoints: [Endpoint], _ states: EndpointStates
    ) -> (dropped: [Subchannel], changed: [(Subchannel, Endpoint)]) {
        var (old, oldNumbers) = (hosts, numbers)
        (hosts, numbers, addresses) = ([:], [:], [:])
        var changed: [(Subchannel, Endpoint)] = []
        for endpoint in endpoints {
            guard let key = EndpointKey(endpoint) else { continue }
            let number = oldNumbers.removeValue(forKey: key) ?? nextNumber
            if number == nextNumber { nextNumber += 1 }
            var host = old.removeValue(forKey: number) ?? OverrideHost(endpoint)
            if host.endpoint != endpoint {
                host.endpoint = endpoint
                changed += host.own.map { ($0, endpoint) }
            }
            let state = endpoint.attributes[MeshEndpoint.self]?.state ?? .unknown
            host.isUsable = states.contains(state)
            for text in host.texts { addresses[text] = number }
            hosts[number] = host
            numbers[key] = number
        }
        for subchannel in old.values.flatMap(\.subchannels) { places[subchannel.subchannel] = nil }
        return (old.values.flatMap(\.own), changed)
    }

    fileprivate mutating func record(
        _ subchannel: Subchannel, to key: EndpointKey?, _ report: SubchannelState?
    ) -> OverrideChange {
        let number = place(of: key, report)
        let former = places[subchannel]
        if former != number {
            if let former { hosts[former]?.remove(subchannel) }
            places[subchannel] = number
            if let number { hosts[number]?.add(subchannel, isOwn: false) }
        }
        guard let number, let report else { return OverrideChange() }
        return change(subchannel, of: number, report)
    }

    /// A subchannel for the addresses of several endpoints, as `pick_first` makes it, leads to the one that it is
    /// connected to.
    private func place(of key: EndpointKey?, _ report: SubchannelState?) -> Int? {
        guard let key else { return nil }
        if let number = numbers[key] { return number }
        return report?.address.flatMap { addresses[ByteText("\($0.socketAddress)")] }
    }

    fileprivate mutating func change(
        _ subchannel: Subchannel, of number: Int, _ report: SubchannelState
    ) -> OverrideChange {
        var change = OverrideChange()
        hosts[number]?.set(subchannel, report)
        change.isAwaited = hosts[number]?.isAwaited ?? false
        hosts[number]?.isAwaited = false
        // A subchannel of the policy leads there again.
        if hosts[number]?.isConnectedByPolicy == true, let own = hosts[number]?.own {
            change.dropped = own
            for subchannel in own { remove(subchannel) }
        }
        return change
    }

    fileprivate mutating func keep(
        _ subchannel: Subchannel, to key: EndpointKey?, ifUsedSince time: Duration, now: Duration
    ) -> Bool {
        guard let number = places[subchannel] else { return false }
        hosts[number]?.noteUse(now: now)
        // One that has the addresses of several endpoints is not kept: it may connect to another one.
        guard key.map({ numbers[$0] }) == number, let host = hosts[number],
            host.isInUse(since: time), !host.hasOther(than: subchannel)
        else {
            remove(subchannel)
            return false
        }
        hosts[number]?.own(subchannel)
        return true
    }

    fileprivate mutating func sweep(unusedSince time: Duration, now: Duration) -> [Subchannel] {
        var dropped: [Subchannel] = []
        for number in hosts.keys {
            hosts[number]?.noteUse(now: now)
            guard let host = hosts[number], !host.isInUse(since: time) else { continue }
            dropped += host.own
        }
        for subchannel in dropped { remove(subchannel) }
        return dropped
    }

    private mutating func remove(_ subchannel: Subchannel) {
        guard let number = places.removeValue(forKey: subchannel) else { return }
        hosts[number]?.remove(subchannel)
    }
}
