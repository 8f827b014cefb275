import SwiftletMessages
import SwiftletTransport

/// The stream to one server: what was asked and accepted, and when the next attempt begins.
struct ADSStream: Sendable {
    enum Phase: Hashable, Sendable {
        case opening, open
        case waiting(until: MonotonicInstant)
    }

    /// The subscription to the resources of a type.
    private struct Subscription: Sendable {
        var names: Set<ResourceName> = []
        /// Of the last accepted response, also of an earlier stream.
        var version = ""
        /// Of the last response on this stream.
        var nonce = ""
        /// The names of the last request on this stream; nil before the first one, which must have a name.
        var sent: Set<ResourceName>?
        /// Those of them that were unsubscribed since, also if they are wanted again.
        var left: Set<ResourceName> = []
        /// Whether the server has to be told of a change.
        var isChanged = false
        /// What is wrong with the last response; nil if it was accepted.
        var rejection: String?
        /// When all rejections so far are sent, at one in a second; nil before the first one.
        var rejectionsEnd: MonotonicInstant?
        /// When the rejection is sent; nil for at once.
        var heldUntil: MonotonicInstant?
    }

    private(set) var phase = Phase.opening
    /// Why the server cannot be reached; nil if it can, or if that is not known yet.
    var failure: String?
    /// Whether watchers still work on the last response.
    var isBusy = false
    /// Whether the next response has to be read, as soon as nothing keeps it back.
    var isReadDue = false
    private var hasResponded = false
    private var hasSentNode = false
    /// The requests that wait until the server reads.
    private var unsentCount = 0
    private var attempts: StreamAttempts
    private var subscriptions: [ResourceType: Subscription] = [:]
    /// When resources that were requested on this stream count as absent.
    private(set) var deadlines: [ResourceKey: MonotonicInstant] = [:]

    init(at now: MonotonicInstant, chance: Double) {
        attempts = StreamAttempts(at: now, chance: chance)
    }
}

// MARK: - The stream

extension ADSStream {
    mutating func opened() {
        phase = .open
        hasResponded = false
        hasSentNode = false
        unsentCount = 0
        isBusy = false
        isReadDue = true
        deadlines = [:]
        for (type, var subscription) in subscriptions {
            subscription.nonce = ""
            subscription.sent = nil
            subscription.left = []
            subscription.rejection = nil
            subscription.heldUntil = nil
            subscription.isChanged = !subscription.names.isEmpty
            subscriptions[type] = subscription
        }
    }

    mutating func requestSent() { unsentCount -= 1 }

    /// Returns whether the stream has failed: it ended without a response.
    mutating func closed(at now: MonotonicInstant) -> Bool {
        phase = .waiting(until: attempts.end(hasResponded: hasResponded, at: now))
        deadlines = [:]
        isBusy = false
        return !hasResponded
    }

    /// Begins the next attempt when its time has come. Returns whether it does.
    mutating func retry(at now: MonotonicInstant, chance: Double) -> Bool {
        guard case .waiting(let time) = phase, now >= time else { return false }
        phase = .opening
        hasResponded = false
        attempts.begin(at: now, chance: chance)
        return true
    }

    /// Whether the next response is read now. It is not while watchers work, or while a rejection is held back.
    mutating func takeRead() -> Bool {
        guard phase == .open, isReadDue, !isBusy,
            !subscriptions.values.contains(where: { $0.heldUntil != nil })
        else { return false }
        isReadDue = false
        return true
    }

    /// The time at which something has to be done without an input; nil for never.
    var wakeTime: MonotonicInstant? {
        var times = Array(deadlines.values)
        if case .waiting(let time) = phase { times.append(time) }
        if phase == .open { times += subscriptions.values.compactMap(\.heldUntil) }
        return times.min()
    }
}

// MARK: - Requests

extension ADSStream {
    mutating func subscribe(to names: Set<ResourceName>, _ type: ResourceType) {
        var subscription = subscriptions[type] ?? Subscription()
        guard subscription.names != names else { return }
        subscription.names = names
        subscription.isChanged = true
        subscription.left.formUnion(subscription.sent?.subtracting(names) ?? [])
        subscriptions[type] = subscription
        deadlines = deadlines.filter { $0.key.type != type || names.contains($0.key.name) }
    }

