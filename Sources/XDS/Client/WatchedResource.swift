import SwiftletCore

/// A type and a name: what watchers watch.
struct ResourceKey: Hashable, Sendable {
    let type: ResourceType
    let name: ResourceName
}

/// What a watcher gets to know.
enum WatchEvent: Hashable, Sendable {
    /// The resource has arrived, or has changed.
    case resource(Resource)
    /// There is no resource that could be used. The text is the message of calls that fail because of it.
    case failed(String)
    /// The last resource is still in use, but a newer one could not be. For the messages of later failures.
    case stale(String)
    /// The resource that is in use is the newest one again.
    case recovered
}

/// A resource while it has watchers.
struct WatchedResource: Sendable {
    enum State: Hashable, Sendable {
        case requested
        case received
        /// The control plane has none.
        case absent
        /// The last one was not valid.
        case rejected
        /// The control plane could not send it.
        case failed(isAbsent: Bool)
        /// It has not arrived in time, which says nothing about whether it exists.
        case timedOut
    }

    /// A resource that was accepted, as it came.
    struct Origin: Sendable {
        let version: String
        /// When it was accepted, as the time since 1970.
        let time: Duration
        /// The message as it was received: a copy in addition to the value, for the status alone.
        let bytes: [UInt8]
    }

    /// Why the newest resource is missing or not used.
    struct Failure: Sendable {
        let reason: String
        /// The version that was refused; empty if there is none.
        let version: String
        /// As the time since 1970.
        let time: Duration
    }

    private(set) var watchers: Set<ADSClient.WatcherID> = []
    private(set) var value: Resource?
    /// Nil if there is no value.
    private(set) var origin: Origin?
    private(set) var state = State.requested
    /// Nil if the state is no failure.
    private(set) var failure: Failure?
    /// Why there is no value, or why the value is not the newest one.
    private(set) var error: String?

    /// Whether nothing is known of the resource, so that another server should be asked (A71).
    var isUnknown: Bool { value == nil && !isAbsent }

    /// Whether the control plane has said that it has none.
    var isAbsent: Bool { state == .absent || state == .failed(isAbsent: true) }

    /// Whether no server has said anything of the resource.
    var isAwaited: Bool { value == nil && (state == .requested || state == .timedOut) }

    /// The events for a new watcher: the resource, then the error.
    mutating func add(_ watcher: ADSClient.WatcherID) -> [WatchEvent] {
        watchers.insert(watcher)
        guard let value else { return error.map { [.failed($0)] } ?? [] }
        return [.resource(value)] + (error.map { [.stale($0)] } ?? [])
    }

    mutating func remove(_ watcher: ADSClient.WatcherID) { watchers.remove(watcher) }

    /// Returns the event for the watchers; nil for an equal resource, unless there was an error.
    mutating func receive(_ resource: Resource, _ origin: Origin) -> WatchEvent? {
        let hadError = error != nil
        state = .received
        self.origin = origin
        error = nil
        failure = nil
        isStale = false
        guard value != resource else { return hadError ? .recovered : nil }
        value = resource
        return .resource(resource)
    }

    /// Records an error. Returns the event for the watchers; nil if they know it.
    ///
    /// - Parameters:
    ///   - text: The message of calls.
    ///   - change: The new state; nil if the state stays, because the error is one of the connection.
    ///   - keepsValue: Whether an older resource stays in use.
    mutating func fail(
        _ text: String, _ change: (state: State, failure: Failure)?, keepsValue: Bool
    ) -> WatchEvent? {
        if let change { (state, failure) = change }
        if !keepsValue { (value, origin) = (nil, nil) }
        let isKnown = error.map { ByteText($0) == ByteText(text) } ?? false
        let wasStale = isStale
        error = text
        isStale = value != nil
        guard !isKnown || wasStale != isStale else { return nil }
        return value == nil ? .failed(text) : .stale(text)
    }

    /// Whether the last error left a resource in use.
    private var isStale = false
}
