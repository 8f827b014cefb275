import SwiftletCore
import SwiftletMessages
import SwiftletTransport

/// Carries out what the ``LoadReporter`` of a target decides.
///
/// As in other libraries, each target has its own stream to a server, with the node of its bootstrap: it lives as long
/// as the target's ``MeshClient``. The counts since the last report are lost when the last channel of the target is
/// closed. The streams of a server share a connection.
///
/// It handles one input at a time, outside of every lock.
final class LoadReports: Sendable {
    private typealias Server = XDS.Bootstrap.Server

    fileprivate enum Input: Sendable {
        case add(ClusterLoad)
        case event(ControlPlaneStream, ControlPlaneStream.Event)
        case timeHasCome
    }

    fileprivate struct Work {
        var reporter: LoadReporter
        var streams: [XDS.Bootstrap.Server: ControlPlaneStream] = [:]
    }

    private let loop: EventLoop
    private let channel: @Sendable (XDS.Bootstrap.Server) throws(RPCError) -> Channel
    private let timer = TimerSlot()
    private let work: SerialWork<Work, Input>

    /// - Parameter channel: Makes the channel to a server, or returns an earlier one.
    init(
        node: Envoy.Core.Node, _ loop: EventLoop,
        channel: @escaping @Sendable (XDS.Bootstrap.Server) throws(RPCError) -> Channel
    ) {
        self.loop = loop
        self.channel = channel
        work = SerialWork(Work(reporter: LoadReporter(node: node, chance: { .chance })))
    }

    deinit {
        timer.close()
        for stream in (work.last?.streams ?? [:]).values { stream.close() }
    }
}

// MARK: - Inputs

extension LoadReports {
    /// Makes the counters of a balancer. They are reported until nothing else uses them.
    func load(_ settings: ClusterLoad.Settings) -> ClusterLoad {
        let load = ClusterLoad(settings, at: .now)
        post(.add(load))
        return load
    }

    /// Handles the input on the loop. Another thread would also handle what is posted meanwhile, and to read a large
    /// response takes long.
    private func post(_ input: Input) {
        loop.run { [self] in work.post(input) { handle($0, &$1) } }
    }

    private func handle(_ input: Input, _ work: inout Work) {
        let now = MonotonicInstant.now
        switch input {
        case .add(let load): work.reporter.add(load, at: now)
        case .event(let stream, let event):
            // Nothing counts that an earlier stream reports.
            if work.streams[stream.server] === stream {
                work.receive(event, from: stream.server, at: now)
            }
        case .timeHasCome: work.reporter.timerFired(at: now)
        }
        // To open a stream may fail at once, which leads to other actions.
        while true {
            let actions = work.reporter.takeActions()
            if actions.isEmpty { break }
            for action in actions { carryOut(action, &work) }
        }
    }
}

extension LoadReports.Work {
    fileprivate mutating func receive(
        _ event: ControlPlaneStream.Event, from server: XDS.Bootstrap.Server,
        at now: MonotonicInstant
    ) {
        switch event {
        case .opened: reporter.streamOpened(server)
        case .sent: reporter.requestSent(server, at: now)
        case .received(let bytes): reporter.received(bytes, from: server, at: now)
        case .closed:
            streams[server] = nil
            reporter.streamClosed(server, at: now)
        }
    }
}

// MARK: - Actions

extension LoadReports {
    private func carryOut(_ action: LoadReporter.Action, _ work: inout Work) {
        switch action {
        case .open(let server): open(server, &work)
        case .close(let server): work.streams.removeValue(forKey: server)?.close()
        case .send(let server, let request): work.streams[server]?.send(request.encoded())
        case .read(let server): work.streams[server]?.readNext()
        case .setTimer(let time?): timer.schedule(WeakTimer(self), at: time, on: loop)
        case .setTimer(nil): timer.cancel()
        }
    }

    private func open(_ server: Server, _ work: inout Work) {
        do throws(RPCError) {
            let stream = ControlPlaneStream(
                ControlPlaneStream.loadReports, to: server, try channel(server)
            ) { [weak self] stream, event in self?.post(.event(stream, event)) }
            work.streams[server] = stream
            stream.start()
        } catch {
            work.reporter.streamClosed(server, at: .now)
        }
    }
}

extension LoadReports: TimerTarget {
    func timerFired(now: MonotonicInstant) {
        timer.hasFired(now: now)
        post(.timeHasCome)
    }
}

/// The identity.
extension LoadReports: Hashable {
    static func == (left: LoadReports, right: LoadReports) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
