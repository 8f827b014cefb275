import SwiftletCore
import SwiftletInterceptors

/// The request of a call so far, for an interceptor that may have to send it again.
struct RecordedRequest {
    /// A larger request is not kept. Other gRPC clients have the same limit.
    private static let byteLimit = 256 << 10

    private(set) var options = CallOptions()
    private var messages: [RawMessage] = []
    private var byteCount = 0
    private var isFinished = false
    private var demand = 0
    /// Whether the request can be sent again: no response was delivered to the caller, and the
    /// request is not too large.
    private(set) var mayReplay = true
}

extension RecordedRequest {
    mutating func start(_ options: CallOptions) { self.options = options }

    mutating func write(_ message: RawMessage) {
        guard mayReplay else { return }
        messages.append(message)
        byteCount += message.byteCount
        if byteCount > Self.byteLimit { discard() }
    }

    mutating func finish() { isFinished = true }

    mutating func receiveNext() { demand += 1 }

    mutating func answered() { discard() }

    private mutating func discard() {
        mayReplay = false
        messages = []
    }

    /// Repeats all requests on a new call, with options that may differ.
    func replay(to call: InterceptedCall, _ options: CallOptions) {
        call.start(options)
        for message in messages { call.write(message) }
        if isFinished { call.finish() }
        for _ in 0..<demand { call.receiveNext() }
    }
}
