import Swiftlet
import SwiftletLoopback
import SwiftletTransport
import Synchronization
import Testing

@testable import SwiftletCore

/// The test writes bytes to the socket, and then makes the connection read them. So the parts that the
/// connection reads do not depend on time.
@Suite("A connection that reads frames directly into their message", .timeLimit(.minutes(5)))
struct LinkPlacingTests {
    /// The connection to the test's socket, as the backend of its calls.
    private final class Client: CallBackend, LinkOwner {
        let loop: EventLoop
        let link = Mutex<Link?>(nil)

        init() throws { loop = try EventLoop() }

        func connect(over socket: consuming Socket) -> Link {
            var configuration = ConnectionConfiguration(.client)
            configuration.receiveWindows = .fixed(1 << 20)
            let new = Link(
                LinkWire(socket), to: .ipv4Loopback(port: 1), times: ConnectionTimes(begun: .now),
                configuration, loop: loop, owner: self)
            link.withLock { $0 = new }
            return new
        }

        func start(_ observer: any CallObserver) -> CallCore {
            let call = CallCore(
                CallHead(
                    MethodSignature(
                        path: "/t.T/Download", shape: .serverStreaming, contentSubtype: nil),
                    CallOptions(), MessageLimits()),
                deadline: .never, backend: self, observer: observer)
            call.write(.whole([0, 0, 0, 0, 0]), andFinish: true)
            call.receiveNext()
            call.start()
            return call
        }

        func begin(_ call: CallCore) {
            var cache = RequestHeadCache()
            guard
                let prepared = try? cache.prepared(
                    for: call, defaultAuthority: "a", scheme: "http", userAgent: "test"),
                let link = link.withLock({ $0 }), link.open(call, prepared)
            else { return call.fail(RPCError(.unavailable, "no stream")) }
        }

        func forget(_ call: CallCore) {}
        func deadlineError(of call: CallCore) -> RPCError { RPCError(.deadlineExceeded, "late") }
        func linkIsReady(_ link: Link) {}
        func linkIsLeaving(_ link: Link, _ goAway: GoAwayFrame) {}
        func linkHasRoom(_ link: Link) {}
        func linkEnded(_ link: Link, _ error: LinkError) {}
    }

    /// Starts another call when it receives a message.
    private final class Observer: CallObserver {
        let client: Client
        let next = Mutex<CallCore?>(nil)
        let end = Mutex<RPCError?>(nil)

        init(_ client: Client) { self.client = client }

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

    /// The other end of the connection.
    private final class Server: Sendable {
        private let socket: Socket
        private let link: Link

        init(_ socket: consuming Socket, _ link: Link) {
            self.socket = socket
            self.link = link
        }

        func send(_ bytes: [UInt8]) throws {
            var list = GatherList()
            list.append(referencing: bytes)
            while !list.isEmpty { try #require(try socket.write(gathering: &list) != .wouldBlock) }
            link.ready(.readable, now: .now)
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
        let client = try Client()
        let (link, server) = try Socket.withPair { near, far in
            let link = client.connect(over: near)
            return (link, Server(far, link))
        }
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
