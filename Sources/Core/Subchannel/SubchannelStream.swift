import SwiftletTransport
import Synchronization

/// A server-streaming call that the channel itself makes on one connection of a subchannel, for as long as
/// the connection is in use. It is opened again when it ends, unless the server does not have the method.
final class SubchannelStream: Sendable {
    private struct State: ~Copyable {
        var schedule: SubchannelStreamState
        /// Counts the calls, so that the end of an earlier call is ignored.
        var number = 0
        var call: CallCore?
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
    private let authority: RequestAuthority
    private weak let receiver: (any SubchannelStreamReceiver)?
    private let timer = TimerSlot()
    private let state: Mutex<State>

    init(
        _ subject: SubchannelSubject, on link: Link, as authority: RequestAuthority,
        backoff: Backoff.Configuration, receiver: any SubchannelStreamReceiver
    ) {
        self.subject = subject
        self.link = link
        self.authority = authority
        self.receiver = receiver
        state = Mutex(State(schedule: SubchannelStreamState(backoff)))
    }
}

/// Receives the events of a stream, on any thread and outside of every lock.
protocol SubchannelStreamReceiver: AnyObject, Sendable {
    /// The stream is opened again after it has failed.
    func streamReopens(_ stream: SubchannelStream)
    /// A message arrived. The receiver calls ``SubchannelStream/readNext()`` when it wants another one.
    /// Throws when the message is malformed; the stream then fails.
    func stream(_ stream: SubchannelStream, received message: [UInt8]) throws(RPCError)
    /// The server does not have the method. The stream is not opened again.
    func streamIsUnimplemented(_ stream: SubchannelStream)
    /// The stream has failed, and is opened again later.
    func stream(_ stream: SubchannelStream, failedWith error: RPCError)
}

/// The headers of a channel's requests that name their target and their sender.
struct RequestAuthority: Sendable {
    let authority: String
    let userAgent: String
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
    func readNext(now: MonotonicInstant = .now) {
        let (call, time): (CallCore?, MonotonicInstant?) = state.withLock { state in
            guard state.owesNext else { return (nil, nil) }
            guard state.nextRead <= now else { return (nil, state.nextRead) }
            state.owesNext = false
            state.nextRead = now + Self.leastReadInterval
            return (state.call, nil)
        }
        if let time { timer.schedule(self, noLaterThan: time, on: link.loop) }
        call?.receiveNext()
    }

    /// Whether a call is open, or waits for a stream.
    var isOpen: Bool { state.withLock { $0.call != nil } }

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
        let opened: (call: CallCore, isFirst: Bool)? = state.withLock { state in
            guard state.schedule.isOpen else { return nil }
            state.number += 1
            state.owesNext = false
            let call = CallCore(
                CallHead(subject.method, CallOptions(), Self.limits), deadline: .never,
                backend: self,
                observer: SubchannelStreamObserver(self, number: state.number))
            state.call = call
            return (call, state.number == 1)
        }
        guard let (call, isFirst) = opened else { return }
        link.noteOwnStream()
        if !isFirst { receiver?.streamReopens(self) }
        call.write(EncodedMessage(prefixing: subject.request), andFinish: true)
        call.receiveNext()
        call.start()
    }

    fileprivate func received(_ message: [UInt8], _ number: Int) {
        let call: CallCore? = state.withLock { state in
            guard state.number == number, let call = state.call else { return nil }
            state.schedule.received()
            state.owesNext = true
            return call
        }
        guard let call else { return }
        do throws(RPCError) {
            try receiver?.stream(self, received: message)
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
            receiver?.streamIsUnimplemented(self)
        } else {
            receiver?.stream(self, failedWith: error)
        }
        step(action)
    }
}

extension SubchannelStream: TimerTarget {
    func timerFired(now: MonotonicInstant) {
        timer.hasFired(now: now)
        step(state.withLock { $0.schedule.timeHasCome(now: now) })
        readNext(now: now)
    }
}

extension SubchannelStream: CallBackend {
    var loop: EventLoop { link.loop }

    func begin(_ call: CallCore) {
        var cache = RequestHeadCache()
        do throws(RPCError) {
            let prepared = try cache.prepared(
                for: call, defaultAuthority: authority.authority,
                scheme: link.isSecure ? "https" : "http",
                userAgent: authority.userAgent)
            guard !link.open(call, prepared) else { return }
            throw RPCError(.unavailable, "the connection to \(link.peer) accepts no calls")
        } catch {
            call.end(with: error)
        }
    }

    func forget(_ call: CallCore) {}

    func deadlineError(of call: CallCore) -> RPCError {
        RPCError(.deadlineExceeded, "the deadline passed before \(link.peer) answered")
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
