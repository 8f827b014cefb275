import SwiftletLoopback
import SwiftletTransport
import Synchronization
import Testing

@testable import SwiftletCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The backend of calls on one connection, whose server is the test. The connection reads only when
/// the test makes it read.
final class LinkClient: CallBackend, LinkOwner {
    let openCalls = CallRegistry()
    let loop: EventLoop
    let link = Mutex<Link?>(nil)

    init() throws { loop = try EventLoop() }

    func connect() throws -> (Link, LinkServer) {
        try Socket.withPair { near, far in connect(over: SocketPair(near: near, far: far)) }
    }

    func connect(over sockets: consuming SocketPair) -> (Link, LinkServer) {
        let link = connect(over: sockets.near)
        return (link, LinkServer(sockets.far, link))
    }

    private func connect(over socket: consuming Socket) -> Link {
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
    func linkHasRoom(_ link: any SubchannelLink) {}
    func linkEnded(_ link: any SubchannelLink, _ error: LinkError) {}
}

struct SocketPair: ~Copyable {
    let near: Socket
    let far: Socket

    /// Sockets on which each read gives what one write has sent.
    static func packets() throws -> SocketPair {
        var ends: [CInt] = [-1, -1]
        let type = CInt(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue)
        guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else {
            throw SystemError.current("socketpair")
        }
        // Room for some hundred packets.
        var byteCount: CInt = 1 << 20
        unsafe setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &byteCount, 4)
        return SocketPair(near: Socket(adopting: ends[0]), far: Socket(adopting: ends[1]))
    }
}

/// The other end of the connection of a ``LinkClient``.
final class LinkServer: Sendable {
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

    /// Sends what the socket accepts, without making the connection read.
    func write(_ bytes: [UInt8]) throws {
        var list = GatherList()
        list.append(referencing: bytes)
        try #require(try socket.write(gathering: &list) != .wouldBlock)
    }

    /// The types of the frames that the client has sent since the preface of its connection.
    func receivedTypes() throws -> [UInt8] {
        var buffer = ReceiveBuffer()
        while case .bytes = try buffer.read(from: socket) {}
        return buffer.withUnread { bytes in
            var types: [UInt8] = []
            var start = 24
            while let header = FrameHeader(decoding: bytes, at: start) {
                types.append(header.type.rawValue)
                start += FrameHeader.byteCount + header.payloadByteCount
            }
            return types
        }
    }
}
