import SwiftletCore
import SwiftletTransport
import Synchronization

/// The stream of a call on a fake channel: shows the request to the test, and gives the call what
/// the test answers, on the loop's thread as a connection does.
final class FakeStream: Sendable {
    /// A piece of the request, its messages still octets.
    enum RequestPart: Sendable {
        case start(Metadata, Deadline)
        case message([UInt8])
        case end, cancelled
    }

    /// A piece of the answer.
    enum ResponsePart: Sendable {
        case headers(Metadata)
        /// With its prefix.
        case message([UInt8])
        case end(Status, Metadata)
    }

    private struct State {
        var call: CallCore?
        var isAttached = false
        var isOver = false
        var parts: [ResponsePart] = []
        var assembler = MessageAssembler(maxByteCount: nil)
        var requestHasEnded = false
    }

    private let loop: EventLoop
    private let show: @Sendable (RequestPart) throws(RPCError) -> Void
    private let state = Mutex(State())

    init(
        _ loop: EventLoop, show: @escaping @Sendable (RequestPart) throws(RPCError) -> Void
    ) {
        self.loop = loop
        self.show = show
    }
}

// MARK: - The answer

extension FakeStream {
    func send(_ part: ResponsePart) {
        let isAttached = state.withLock { state in
            state.parts.append(part)
            return state.isAttached
        }
        if isAttached { loop.run { [self] in deliver() } }
    }

    /// Gives the stream to a call.
    func attach(_ call: CallCore) {
        guard let request = call.takeRequest() else { return }
        state.withLock { $0.call = call }
        tell(.start(call.head.metadata, call.deadline))
        for message in request.messages { receive(message, of: call) }
        if request.isFinish { requestEnded() }
        let record = ConnectionRecord(peer: peer, ConnectionTimes(begun: .now))
        call.attach(to: self, StreamHandle(slot: 0, generation: 0), record)
        state.withLock { $0.isAttached = true }
        loop.run { [self] in deliver() }
    }

    private func deliver() {
        while true {
            let next: (CallCore, ResponsePart)? = state.withLock { state in
                guard !state.isOver, let call = state.call, !state.parts.isEmpty else { return nil }
                let part = state.parts.removeFirst()
                if case .end = part {
                    state.isOver = true
                    state.call = nil
                }
                return (call, part)
            }
            guard let (call, part) = next else { return }
            switch part {
            case .headers(let metadata):
                call.receive(
                    initial: .accepted(httpStatus: 200, encoding: .identity, metadata), at: .now)
            case .message(let octets):
                // There is no window to give anything back to.
                _ = call.receive(octets.span)
            case .end(let status, let trailers):
                var error = RPCError(status)
                error?.metadata = trailers
                call.receive(
                    trailers: ResponseHead.Trailers(
                        end: CallEnd(error: error, trailers: trailers)), at: .now)
            }
        }
    }
}

// MARK: - The request

extension FakeStream: StreamCarrier {
    var peer: String { "the fake channel" }

    func send(
        _ framedMessage: [UInt8], on stream: StreamHandle, andFinish: Bool
    ) -> Bool {
        let call = state.withLock { $0.call }
        if let call { receive(framedMessage, of: call) }
        if andFinish { requestEnded() }
        return true
    }

    func reportRoom(on stream: StreamHandle, to call: CallCore) { call.streamHasRoom() }

    func finish(_ stream: StreamHandle) { requestEnded() }

    func reset(_ stream: StreamHandle) {
        let wasOver = state.withLock { state in
            defer {
                state.isOver = true
                state.call = nil
            }
            return state.isOver
        }
        if !wasOver { tell(.cancelled) }
    }

    func consumed(_ byteCount: Int, on stream: StreamHandle) {}

    private func receive(_ framed: [UInt8], of call: CallCore) {
        let result: Result<AssembledMessage?, RPCError> = state.withLock { state in
            Result { () throws(RPCError) in
                var offset = 0
                return try state.assembler.next(in: framed.span, at: &offset)
            }
        }
        do throws(RPCError) {
            guard let message = try result.get() else { return }
            guard message.isCompressed else { return try show(.message(message.octets)) }
            let octets = try Decompressor.decompress(
                message.octets, call.head.compression, maxByteCount: nil)
            try show(.message(octets))
        } catch {
            // The test cannot read what its own caller sent: the call says so.
            call.end(with: error, isImmediate: true)
        }
    }

    private func requestEnded() {
        let isFirst = state.withLock { state in
            defer { state.requestHasEnded = true }
            return !state.requestHasEnded && !state.isOver
        }
        if isFirst { tell(.end) }
    }

    private func tell(_ part: RequestPart) {
        // Only messages can fail to decode.
        try? show(part)
    }
}
