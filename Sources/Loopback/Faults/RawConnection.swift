package import SwiftletTransport
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The client has closed the connection, or the script has ended.
package struct RawPeerGone: Error {}

/// One connection of a raw peer or a raw client: a blocking socket that one thread uses. Other threads may
/// call only ``stop()``.
package final class RawConnection: Sendable {
    private let socket: Socket
    /// Nil without TLS.
    private let secure: Mutex<RawSecureLayer?>

    init(_ socket: consuming Socket, _ session: OpenSSLSession? = nil) {
        // The thread serves only this socket, so it may block.
        let flags = fcntl(socket.descriptor, F_GETFL)
        _ = fcntl(socket.descriptor, F_SETFL, flags & ~O_NONBLOCK)
        self.socket = socket
        secure = Mutex(session.map { RawSecureLayer($0) })
    }

    /// Wakes the thread of the connection. Its reads and writes then fail.
    func stop() { socket.stop() }

    package func send(_ bytes: [UInt8]) throws(RawPeerGone) {
        var list = GatherList()
        list.append(referencing: bytes)
        try send(&list)
    }

    /// Performs the TLS handshake, if the connection uses TLS.
    func begin() throws(RawPeerGone) {
        try secure.withLock { secure throws(RawPeerGone) in try secure?.handshake(over: self) }
    }

    /// Sends `count` key updates of TLS 1.3. They contain no application data.
    package func updateKeys(times count: Int) throws(RawPeerGone) {
        var list = GatherList()
        try secure.withLock { secure throws(RawPeerGone) in
            for _ in 0..<count { try secure?.updateKeys(sending: &list) }
        }
        try write(&list)
    }

    /// Sends all of `list` and empties it.
    package func send(_ list: inout GatherList) throws(RawPeerGone) {
        try secure.withLock { secure throws(RawPeerGone) in try secure?.encrypt(&list) }
        try write(&list)
    }

    /// Writes to the socket directly, without TLS.
    func write(_ list: inout GatherList) throws(RawPeerGone) {
        do throws(SystemError) {
            while !list.isEmpty { _ = try socket.write(gathering: &list) }
        } catch {
            throw RawPeerGone()
        }
    }

    /// Appends at least one byte to `buffer`.
    package func receive(_ buffer: inout ReceiveBuffer) throws(RawPeerGone) {
        let isDone = try secure.withLock { secure throws(RawPeerGone) in
            guard secure != nil else { return false }
            try secure?.receive(&buffer, over: self)
            return true
        }
        if !isDone { try receiveFromSocket(&buffer) }
    }

    func receiveFromSocket(_ buffer: inout ReceiveBuffer) throws(RawPeerGone) {
        guard let outcome = try? buffer.read(from: socket), case .bytes = outcome else {
            throw RawPeerGone()
        }
    }

    /// Closes the sending direction. Then reads until the client closes, so that earlier bytes are delivered.
    /// Always throws, which ends the script.
    package func close() throws(RawPeerGone) {
        try? socket.endWriting()
        var buffer = ReceiveBuffer()
        while true {
            buffer.consume(buffer.count)
            try receive(&buffer)
        }
    }
}

extension RawConnection {
    /// Neither reads nor writes until the client resets the connection or the peer stops. Does not notice a
    /// client that only closes the connection.
    package func stall() throws(RawPeerGone) {
        var entry = pollfd(fd: socket.descriptor, events: 0, revents: 0)
        // Without events, `poll` waits only for the end of the connection. It writes into the one entry that
        // is passed.
        repeat {} while unsafe poll(&entry, 1, -1) < 0 && errno == EINTR
        throw RawPeerGone()
    }
}

// MARK: - Frames of a server

extension RawConnection {
    package static let responseFields: [RawHPACK.Field] = [
        (":status", "200"), ("content-type", "application/grpc"),
    ]

    package func frame(
        _ type: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: [UInt8] = [],
        length: Int? = nil
    ) throws(RawPeerGone) {
        try send(RawFrame.bytes(type, flags: flags, stream: stream, payload, length: length))
    }

    package func headers(
        _ stream: UInt32, _ fields: [RawHPACK.Field] = responseFields, endStream: Bool = false
    ) throws(RawPeerGone) {
        try block(stream, RawHPACK.block(fields), endStream: endStream)
    }

    package func block(
        _ stream: UInt32, _ block: [UInt8], endStream: Bool = false
    ) throws(RawPeerGone) {
        try frame(
            RawFrame.headers, flags: RawFrame.endHeaders | (endStream ? RawFrame.endStream : 0),
            stream: stream, block)
    }

    package func data(
        _ stream: UInt32, _ bytes: [UInt8], endStream: Bool = false
    ) throws(RawPeerGone) {
        try frame(
            RawFrame.data, flags: endStream ? RawFrame.endStream : 0, stream: stream, bytes)
    }

    package func message(_ stream: UInt32, _ body: [UInt8]) throws(RawPeerGone) {
        try data(stream, RawPrefixed.bytes(body))
    }

    package func trailers(
        _ stream: UInt32, status: String = "0", _ fields: [RawHPACK.Field] = []
    ) throws(RawPeerGone) {
        try headers(stream, [("grpc-status", status)] + fields, endStream: true)
    }

    /// A status without headers and messages ("Trailers-Only").
    package func trailersOnly(
        _ stream: UInt32, status: String, _ fields: [RawHPACK.Field] = []
    ) throws(RawPeerGone) {
        try headers(
            stream, Self.responseFields + [("grpc-status", status)] + fields, endStream: true)
    }

    /// A correct answer.
    package func reply(
        _ stream: UInt32, _ body: [UInt8] = RawPeer.replyBody
    ) throws(RawPeerGone) {
        try headers(stream)
        try message(stream, body)
        try trailers(stream)
    }
}