    func isSubscribed(to key: ResourceKey) -> Bool {
        subscriptions[key.type]?.names.contains(key.name) == true
    }

    /// The requests that are due: none while earlier ones wait. Then a type has one request, which answers its newest
    /// response, or two, so that a server which does not read costs no memory.
    ///
    /// - Parameters:
    ///   - node: For the first request of the stream.
    ///   - timeLimit: After how much time a resource counts as absent.
    ///   - isPending: Whether a resource is waited for.
    mutating func requests(
        at now: MonotonicInstant, node: Envoy.Core.Node, timeLimit: Duration,
        isPending: (ResourceKey) -> Bool
    ) -> [Envoy.Discovery.DiscoveryRequest] {
        guard phase == .open else { return [] }
        for (type, subscription) in subscriptions {
            if let time = subscription.heldUntil, now >= time {
                subscriptions[type]?.heldUntil = nil
            }
        }
        guard unsentCount == 0 else { return [] }
        var requests: [Envoy.Discovery.DiscoveryRequest] = []
        for type in ResourceType.allCases {
            guard var subscription = subscriptions[type], subscription.isChanged,
                subscription.heldUntil == nil
            else { continue }
            subscription.isChanged = false
            // An empty first request would mean all resources.
            if subscription.sent != nil || !subscription.names.isEmpty {
                let again = subscription.left.intersection(subscription.names)
                if !again.isEmpty {
                    // The client has forgotten these resources. The server sends them again only after a request
                    // without their names.
                    var first = subscription
                    first.names.subtract(again)
                    requests.append(request(type, first, node))
                    subscription.rejection = nil
                }
                requests.append(request(type, subscription, node))
                (subscription.sent, subscription.left) = (subscription.names, [])
                hasSentNode = true
                for name in subscription.names {
                    let key = ResourceKey(type: type, name: name)
                    if deadlines[key] == nil, isPending(key) { deadlines[key] = now + timeLimit }
                }
            }
            subscription.rejection = nil
            subscriptions[type] = subscription
        }
        unsentCount = requests.count
        return requests
    }

    private func request(
        _ type: ResourceType, _ subscription: Subscription, _ node: Envoy.Core.Node
    ) -> Envoy.Discovery.DiscoveryRequest {
        .with { request in
            request.versionInfo = subscription.version
            request.responseNonce = subscription.nonce
            request.typeURL = type.typeURL
            request.resourceNames = subscription.names.map(\.text).inOrder().map(\.string)
            if !hasSentNode { request.node = node }
            request.errorDetail = subscription.rejection.map {
                // INVALID_ARGUMENT
                Google.RPC.Status(code: 3, message: $0)
            }
        }
    }
}

// MARK: - Responses

extension ADSStream {
    /// How many rejections are sent at once. From then on, one is sent in a second.
    private static let promptRejections = Duration.seconds(5)

    /// Records a response, so that the next request accepts or rejects it.
    ///
    /// A server may send a rejected resource again at once, without end. Then later rejections are sent a little
    /// later, so that both sides have little to do. The delay is short, because it also delays other resources.
    mutating func receive(
        _ type: ResourceType, version: String, nonce: String, rejection: String?,
        at now: MonotonicInstant
    ) {
        hasResponded = true
        failure = nil
        var subscription = subscriptions[type, default: Subscription()]
        subscription.nonce = nonce
        subscription.rejection = rejection
        subscription.isChanged = true
        if rejection == nil {
            subscription.version = version
            subscription.heldUntil = nil
        } else {
            let start = max(subscription.rejectionsEnd ?? now, now)
            let end = start + .seconds(1)
            subscription.rejectionsEnd = end
            let delay = now.duration(to: end) - Self.promptRejections
            if delay > .zero { subscription.heldUntil = now + delay }
        }
        subscriptions[type] = subscription
    }

    /// The server has said something about the resource.
    mutating func heard(of key: ResourceKey) { deadlines[key] = nil }

    /// Removes and returns the resources whose time has passed.
    mutating func takeOverdue(at now: MonotonicInstant) -> [ResourceKey] {
        let overdue = deadlines.filter { $0.value <= now }.map(\.key)
        for key in overdue { deadlines[key] = nil }
        return overdue
    }
}
