import SwiftletCore
import SwiftletHTTP1
import SwiftletTransport
import Synchronization

// The socket of a connection of HTTP/1.1.

extension HTTP1Link: Pollable {
    func ready(_ readiness: Poller.Readiness, now: MonotonicInstant) {
        if readiness.contains(.writable) { write() }
        guard readiness != .writable else { return }
        read(untilEmpty: readiness.contains(.hungUp))
    }

    func write() {
        var batch = GatherList()
        let isOver = state.withLock { state in
            swap(&batch, &state.output)
            return state.ending != nil
        }
        guard !isOver else { return }
        let isBlocked: Bool
        do throws(SystemError) {
            isBlocked = try wire.write(&batch).isBlocked
        } catch {
            // The bytes that the server sent before it closed explain more than the failed write.
            read(untilEmpty: true)
            return close(LinkError(phase: .http2, error))
        }
        // The poller reports when the socket accepts the rest.
        state.withLock { state in
            state.isBlocked = isBlocked
            swap(&batch, &state.output)
        }
    }

    func read(untilEmpty: Bool) {
        guard var buffer = state.withLock({ $0.buffer.take() }) else { return }
        let ending = readSocket(&buffer, untilEmpty: untilEmpty)
        var returned: ReceiveBuffer? = buffer
        state.withLock { swap(&$0.buffer, &returned) }
        switch ending {
        case nil: break
        case .endOfStream: receiveEnd()
        case .failed(let error): close(error)
        }
    }

    private enum Ending { case endOfStream, failed(LinkError) }

    private func readSocket(_ buffer: inout ReceiveBuffer, untilEmpty: Bool) -> Ending? {
        var byteCount = 0
        while byteCount < ReceiveBuffer.turnByteCount {
            let read: LinkWire.Read
            do throws(LinkError) {
                read = try wire.read(into: &buffer)
            } catch {
                return .failed(error)
            }
            byteCount += read.byteCount
            receive(&buffer)
            if hasEnded { return nil }
            switch read.outcome {
            case .more: break
            case .last where untilEmpty: break
            case .last, .nothing: return nil
            case .endOfStream: return .endOfStream
            }
        }
        loop.readAgain(self, untilEmpty: untilEmpty)
        return nil
    }

    private func receive(_ buffer: inout ReceiveBuffer) {
        var offset = 0
        buffer.withUnread { bytes in
            while let step = next(in: bytes, at: &offset) {
                switch step {
                case .failure(let error): return breakOff(error)
                case .success(let event): handle(event, bytes)
                }
            }
        }
        buffer.consume(offset)
    }

    private func next(
        in bytes: Span<UInt8>, at offset: inout Int
    ) -> Result<HTTP1.Event, HTTP1Error>? {
        state.withLock { state in
            guard state.ending == nil else { return nil }
            do throws(HTTP1Error) {
                return try state.connection.receive(bytes, at: &offset).map { .success($0) }
            } catch {
                return .failure(error)
            }
        }
    }

    private func receiveEnd() {
        let step: Result<HTTP1.Event?, HTTP1Error> = state.withLock { state in
            do throws(HTTP1Error) {
                return .success(try state.connection.receiveEnd())
            } catch {
                return .failure(error)
            }
        }
        switch step {
        case .success(let event):
            if let event { handle(event, Span()) }
            close(LinkError(phase: .http2, cause: "the server closed the connection"))
        case .failure(let error): close(LinkError(phase: .http2, cause: error.message))
        }
    }

    /// Ends the connection because the server has broken a rule of HTTP/1.1.
    private func breakOff(_ error: HTTP1Error) {
        close(
            LinkError(phase: .http2, cause: error.message),
            RPCError(.internal, "the server broke a rule of HTTP/1.1: \(error.message)"))
    }

    private func handle(_ event: HTTP1.Event, _ bytes: Span<UInt8>) {
        let now = MonotonicInstant.now
        switch event {
        case .head:
            let (call, initial) = state.withLock { state in
                state.exchange?.hasResponse = true
                state.hasResponded = true
                return (
                    state.exchange?.call, PlainExchange.initial(state.connection.receivedHead)
                )
            }
            call?.receive(CallArrival(initial: initial), at: now)
        case .body(let range):
            let call = state.withLock { $0.exchange?.call }
            _ = call?.receive(bytes.extracting(range), at: now)
        case .end:
            let (call, trailers, isFree) = state.withLock { state in
                let call = state.exchange.take()?.call
                if call != nil { state.succeededCallCount += 1 }
                // A server that responds before it has read the whole request may never read the
                // rest.
                let isFree = call != nil && state.connection.canBegin && !state.isBlocked
                return (
                    call, PlainExchange.metadata(of: state.connection.receivedTrailers), isFree
                )
            }
            call?.receive(
                CallArrival(end: ResponseEnd(error: nil, trailers: trailers)), at: now)
            if isFree { becomeFree() } else { close(.closed("the connection was closed")) }
        }
    }
}
