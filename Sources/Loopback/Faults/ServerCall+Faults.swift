import SwiftletCore
import SwiftletTransport
import Synchronization

// How a call of the loopback server goes wrong.

extension ServerMethods {
    /// Answers a call as its handler does, but for what is to go wrong with it.
    func serve(_ call: ServerCall, _ fault: Fault.Kind) {
        switch fault {
        case .status(let code, let message): call.finish(Status(code, message), Metadata())
        case .delay(let duration):
            // Cancelled with the call, because nobody waits for what comes then.
            call.run { call in
                try? await Task.sleep(for: duration)
                if !call.isGone { answer(call) }
            }
        case .stall: break
        case .drop: call.session.end()
        case .reset(let code): call.reset(ErrorCode(rawValue: code.rawValue))
        case .refuse: call.reset(.refusedStream)
        case .goAway(let farewell): serve(call, farewell)
        case .dropAfterOctets(let count):
            call.session.setPace(.untilDrop(byteCount: max(0, count)))
            answer(call)
        case .drip(let count, let interval):
            call.session.setPace(.drip(byteCount: max(1, count), every: interval))
            answer(call)
        case .shrinkWindow(let byteCount):
            call.session.state.withLock { $0.connection.setStreamWindow(to: byteCount, now: .now) }
            call.session.flushSoon()
            answer(call)
        case .garbage: call.session.writeGarbage()
        case .dropAfterMessages, .contentType, .missingTrailers, .truncatedMessage:
            call.state.withLock { $0.fault = fault }
            answer(call)
        }
    }
}

extension ServerMethods {
    private func serve(_ call: ServerCall, _ farewell: Fault.Farewell) {
        let session = call.session
        switch farewell {
        case .graceful:
            session.leaveGracefully()
            answer(call)
        case .atOnce(let code):
            session.state.withLock { $0.connection.leave(ErrorCode(rawValue: code.rawValue)) }
            session.flushSoon()
            answer(call)
        case .beforeThisCall:
            session.state.withLock { $0.connection.leave(before: call.stream) }
            call.isNotAnswered()
        case .thenClose(let code):
            session.state.withLock { $0.connection.leave(ErrorCode(rawValue: code.rawValue)) }
            session.flush()
            session.loop.run { session.end() }
        }
    }
}

extension ServerCall {
    fileprivate func reset(_ code: ErrorCode) {
        session.state.withLock { $0.connection.reset(stream, code) }
        isNotAnswered()
    }

    /// The server is done with the call.
    fileprivate func isNotAnswered() {
        session.state.withLock { $0.forget(self) }
        session.flushSoon()
        clientIsGone()
    }
}

extension ServerSession {
    /// Writes what is no frame: its length alone is above every limit.
    fileprivate func writeGarbage() {
        state.withLock { state in
            state.connection.takeOutput(into: &state.unwritten)
            state.unwritten.append(referencing: [UInt8](repeating: 0xff, count: 64))
        }
        flushSoon()
    }
}
