import SwiftletCore
import SwiftletTransport
import Synchronization

/// The stream of a call on a fake channel. Passes the request to the test, and the response of the test
/// to the call, on the loop's thread as a connection does.
final class FakeStream: Sendable {
    /// A part of the request. Messages are not decoded.
    enum RequestPart: Sendable {
        case start(Metadata, Deadline)
        case message([UInt8])
        case end, cancelled

        var messageByteCount: Int? {
            if case .message(let bytes) = self { bytes.count } else { nil }
        }
    }

    /// A part of the response.
    enum ResponsePart: Sendable {
        case headers(httpStatus: Int, Metadata)
        /// A message with its prefix. A plain call receives it without the prefix.
        case message([UInt8])
        case end(Status, Metadata)
        /// An error of the connection, and not of the server.
        case failure(RPCError)

        var isLast: Bool {
            switch self {
            case .headers, .message: false
            case .end, .failure: true
            }
        }

        var isSuccess: Bool {
            if case .end(let status, _) = self { status.code == .ok } else { false }
        }
    }

    private struct State {
        var call: CallCore?
        var isAttached = false
        var isOver = false
        var parts = Backlog<ResponsePart>()
        var assembler = MessageAssembler(maxByteCount: nil)
        var requestEndIsTold = false
        var requestHasEnded = false
        var owner: (any FakeStreamOwner)?
        var unread = UnreadRequests()
        /// The call that waits for capacity to send more messages.
        var waitsForRoom: CallCore?

        /// Ends the stream, and drops the remaining parts of the response.
        mutating func end() {
            isOver = true
            call = nil
            waitsForRoom = nil
            parts = Backlog()
        }
    }

    /// The limit of unread request messages. It is high, because a test may read its requests only after all
    /// were written. It is finite, so that an endless writer does not fill the memory.
    private struct UnreadRequests {
        private static let maxCount = 1_024
        private static let maxByteCount = 1 << 20

        private var count = 0
        private var byteCount = 0
        /// Whether messages have no reader, and are dropped.
        var areDropped = false

        var hasRoom: Bool {
            areDropped || (count < Self.maxCount && byteCount < Self.maxByteCount)
        }

        mutating func add(_ messageByteCount: Int) {
            count += 1
            byteCount += messageByteCount
        }

        mutating func remove(_ messageByteCount: Int) {
            count -= 1
            byteCount -= messageByteCount
        }
    }

    /// Passes a part of the request to the test. Returns true if the part then counts as read, and false if
    /// the test reads it later.
    typealias Show = @Sendable (RequestPart) throws(RPCError) -> Bool

    private let loop: EventLoop
    /// Whether status OK waits for the end of the request, as at a server that reads the whole request.
    private let readsWholeRequest: Bool
    private let show: Show
    private let whenOver: @Sendable () -> Void
    private let state = Mutex(State())
    /// Callers write on their own threads; the test receives one part at a time.
    private let shown = SerialMailbox<Event>()

    private enum Event: Sendable {
        case part(RequestPart, of: CallCore?)
        case over
    }

    /// - Parameters:
    ///   - readsWholeRequest: Whether status OK is held back until the request has ended.
    ///   - show: Passes the parts of the request to the test, one at a time.
    ///   - whenOver: Called once, after the last part.
    init(
        _ loop: EventLoop, readsWholeRequest: Bool, show: @escaping Show,
        whenOver: @escaping @Sendable () -> Void
    ) {
        self.loop = loop
        self.readsWholeRequest = readsWholeRequest
        self.show = show
        self.whenOver = whenOver
    }
}

// MARK: - The answer

extension FakeStream {
    func append(_ part: ResponsePart) {
        state.withLock { if !$0.isOver { $0.parts.append(part) } }
    }

    /// Delivers the appended parts on the loop, once the stream has a call.
    func deliverSoon() {
        if state.withLock({ $0.isAttached }) { loop.run { [self] in deliver() } }
    }

    /// Assigns the stream to a call.
    func attach(_ call: CallCore, owner: any FakeStreamOwner) {
        guard var request = call.takeRequest() else {
            // The call has ended in the meantime.
            state.withLock { $0.isOver = true }
            return tell(.over)
        }
        state.withLock { state in
            state.call = call
            state.owner = owner
        }
        owner.streamBegan(self)
        tell(.part(.start(call.metadata, call.deadline), of: call))
        request.takeEach { message, _ in receive(message.bytes, of: call) }
        if request.isFinish { requestEnded() }
        let record = ConnectionRecord(peer: "the fake channel", ConnectionTimes(begun: .now))
        let hasDeliveries = call.attach(
            to: self, StreamHandle(slot: 0, generation: 0), record, attempt: request.attempt)
        if hasDeliveries { call.deliverPending() }
        state.withLock { $0.isAttached = true }
        loop.run { [self] in deliver() }
    }

