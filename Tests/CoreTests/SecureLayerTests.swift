import SwiftletTransport
import Synchronization
import Testing

@testable import SwiftletCore

@Suite("The layer of TLS between a socket and a link")
struct SecureLayerTests {
    /// A session whose records have 2,000 bytes and no content.
    private final class QuietSession: TLSSession {
        static let recordByteCount = 2_000

        func handshake(
            _ received: inout ReceiveBuffer, sending ciphertext: inout GatherList
        ) throws(TLSError) -> TLSHandshakeProgress { .done }

        func read(
            _ received: inout ReceiveBuffer, into plaintext: inout ReceiveBuffer,
            sending ciphertext: inout GatherList
        ) throws(TLSError) -> TLSReadOutcome {
            guard received.count >= Self.recordByteCount else { return .needsMore }
            received.consume(Self.recordByteCount)
            return .withoutContent
        }

        func write(
            _ plaintext: inout GatherList, sending ciphertext: inout GatherList
        ) throws(TLSError) {}

        func close(sending ciphertext: inout GatherList) {}
        func endOfTransport() -> TLSError? { nil }
        func isPeer(_ identity: ServerIdentity) -> Bool { true }
        var negotiatedProtocol: String? { "h2" }
        var peerCertificates: [[UInt8]] { [] }
        var verifiedCertificates: [[UInt8]] { [] }
        var protocolVersion: String { "TLSv1.3" }
        var isResumed: Bool { false }
    }

    @Test("charges a read with the encrypted bytes that it processed, even if they had no content")
    func charge() throws {
        let counts = try Socket.withPair { near, far throws -> [Int] in
            var output = GatherList()
            output.append(referencing: [UInt8](repeating: 7, count: 5_000))
            _ = try far.write(gathering: &output)
            let layer = SecureLayer(QuietSession())
            try layer.begin(on: near)
            var plaintext = ReceiveBuffer()
            return try (0..<4).map { _ in
                try layer.read(from: near, into: &plaintext).byteCount
            }
        }
        // The first read only receives bytes, and the last one finds no complete record: both cost
        // the minimum.
        #expect(counts == [1_024, 2_000, 2_000, 1_024])
    }

    @Test("charges each read with at least 1 KiB")
    func leastCharge() {
        #expect(LinkWire.Read(.more, byteCount: 100).byteCount == 1_024)
        #expect(LinkWire.Read(.nothing).byteCount == 1_024)
        #expect(LinkWire.Read(.more, byteCount: 5_000).byteCount == 5_000)
    }
}
