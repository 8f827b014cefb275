import SwiftletLoopback
import Synchronization
import Testing

@testable import SwiftletCore

/// The test writes bytes to the socket, and then makes the connection read them. So the parts that the
/// connection reads do not depend on time.
@Suite("A connection that reads frames directly into their message", .timeLimit(.minutes(5)))
struct LinkPlacingTests {
    /// Starts another call when it receives a message.
    private final class Observer: CallObserver {
        let client: LinkClient
        let next = Mutex<CallCore?>(nil)
        let end = Mutex<RPCError?>(nil)

        init(_ client: LinkClient) { self.client = client }

        func receive(initialMetadata: Metadata) {}
        func receive(message: [UInt8], from call: any CallRequests) {
            let started = client.start(Observer(client))
            next.withLock { $0 = started }
        }
        func messageWasWritten(wasAccepted: Bool) {}
        func receive(end received: consuming CallEnd) {
            let error = received.error
            end.withLock { $0 = error }
        }
    }

    private static let frameByteCount = 16_384

    /// A message in full frames, cut so that each part ends in the middle of a frame. The connection
    /// expects more frames in each read, and the last read places the last frame.
    private static func parts(frameCount: Int) -> [ArraySlice<UInt8>] {
        let prefixed = RawPrefixed.bytes(
            [UInt8](repeating: 7, count: frameCount * frameByteCount - 5))
        let bytes = (0..<frameCount).flatMap { index in
            RawFrame.bytes(
                RawFrame.data, stream: 1,
                Array(prefixed[index * frameByteCount..<(index + 1) * frameByteCount]))
        }
        let cuts = [1, 2, 4].map { $0 * (frameByteCount + 9) + 9 + 1_000 }
        return zip([0] + cuts, cuts + [bytes.count]).map { bytes[$0..<$1] }
    }

    @Test("ends the call whose last frame breaks a rule, although the next call has its slot")
    func longerThanAnnounced() throws {
        let client = try LinkClient()
        let (link, server) = try client.connect()
        try server.send(
            RawFrame.settings([])
                + RawFrame.bytes(RawFrame.settings, flags: RawFrame.acknowledgement))
        let observer = Observer(client)
        let call = client.start(observer)
        try #require(call.hasStream)
        let frameCount = 7
        let length = "\(frameCount * Self.frameByteCount - 1)"
        try server.send(
            RawFrame.bytes(
                RawFrame.headers, flags: RawFrame.endHeaders, stream: 1,
                RawHPACK.block(RawConnection.responseFields + [("content-length", length)])))
        for part in Self.parts(frameCount: frameCount) { try server.send(Array(part)) }
        let next = try #require(observer.next.withLock { $0 })
        #expect(observer.end.withLock { $0?.code } == .internal)
        #expect(!next.isEnded)
        #expect(link.callCount == 1)
        next.cancel()
        #expect(link.callCount == 0)
        link.end(with: LinkError(phase: .http2, cause: "the test is over"))
    }
}
