import SwiftletCore
import SwiftletMessages
import SwiftletTransport

/// Carries out what the ``ADSClient`` of a target decides. All channels to the target with the same bootstrap share
/// it (A71), as long as one of them is in use.
///
/// It handles one input at a time, outside of every lock.
final class MeshClient: Sendable {
    typealias WatcherID = ADSClient.WatcherID

    fileprivate enum Input: Sendable {
        case change(WatchChange, MeshResolver)
        case event(ControlPlaneStream, ControlPlaneStream.Event)
        case timeHasCome
        case status(CheckedContinuation<XDS.Status.Target, Never>)
    }

    /// Watches of one resolver that begin and end.
    struct WatchChange: Sendable {
        var begun: [(watcher: WatcherID, key: ResourceKey)] = []
        var ended: [WatcherID] = []
    }

    fileprivate struct Work {
        var client: ADSClient
        /// Nil if the target is not measured.
        var metrics: ClientMetrics?
        /// Of the servers that have a stream, or will have one again.
        var channels: [XDS.Bootstrap.Server: Channel] = [:]
        var connections: [XDS.Bootstrap.Server: ControlPlaneStream] = [:]
        var watchers: [WatcherID: MeshResolver] = [:]
    }

    private let target: String
    let bootstrap: XDS.Bootstrap
    let loads: LoadReports
    private let loop: EventLoop
    private let timer = TimerSlot()
    private let work: SerialWork<Work, Input>

    /// - Parameter meter: That of the channel.
    init(
        of target: String, _ bootstrap: XDS.Bootstrap, _ meter: (any ChannelMeter)?
    ) throws(RPCError) {
        self.target = target
        self.bootstrap = bootstrap
        loop = try ControlPlaneChannels.queue.loop
        loads = LoadReports(
            node: bootstrap.node.loadReportMessage, loop,
            channel: ControlPlaneChannels.channel(to:))
        work = SerialWork(
            Work(
                client: ADSClient(bootstrap, chance: { .chance }),
                metrics: ClientMetrics(meter)))
    }

    deinit {
        timer.close()
        guard var last = work.last else { return }
        for connection in last.connections.values { connection.close() }
        last.metrics?.end()
    }
}

// MARK: - Inputs

extension MeshClient {
    func change(_ change: WatchChange, for resolver: MeshResolver) {
        guard !change.begun.isEmpty || !change.ended.isEmpty else { return }
        post(.change(change, resolver))
    }

    /// What is known of the target, when all inputs so far are handled.
    var status: XDS.Status.Target {
        get async { await withCheckedContinuation { post(.status($0)) } }
    }

    /// Handles the input on the loop. Another thread would also handle what is posted meanwhile, and to read a large
    /// response takes long.
    private func post(_ input: Input) {
        loop.run { [self] in work.post(input) { handle($0, &$1) } }
    }

    private func handle(_ input: Input, _ work: inout Work) {
        let now = MonotonicInstant.now
        work.client.date = WallClock.now
        switch input {
        case .change(let change, let resolver):
            for (watcher, key) in change.begun {
                work.watchers[watcher] = resolver
                work.client.watch(watcher, key.type, key.name, at: now)
            }
            for watcher in change.ended {
                work.watchers[watcher] = nil
                work.client.unwatch(watcher)
            }
        case .event(let connection, let event):
            // Nothing counts that an earlier stream reports.
            if work.connections[connection.server] === connection {
                work.receive(event, from: connection.server, at: now)
            }
        case .timeHasCome: work.client.timerFired(at: now)
        case .status(let waiting): waiting.resume(returning: work.client.status(of: target))
        }
        carryOut(&work, at: now)
        if case .event(let connection, .received) = input {
            // The watchers have handled the response when `carryOut` returns.
            work.client.watchersFinished(connection.server)
            carryOut(&work, at: now)
        }
        work.metrics?.update(work.client)
    }
}

extension MeshClient.Work {
    fileprivate mutating func receive(
        _ event: ControlPlaneStream.Event, from server: XDS.Bootstrap.Server,
        at now: MonotonicInstant
    ) {
        switch event {
        case .opened: client.streamOpened(server)
        case .sent: client.requestSent(server)
        case .received(let bytes): client.received(bytes, from: server, at: now)
        case .closed(let cause):
            connections[server] = nil
            client.streamClosed(server, cause, at: now)
        }
    }
}

// MARK: - Actions

extension MeshClient {
    private func carryOut(_ work: inout Work, at now: MonotonicInstant) {
        // To open a stream may fail at once, which leads to other actions.
        while true {
            let actions = work.client.takeActions(at: now)
            if actions.isEmpty { return }
            carryOut(actions, &work)
        }
    }

    private func carryOut(_ actions: [ADSClient.Action], _ work: inout Work) {
        // In the order of the first event of each, so that all events of a response are one input of a resolver.
        var notified: [MeshResolver] = []
        var events: [ObjectIdentifier: [(WatcherID, WatchEvent)]] = [:]
        for action in actions {
            switch action {
            case .open(let server): open(server, &work)
            case .close(let server):
                work.connections.removeValue(forKey: server)?.close()
                work.channels[server] = nil
            case .send(let server, let request): work.connections[server]?.send(request.encoded())
            case .read(let server): work.connections[server]?.readNext()
            case .setTimer(let time?): timer.schedule(WeakTimer(self), at: time, on: loop)
            case .setTimer(nil): timer.cancel()
            case .count(let counts): work.metrics?.received(counts)
            case .notify(let watcher, let event):
                guard let resolver = work.watchers[watcher] else { continue }
                if events[ObjectIdentifier(resolver)] == nil { notified.append(resolver) }
                events[ObjectIdentifier(resolver), default: []].append((watcher, event))
            }
        }
        // First, so that a call which a resource lets begin finds the resource counted.
        if !notified.isEmpty { work.metrics?.update(work.client) }
        for resolver in notified { resolver.receive(events[ObjectIdentifier(resolver)] ?? []) }
    }

    private func open(_ server: XDS.Bootstrap.Server, _ work: inout Work) {
        do throws(RPCError) {
            let channel: Channel
            if let known = work.channels[server] {
                channel = known
            } else {
                channel = try ControlPlaneChannels.channel(to: server)
                work.channels[server] = channel
            }
            let connection = ControlPlaneStream(ControlPlaneStream.resources, to: server, channel) {
                [weak self] connection, event in self?.post(.event(connection, event))
            }
            work.connections[server] = connection
            connection.start()
        } catch {
            work.client.streamClosed(server, error.message, at: .now)
        }
    }
}

extension MeshClient: TimerTarget {
    func timerFired(now: MonotonicInstant) {
        timer.hasFired(now: now)
        post(.timeHasCome)
    }
}
