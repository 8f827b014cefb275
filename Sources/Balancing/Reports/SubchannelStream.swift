import SwiftletCore
import SwiftletTransport
import Synchronization

/// A server-streaming call that the channel itself makes on one connection of a subchannel, for as long as
/// the connection is in use. It is opened again when it ends, unless the server does not have the method.
final class SubchannelStream: ReportStream {
    private struct State: ~Copyable {
        var schedule: SubchannelStreamState
        /// Counts the calls, so that the end of an earlier call is ignored.
        var number = 0
        var call: (any CallRequests)?
        /// A message was received and the next one was not asked for.
        var owesNext = false
        /// When the next message may be asked for.
        var nextRead = MonotonicInstant.now
    }

    /// Reports change seldom. A server that sends them without pause must not keep the balancer busy, and with it the
    /// channel's loop.
    private static let leastReadInterval = Duration.milliseconds(10)

    /// Reports are small. A larger message fails the call.
    private static let limits: MessageLimits = {
        var arguments = ChannelArguments()
        arguments.maxReceiveMessageByteCount = 64 << 10
        return MessageLimits(arguments)
    }()

    let subject: SubchannelSubject
    let link: Link
    private let calls: any OwnCalls
    private weak let receiver: (any ReportReceiver)?
    private let timer = TimerSlot()
    private let state: Mutex<State>

    init(
        _ subject: SubchannelSubject, on link: Link, calls: any OwnCalls, backoff: Backoff,
        receiver: any ReportReceiver
    ) {
        self.subject = subject
        self.link = link
        self.calls = calls
        self.receiver = receiver
        state = Mutex(State(schedule: SubchannelStreamState(backoff)))
    }
}

extension SubchannelStream {
    func start() {
        step(state.withLock { $0.schedule.start(now: .now) })
    }

    func stop() {
        let call = state.withLock { state in
            state.schedule.stop()
            state.number += 1
            return state.call.take()
        }
        timer.close()
        call?.cancel()
    }

    /// Asks for the next message if one was received and handled, but not too soon after the message before. Otherwise
    /// does nothing.
    func readNext() { readNext(now: .now) }

    private func readNext(now: MonotonicInstant) {
        let (call, time): ((any CallRequests)?, MonotonicInstant?) = state.withLock { state in
            guard state.owesNext else { return (nil, nil) }
            guard state.nextRead <= now else { return (nil, state.nextRead) }
            state.owesNext = false
            state.nextRead = now + Self.leastReadInterval
            return (state.call, nil)
        }
        if let time { timer.schedule(self, at: time, on: link.loop, unlessEarlier: true) }
        call?.receiveNext()
    }

    /// False also while the call waits for the metadata of its credentials: then the connection does not count it.
    var isOpen: Bool { state.withLock { $0.call }?.mayHaveSent ?? false }

    private func step(_ action: SubchannelStreamState.Action) {
        switch action {
        case .nothing: return
        case .wait(let time): timer.schedule(self, at: time, on: link.loop)
        case .open: open()
        }
    }

    /// Does nothing if the stream was stopped since it was decided to open it: nothing would end the
    /// call, and the connection would never drain.
    private func open() {
        let opened = state.withLock { state -> (call: any CallRequests, isFirst: Bool)? in
            guard state.schedule.isOpen else { return nil }
            state.number += 1
            state.owesNext = false
            let call = calls.makeCall(
                subject.method, Self.limits,
                SubchannelStreamObserver(self, number: state.number))
            state.call = call
            return (call, state.number == 1)
        }
        guard let (call, isFirst) = opened else { return }
        if !isFirst { note(.unknown) }
        call.write(
            EncodedMessage(prefixing: subject.request), andFinish: true, allowsCompression: true)
        call.receiveNext()
        call.start()
    }

    fileprivate func received(_ message: [UInt8], _ number: Int) {
        let call: (any CallRequests)? = state.withLock { state in
            guard state.number == number, let call = state.call else { return nil }
            state.schedule.received()
            state.owesNext = true
            return call
        }
        guard let call else { return }
        do throws(RPCError) {
            try receive(message)
        } catch {
            call.fail(error)
        }
    }

    fileprivate func ended(_ end: consuming CallEnd, _ number: Int) {
        let error = end.error ?? RPCError(.unavailable, "the server ended the stream")
        let action: SubchannelStreamState.Action? = state.withLock { state in
            guard state.number == number, state.call != nil else { return nil }
            state.call = nil
            return state.schedule.ended(end.error?.code ?? .ok, now: .now)
        }
        guard let action else { return }
        if end.error?.code == .unimplemented {
            receiver?.streamIsUnsupported(self)
            note(.healthy)
        } else {
            noteFailure(error)
        }
        step(action)
    }
}

// MARK: - Reports

extension SubchannelStream {
    private func receive(_ message: [UInt8]) throws(RPCError) {
        switch subject {
        case .health(let service):
            let isChange = note(
                try HealthResult(decoding: message, service: service, peer: link.peer))
            // After a change, the next result is read when the balancer has handled this one.
            if !isChange { readNext() }
        case .load:
            guard let load = LoadReport(decoding: message) else {
                throw RPCError(.internal, "\(link.peer) sent a malformed load report")
            }
            receiver?.receive(load, from: self)
        }
    }

    private func noteFailure(_ error: RPCError) {
        // The connection reports its own end, which is not a result of the check: calls then wait for another one.
        guard link.acceptsCalls else { return }
        let failure = RPCError(
            .unavailable,
            "the health check of \(link.peer) failed with \(error.code): \(error.message)")
        note(.unhealthy(failure.notExecuted))
    }

    /// Returns whether the result is a change, which is reported to the balancer. In a stream of load, it is none.
    @discardableResult
    private func note(_ health: HealthResult) -> Bool {
        guard case .health = subject else { return false }
        return receiver?.receive(health, from: self) ?? false
    }
}

extension SubchannelStream: TimerTarget {
    func timerFired(now: MonotonicInstant) {
        timer.hasFired(now: now)
        step(state.withLock { $0.schedule.timeHasCome(now: now) })
        readNext(now: now)
    }
}

/// The observer of one call of the stream.
private final class SubchannelStreamObserver: CallObserver {
    private let stream: SubchannelStream
    private let number: Int

    init(_ stream: SubchannelStream, number: Int) {
        self.stream = stream
        self.number = number
    }

    func receive(initialMetadata: Metadata) {}

    func receive(message: [UInt8], from call: any CallRequests) { stream.received(message, number) }

    func messageWasWritten(wasAccepted: Bool) {}

    func receive(end: consuming CallEnd) { stream.ended(end, number) }
}
