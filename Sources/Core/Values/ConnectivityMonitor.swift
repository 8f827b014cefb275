import SwiftletTransport
import Synchronization

/// Keeps the state of the machine's network, and reports changes to channels and to readers of
/// ``changes``.
///
/// ``system`` watches the machine's interfaces. A program can also make its own monitor and report
/// to it:
///
/// ```swift
/// let monitor = ConnectivityMonitor()
/// var arguments = ChannelArguments()
/// arguments.connectivityMonitor = monitor
/// …
/// monitor.report(isConnected: false)  // running calls end with UNAVAILABLE "Connectivity lost."
/// ```
public final class ConnectivityMonitor: Sendable {
    private struct State: ~Copyable {
        var isConnected = true
        var channels: [ObjectIdentifier: any NetworkFollower] = [:]
        /// Whether to start watching the machine's interfaces at the first use.
        var mustWatch = false
    }

    private let state = Mutex(State())
    private let reports = SerialMailbox<Bool>()
    private let followers = Followers<Bool>()
    /// Whether a loss also ends connections to this machine.
    package let includesLocal: Bool
    private let losses = Atomic(0)

    /// A monitor to which the program reports.
    ///
    /// - Parameter includesLocal: Whether a loss also ends calls to this machine, which need no
    ///   network. For tests.
    public init(includesLocal: Bool = false) { self.includesLocal = includesLocal }

    /// Watches the machine's own interfaces (a netlink socket on Linux, a routing socket on
    /// Apple's systems), beginning with its first use. If that fails, it never reports a loss.
    public static let system: ConnectivityMonitor = {
        let monitor = ConnectivityMonitor()
        monitor.state.withLock { $0.mustWatch = true }
        return monitor
    }()
}

extension ConnectivityMonitor {
    /// Whether there is a network, according to the last report; true before the first.
    public var isConnected: Bool {
        watchIfNeeded()
        return state.withLock { $0.isConnected }
    }

    /// Sets the state. The same value has no effect.
    public func report(isConnected: Bool) {
        // Handles one report at a time, so that all followers receive the changes in order.
        reports.handle(isConnected) { tell($0) }
    }

    private func tell(_ isConnected: Bool) {
        let channels: [any NetworkFollower] = state.withLock { state in
            guard state.isConnected != isConnected else { return [] }
            state.isConnected = isConnected
            if !isConnected { losses.add(1, ordering: .relaxed) }
            followers.note(isConnected)
            return Array(state.channels.values)
        }
        followers.tell()
        for channel in channels { channel.networkChanged(isConnected: isConnected, self) }
    }

    /// Whether there is a network: now, and whenever that changes.
    public var changes: AsyncStream<Bool> {
        watchIfNeeded()
        return state.withLock { followers.follow(from: $0.isConnected) }
    }

    /// Reports changes to `channel` until it is shut down, unless its target is on this machine and
    /// ``includesLocal`` is false.
    func add(_ channel: any NetworkFollower, at target: Target) {
        guard includesLocal || !target.isLocal else { return }
        watchIfNeeded()
        state.withLock { $0.channels[ObjectIdentifier(channel)] = channel }
    }

    func remove(_ channel: any NetworkFollower) {
        state.withLock { $0.channels[ObjectIdentifier(channel)] = nil }
    }

    /// The number of channels to which changes are reported.
    package var channelCount: Int { state.withLock { $0.channels.count } }

    /// The number of losses that were reported. Reading it does not begin to watch the machine's interfaces.
    package var lossCount: Int { losses.load(ordering: .relaxed) }

    /// Starts to watch at the first use: a program whose calls stay on the machine needs no thread
    /// for it.
    private func watchIfNeeded() {
        let isFirst = state.withLock { state in
            defer { state.mustWatch = false }
            return state.mustWatch
        }
        if isFirst, let queue = try? CompletionQueue.shared { watchInterfaces(on: queue.loop) }
    }

    private func watchInterfaces(on loop: EventLoop) {
        guard let watch = try? NetworkWatch() else { return }
        let watcher = InterfaceWatcher(watch, self)
        // The system's monitor exists until the program ends, and so does the watcher.
        guard (try? loop.add(watcher.descriptor, watcher)) != nil else { return }
        watcher.look()
    }
}

extension ConnectivityMonitor: Hashable {
    public static func == (left: ConnectivityMonitor, right: ConnectivityMonitor) -> Bool {
        left === right
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Checks the interfaces whenever the system reports that they changed.
private final class InterfaceWatcher: Pollable {
    private let watch: NetworkWatch
    private let monitor: ConnectivityMonitor

    init(_ watch: consuming NetworkWatch, _ monitor: ConnectivityMonitor) {
        self.watch = watch
        self.monitor = monitor
    }

    var descriptor: CInt { watch.descriptor }

    func ready(_ readiness: Poller.Readiness, now: MonotonicInstant) {
        watch.drain()
        look()
    }

    func look() {
        // If the system does not answer, no loss is reported.
        monitor.report(isConnected: (try? NetworkWatch.hasNetwork()) ?? true)
    }
}

// MARK: - Channels

/// A channel whose connections depend on the machine's network.
protocol NetworkFollower: AnyObject, Sendable {
    /// The state has changed. Not called for a target on this machine, unless the monitor includes
    /// such targets.
    func networkChanged(isConnected: Bool, _ monitor: ConnectivityMonitor)
}
