import SwiftletCore
import SwiftletTransport
import Synchronization

// The faults of the loopback server.

extension ServerMethods {
    /// Applies a fault to a call.
    func serve(_ call: ServerCall, _ fault: Fault.Kind) {
        switch fault {
        case .status(let code, let message): call.finish(Status(code, message), Metadata())
        case .delay(let duration):
            // The delay ends when the call is cancelled.
            call.run { call in
                try? await call.session.loop.sleep(for: duration)
                if !call.isGone { answer(call) }
            }
        case .pause(let gate):
            // So does the pause.
            call.run { call in
                try? await gate.pass()
                if !call.isGone { answer(call) }
            }
        case .stall: break
        case .drop: call.session.end()
        case .reset(let code): call.reset(ErrorCode(rawValue: code.rawValue))
        case .refuse: call.reset(.refusedStream)
        case .goAway(let goAway): serve(call, goAway)
        case .dropAfterBytes(let count):
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
    private func serve(_ call: ServerCall, _ goAway: Fault.GoAway) {
        let session = call.session
        switch goAway {
        case .graceful:
            session.leaveGracefully()
            answer(call)
        case .atOnce(let code):
            session.state.withLock { $0.connection.goAway(ErrorCode(rawValue: code.rawValue)) }
            session.flushSoon()
            answer(call)
        case .beforeThisCall:
            session.state.withLock { $0.connection.goAway(before: call.stream) }
            call.isNotAnswered()
        case .thenClose(let code):
            session.state.withLock { $0.connection.goAway(ErrorCode(rawValue: code.rawValue)) }
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

    /// Removes the call without an answer.
    fileprivate func isNotAnswered() {
        session.state.withLock { $0.forget(self) }
        session.flushSoon()
        clientIsGone()
    }
}

extension ServerSession {
    /// Writes bytes that are not a frame: the length field is above every limit.
    fileprivate func writeGarbage() {
        state.withLock { $0.garbage = [UInt8](repeating: 0xff, count: 64) }
        flushSoon()
    }
}
