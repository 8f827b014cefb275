import Swiftlet
import SwiftletLoopback
import SwiftletTransport
import Synchronization
import Testing

@testable import SwiftletBalancing
@testable import SwiftletCore

/// What one server can make the loop do before other connections have their turn.
@Suite("A turn of the loop", .timeLimit(.minutes(5)))
struct LoopTurnTests {
    /// Asks for the next message as soon as it has one.
    private final class Eager: CallObserver {
        let messageCount = Counter()

        func receive(initialMetadata: Metadata) {}
        func receive(message: [UInt8], from call: any CallRequests) {
            messageCount.add()
            call.receiveNext()
        }
        func messageWasWritten(wasAccepted: Bool) {}
        func receive(end: consuming CallEnd) {}
    }

    private static func begin(_ server: LinkServer) throws {
        try server.send(
            RawFrame.settings([])
                + RawFrame.bytes(RawFrame.settings, flags: RawFrame.acknowledgement))
    }

    private static func headers(_ fields: [RawHPACK.Field] = []) -> [UInt8] {
        RawFrame.bytes(
            RawFrame.headers, flags: RawFrame.endHeaders, stream: 1,
            RawHPACK.block(RawConnection.responseFields + fields))
    }

    @Test("decompresses some messages of a call, and the others after other work")
    func inflating() throws {
        let client = try LinkClient()
        let (link, server) = try client.connect()
        try Self.begin(server)
        let observer = Eager()
        let call = client.start(observer)
        try #require(call.hasStream)
        let zeros = [UInt8](repeating: 0, count: 1 << 20)
        var message = try Compressor.compress(
            zeros.contiguous.span, .gzip, reservingPrefix: 5)
        message[0] = 1
        message.replaceSubrange(1..<5, with: RawFrame.bigEndian(UInt32(message.count - 5)))
        let frame = RawFrame.bytes(RawFrame.data, stream: 1, message)
        let bytes = Self.headers([("grpc-encoding", "gzip")]) + (0..<12).flatMap { _ in frame }
        let early = Counter()
        client.loop.run { #expect(throws: Never.self) { try server.send(bytes) } }
        client.loop.run { for _ in 0..<observer.messageCount.count { early.add() } }
        var scratch = EventLoop.Scratch()
        try client.loop.turn(until: .now, &scratch)
        #expect(early.count == 4)
        while observer.messageCount.count < 12 { try client.loop.turn(until: .now, &scratch) }
        link.end(with: LinkError(phase: .http2, cause: "the test is over"))
    }

    @Test("reads a limited number of small pieces on a connection that is not ready")
    func smallPieces() throws {
        let client = try LinkClient()
        // Each read of such a socket gives one packet, so that no read fills its buffer.
        let (link, server) = try client.connect(over: .packets())
        try server.write(RawFrame.settings([]))
        let unknown = RawFrame.bytes(0xbb, [0])
        for _ in 0..<300 { try server.write(unknown) }
        link.ready(.readable, now: .now)
        #expect(client.loop.hasWork)
        var scratch = EventLoop.Scratch()
        try client.loop.turn(until: .now, &scratch)
        #expect(!client.loop.hasWork)
        link.end(with: LinkError(phase: .http2, cause: "the test is over"))
    }

    /// Asks for the next report as soon as it has one.
    private final class Receiver: ReportReceiver {
        let count = Counter()

        func receive(_ health: HealthResult, from stream: any ReportStream) -> Bool {
            count.add()
            return false
        }
        func receive(_ load: LoadReport, from stream: any ReportStream) {}
        func streamIsUnsupported(_ stream: any ReportStream) {}
    }

    @Test("reads the reports of a server's health one after the other, with pauses")
    func reports() throws {
        let client = try LinkClient()
        let (link, server) = try client.connect()
        try Self.begin(server)
        let receiver = Receiver()
        let queue = try CompletionQueue()
        let channel = ChannelCore(
            try Target("127.0.0.1:1"), credentials: .insecure, arguments: ChannelArguments(),
            queues: [queue])
        let stream = SubchannelStream(
            .health(service: ""), on: link, calls: channel.calls(on: link), backoff: Backoff(),
            receiver: receiver)
        stream.start()
        let reports = (0..<20).flatMap { _ in
            RawFrame.bytes(RawFrame.data, stream: 1, RawPrefixed.bytes([0x08, 0x02]))
        }
        let begin = MonotonicInstant.now
        try server.send(Self.headers() + reports)
        var scratch = EventLoop.Scratch()
        var count = 0
        while count < 20 {
            count = receiver.count.count
            // The first two follow each other at once.
            #expect(.milliseconds(10) * (count - 2) <= MonotonicInstant.now - begin)
            try client.loop.turn(until: .now + .milliseconds(1), &scratch)
        }
        stream.stop()
        link.end(with: LinkError(phase: .http2, cause: "the test is over"))
    }
}
