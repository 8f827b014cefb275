import SwiftletCore
import SwiftletTransport
import Synchronization

// How a call of the loopback server goes wrong.

extension ServerMethods {
    /// Answers a call as its handler does, but for what is to go wrong with it.
    func serve(_ call: ServerCall, _ fault: Fault.Kind) {
        switch fault {
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
        case .goAway:
            call.session.leaveGracefully()
            answer(call)
        case .garbage: call.session.writeGarbage()
        case .dropAfterMessages, .contentType, .missingTrailers, .truncatedMessage:
            call.state.withLock { $0.fault = fault }
            answer(call)
        }
    }
}

extension ServerCall {
    fileprivate func reset(_ code: ErrorCode) {
        session.state.withLock { session in
            session.connection.reset(stream, code)
            let slot = Int(stream.slot)
            if slot < session.calls.count, session.calls[slot] === self {
                session.calls[slot] = nil
            }
        }
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
