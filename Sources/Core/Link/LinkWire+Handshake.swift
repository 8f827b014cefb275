package import SwiftletTransport

extension LinkWire {
    /// Completes the TLS handshake, if there is one, and reads until `leastByteCount` bytes of content have
    /// arrived. Does not close the wire if it fails.
    ///
    /// - Parameters:
    ///   - loop: The loop that watches the socket until the function ends.
    ///   - wakeUp: Wakes the calling task. After its cancellation the function fails.
    ///   - leastByteCount: How many bytes must arrive after the handshake; 0 by default.
    ///   - received: The content that has arrived. Empty if `leastByteCount` is 0.
    package func shakeHands(
        on loop: EventLoop, _ wakeUp: WakeUp, leastByteCount: Int = 0,
        into received: inout ReceiveBuffer
    ) async throws(LinkError) {
        do throws(SystemError) {
            try watch(by: loop, for: wakeUp)
        } catch {
            throw LinkError(phase: .tls, error)
        }
        defer { unwatch(by: loop) }
        try begin()
        while !isOpen || received.count < leastByteCount {
            switch try read(into: &received).outcome {
            case .more: break
            case .last, .nothing:
                if isOpen, received.count >= leastByteCount { return }
                guard await wakeUp.wait() else { throw .givenUp }
            case .endOfStream:
                throw LinkError(phase: .tls, cause: "the peer closed the connection")
            }
        }
    }
}

extension LinkError {
    /// This side has ended its attempt to connect.
    static var givenUp: LinkError { LinkError(phase: .http2, cause: "given up") }
}
