import SwiftletTransport
import Synchronization

// Large messages are read into their final buffers.

/// The frames of a message that has begun to arrive.
struct PlacedMessage {
    let stream: StreamHandle
    var frames: PlacedFrames

    /// Smaller frames, and messages that lack fewer bytes, are read into the receive buffer.
    static let minFrameByteCount = 8 << 10
    static let minMissingByteCount = 32 << 10
}

/// The number of frames that are expected to continue the message. If other frames arrive, their
/// bytes are copied twice. So the number grows with each success and falls to 0 with a failure.
struct FrameExpectation {
    private(set) var frameCount = 0

    mutating func held() { frameCount = min(2 * frameCount + 1, PlacedFrames.expectedFrameLimit) }
    mutating func failed() { frameCount = 0 }
}

extension Link {
    /// Begins to read a message into its buffer, if the receive buffer holds the beginning of a frame
    /// inside a large message.
    func beginPlacing(_ reader: inout LinkReader, now: MonotonicInstant) {
        // A frame log gets only the bytes in the buffer.
        guard !wire.isSecure, frameLog == nil, reader.buffer.count >= FrameHeader.byteCount,
            let header = reader.buffer.withUnread({ FrameHeader(decoding: $0, at: 0) }),
            header.payloadByteCount >= PlacedMessage.minFrameByteCount,
            let (stream, call) = state.withLock({ $0.callToPlace(header) })
        else { return }
        let arrived = reader.buffer.count - FrameHeader.byteCount
        let missing = max(header.payloadByteCount, arrived + PlacedMessage.minMissingByteCount)
        guard var lent = call.lendMessage(missing: missing, arrived: arrived) else { return }
        reader.buffer.withUnread { bytes in
            lent.bytes.append(copying: bytes.extracting(droppingFirst: FrameHeader.byteCount))
        }
        reader.buffer.consume(reader.buffer.count)
        giveBack(call.receive(placed: lent.bytes, wholeFrames: 0), on: stream, now: now)
        reader.placed = PlacedMessage(
            stream: stream,
            frames: PlacedFrames(header, arrived: arrived, messageRest: lent.missing - arrived))
    }

    /// Reads into the message that was begun. Nil if there is none.
    func readPlaced(
        _ reader: inout LinkReader, now: MonotonicInstant
    ) throws(LinkError) -> (outcome: LinkWire.ReadOutcome, byteCount: Int)? {
        guard var placed = reader.placed.take() else { return nil }
        let call = state.withLock { $0.call(of: placed.stream) }
        var message = takeMessage(of: call, &placed)
        let read = try wire.read(
            placing: &placed.frames, expecting: reader.expectation.frameCount, into: &message,
            &reader.buffer)
        let arrived = read?.arrived ?? PlacedFrames.Arrived()
        account(for: arrived, placed, &reader, now: now)
        if let call {
            let byteCount = arrived.wholeFrames.reduce(0, +)
            giveBack(
                call.receive(placed: message, wholeFrames: byteCount), on: placed.stream, now: now)
        }
        guard let read else { return nil }
        reader.learn(from: arrived, placed)
        return (read.outcome, arrived.contentByteCount)
    }

    /// Returns the window of the bytes that were read.
    private func giveBack(
        _ consumption: Consumption, on stream: StreamHandle, now: MonotonicInstant
    ) {
        guard !consumption.isEmpty else { return }
        let hasOutput = state.withLock { state in
            state.connection.consumed(stream, consumption, now: now)
            return state.connection.hasOutput
        }
        if hasOutput { flushSoon() }
    }

    /// The message so far, with room for more. After the end of the call, a buffer that is dropped when
    /// the frame is complete.
    private func takeMessage(of call: CallCore?, _ placed: inout PlacedMessage) -> [UInt8] {
        if let lent = call?.lendMessage(missing: 1, arrived: 0) { return lent.bytes }
        placed.frames.dropMessage()
        var message: [UInt8] = []
        message.reserveCapacity(min(placed.frames.frameRest, ReceiveBuffer.turnByteCount))
        return message
    }

    /// Passes the frames that became complete to the engine. Their events are recorded before the lock
    /// is released: a frame that breaks a rule ends its stream, and the next call may then get the slot.
    private func account(
        for arrived: PlacedFrames.Arrived, _ placed: PlacedMessage, _ reader: inout LinkReader,
        now: MonotonicInstant
    ) {
        guard arrived.contentByteCount > 0 else { return }
        state.withLock { state in
            state.connection.bytesArrived(now: now)
            for byteCount in arrived.wholeFrames where state.ending == nil {
                let header = placed.frames.expectedHeader(payloadByteCount: byteCount)
                switch state.connection.receive(placed: header, now: now) {
                case nil, .data?: break
                case let event?: state.record(event, self, into: &reader.arrivals)
                }
                while let event = state.connection.nextEvent() {
                    state.record(event, self, into: &reader.arrivals)
                }
            }
        }
    }
}

extension LinkReader {
    /// Continues the message if it arrives as expected.
    fileprivate mutating func learn(from arrived: PlacedFrames.Arrived, _ placed: PlacedMessage) {
        guard !placed.frames.isComplete else {
            if arrived.wholeFrames.count > 1 { expectation.held() }
            return
        }
        if buffer.isEmpty {
            if arrived.wholeFrames.count > 1 { expectation.held() }
            self.placed = placed
        } else if buffer.count >= FrameHeader.byteCount {
            let next = buffer.withUnread { FrameHeader(decoding: $0, at: 0) }
            if arrived.stray.isEmpty, placed.frames.isNext(next) {
                expectation.held()
            } else {
                expectation.failed()
            }
        }
    }
}

extension Link.State {
    fileprivate func callToPlace(_ header: FrameHeader) -> (StreamHandle, CallCore)? {
        guard ending == nil, let stream = connection.streamToPlace(header),
            let call = call(of: stream)
        else { return nil }
        return (stream, call)
    }
}