    private func deliver() {
        while true {
            let next: (CallCore, ResponsePart)? = state.withLock { state in
                guard !state.isOver, let call = state.call, let first = state.parts.first,
                    !first.isSuccess || state.requestHasEnded || !readsWholeRequest,
                    let part = state.parts.popFirst()
                else { return nil }
                if part.isLast { state.end() }
                return (call, part)
            }
            guard let (call, part) = next else { return }
            switch part {
            case .headers(let httpStatus, let metadata):
                call.receive(
                    CallArrival(
                        initial: ResponseHead.Initial(
                            httpStatus: httpStatus, encoding: .identity, metadata)),
                    at: .now)
            case .message(let bytes):
                let prefix = call.head.framing == .wholeBody ? MessagePrefix.byteCount : 0
                // A fake stream has no window.
                _ = call.receive(
                    bytes.contiguous.span.extracting(droppingFirst: prefix), at: .now)
            case .end(let status, let trailers):
                var error = RPCError(status)
                error?.metadata = trailers
                let end = ResponseEnd(error: error, trailers: trailers)
                call.receive(CallArrival(end: end), at: .now)
            case .failure(let error):
                call.receive(CallArrival(end: ResponseEnd(error: error)), at: .now)
            }
            if part.isLast { over() }
        }
    }
}

// MARK: - The request

extension FakeStream: StreamCarrier {
    func send(
        _ framedMessage: EncodedMessage, on stream: StreamHandle, andFinish: Bool
    ) -> Bool {
        let call = state.withLock { $0.call }
        if let call { receive(framedMessage.bytes, of: call) }
        if andFinish { requestEnded() }
        return state.withLock { $0.unread.hasRoom }
    }

    func reportRoom(on stream: StreamHandle, to call: CallCore) {
        let mayWait = state.withLock { state in
            let mayWait = !state.unread.hasRoom && !state.isOver
            if mayWait { state.waitsForRoom = call }
            return mayWait
        }
        if !mayWait { call.streamHasRoom() }
    }

    /// Called when the test has read a message of `byteCount` bytes.
    func wasRead(_ byteCount: Int) { makeRoom { $0.remove(byteCount) } }

    /// Called when the test stops reading messages.
    func isNotRead() { makeRoom { $0.areDropped = true } }

    private func makeRoom(_ change: (inout UnreadRequests) -> Void) {
        let call: CallCore? = state.withLock { state in
            change(&state.unread)
            return state.unread.hasRoom ? state.waitsForRoom.take() : nil
        }
        guard let call else { return }
        loop.run { call.streamHasRoom() }
    }

    func finish(_ stream: StreamHandle) { requestEnded() }

    func reset(_ stream: StreamHandle) -> Bool {
        let wasOver = state.withLock { state in
            defer { state.end() }
            return state.isOver
        }
        guard !wasOver else { return false }
        tell(.part(.cancelled, of: nil))
        over()
        return false
    }

    func consumed(_ consumption: Consumption, on stream: StreamHandle) {}

    /// The channel was closed, and no call can receive the response any more.
    func wasNotUsed() {
        state.withLock { $0.end() }
        tell(.over)
    }

    /// Cancels the call, as its caller would. Does nothing after its end.
    func cancel() {
        let call = state.withLock { $0.call }
        call?.cancel()
    }

    private func receive(_ framed: [UInt8], of call: CallCore) {
        do throws(RPCError) {
            guard let bytes = try message(in: framed, of: call) else { return }
            state.withLock { $0.unread.add(bytes.count) }
            tell(.part(.message(bytes), of: call))
        } catch {
            call.end(with: error)
        }
    }

    /// The message without its prefix. A message of a plain call has no prefix.
    private func message(
        in framed: [UInt8], of call: CallCore
    ) throws(RPCError) -> [UInt8]? {
        if call.head.framing == .wholeBody { return framed }
        let result: Result<AssembledMessage?, RPCError> = state.withLock { state in
            Result { () throws(RPCError) in
                var offset = 0
                return try state.assembler.next(in: framed.contiguous.span, at: &offset)
            }
        }
        return try result.get()?.decompressed(call.head.compression, maxByteCount: nil)
    }

    private func requestEnded() {
        let isFirst = state.withLock { state in
            defer { state.requestEndIsTold = true }
            return !state.requestEndIsTold && !state.isOver
        }
        guard isFirst else { return }
        // Before the end of the response may be delivered, which would be the last that the test is told.
        tell(.part(.end, of: nil))
        let isAttached = state.withLock { state in
            state.requestHasEnded = true
            return state.isAttached
        }
        if isAttached { loop.run { [self] in deliver() } }
    }

    private func over() {
        tell(.over)
        let owner = state.withLock { $0.owner.take() }
        owner?.streamEnded(self)
    }

    private func tell(_ event: Event) {
        guard shown.post(event) else { return }
        HeldLocks.assertNone(calling: "handler of a fake channel")
        while let event = shown.next() {
            switch event {
            case .over: whenOver()
            case .part(let part, let call):
                do throws(RPCError) {
                    if try show(part), let byteCount = part.messageByteCount {
                        wasRead(byteCount)
                    }
                } catch {
                    // The request cannot be decoded for the test, so the call fails with the error of the
                    // decoder.
                    let failure = RPCError.refused(
                        .internal, "the fake channel cannot read the request: \(error.message)")
                    call?.end(with: failure)
                }
            }
        }
    }
}

/// Receives the start and the end of each stream.
protocol FakeStreamOwner: AnyObject, Sendable {
    func streamBegan(_ stream: FakeStream)
    func streamEnded(_ stream: FakeStream)
}
