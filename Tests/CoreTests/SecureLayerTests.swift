import SwiftletTransport
import Synchronization
import Testing

@testable import SwiftletCore

@Suite("The layer of TLS between a socket and a link")
struct SecureLayerTests {
    /// A session whose records have 2,000 bytes and no content.
    private final class QuietSession: TLSSession {
        static let recordByteCount = 2_000
        /// Whether it keeps all bytes, as a part of a record that is never complete.
        let isGreedy: Bool

        init(isGreedy: Bool = false) { self.isGreedy = isGreedy }

        func handshake(
            _ received: inout ReceiveBuffer, sending ciphertext: inout GatherList
        ) throws(TLSError) -> TLSHandshakeProgress { .done }

        func read(
            _ received: inout ReceiveBuffer, into plaintext: inout ReceiveBuffer,
            sending ciphertext: inout GatherList
        ) throws(TLSError) -> TLSReadOutcome {
            if isGreedy { received.consume(received.count) }
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
                try layer.read(from: near, into: &plaintext, endsWhenDrained: false).byteCount
            }
        }
        // The last ones find no complete record, and cost the minimum.
        #expect(counts == [2_000, 2_000, 1_024, 1_024])
    }

    @Test("reads the socket again after a read that left room only in the next turn")
    func drained() throws {
        let outcomes = try Socket.withPair { near, far throws -> [LinkWire.ReadOutcome] in
            let record = [UInt8](repeating: 7, count: QuietSession.recordByteCount)
            let layer = SecureLayer(QuietSession())
            try layer.begin(on: near)
            var plaintext = ReceiveBuffer()
            return try [false, true, true, false, true].map { endsWhenDrained in
                var output = GatherList()
                output.append(referencing: record)
                _ = try far.write(gathering: &output)
                return try layer.read(
                    from: near, into: &plaintext, endsWhenDrained: endsWhenDrained
                ).outcome
            }
        }
        // The second turn finds three records.
        #expect(outcomes == [.more, .nothing, .nothing, .more, .more])
    }

    @Test("reads the socket once in a call, also if the session has nothing to show for it")
    func greedySession() throws {
        let (outcome, byteCount, left) = try Socket.withPair { near, far throws in
            var output = GatherList()
            output.append(referencing: [UInt8](repeating: 7, count: 150_000))
            while try far.write(gathering: &output) != .wouldBlock, !output.isEmpty {}
            let layer = SecureLayer(QuietSession(isGreedy: true))
            try layer.begin(on: near)
            var plaintext = ReceiveBuffer()
            let read = try layer.read(from: near, into: &plaintext, endsWhenDrained: false)
            var rest = ReceiveBuffer()
            return (read.outcome, read.byteCount, try rest.read(from: near))
        }
        #expect(outcome == .more && byteCount > 1_024)
        guard case .bytes = left else {
            Issue.record("the socket was read to its end")
            return
        }
    }

    @Test("charges each read with at least 1 KiB")
    func leastCharge() {
        #expect(LinkWire.Read(.more, byteCount: 100).byteCount == 1_024)
        #expect(LinkWire.Read(.nothing).byteCount == 1_024)
        #expect(LinkWire.Read(.more, byteCount: 5_000).byteCount == 5_000)
    }
}
