import SwiftletTransport

/// The state that the reading side of a link keeps between reads.
struct LinkReader: ~Copyable {
    var buffer: ReceiveBuffer
    var arrivals = LinkArrivals()
    /// A large message whose frames are read into its own memory, not into ``buffer``.
    var placed: PlacedMessage?
    var expectation = FrameExpectation()

    /// - Parameter maxFrameByteCount: The largest frame that the server may send.
    init(maxFrameByteCount: Int) {
        let frame = maxFrameByteCount + FrameHeader.byteCount
        buffer = ReceiveBuffer(maximumByteCount: max(ReceiveBuffer.turnByteCount, frame))
    }
}
