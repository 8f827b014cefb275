import SwiftletTransport

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The client is gone, or the script is over: there is nobody left to talk to.
package struct RawPeerGone: Error {}

/// One connection of a raw peer: a blocking socket, used by its own thread. Only ``stop()`` may
/// come from another.
package final class RawConnection: Sendable {
    private let socket: Socket

    init(_ socket: consuming Socket) {
        // The thread has nothing else to do than to wait.
        let flags = fcntl(socket.descriptor, F_GETFL)
        _ = fcntl(socket.descriptor, F_SETFL, flags & ~O_NONBLOCK)
        self.socket = socket
    }

    /// Ends whatever the connection's thread waits for.
    func stop() { socket.stop() }

    package func send(_ octets: [UInt8]) throws(RawPeerGone) {
        var list = GatherList()
        list.append(referencing: octets)
        do throws(SystemError) {
            while !list.isEmpty { _ = try socket.write(gathering: &list) }
        } catch {
            throw RawPeerGone()
        }
    }

    /// At most so many octets, at least one.
    func receive(_ buffer: inout ReceiveBuffer) throws(RawPeerGone) {
        guard let outcome = try? buffer.read(from: socket), case .bytes = outcome else {
            throw RawPeerGone()
        }
    }

    /// Says that nothing more follows, as a server does that closes, and ends the script. What was
    /// sent before arrives: the socket is closed only when the client has closed its own.
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
    /// Neither reads nor writes until the client has gone or the peer is stopped.
    package func stall() throws(RawPeerGone) {
        var entry = pollfd(fd: socket.descriptor, events: 0, revents: 0)
        // Without events asked for it waits for the connection's end alone. `poll` writes into
        // the one entry that it is told of.
        repeat {} while unsafe poll(&entry, 1, -1) < 0 && errno == EINTR
        throw RawPeerGone()
    }
}

// MARK: - What servers say

extension RawConnection {
    package static let responseFields: [RawHPACK.Field] = [
        (":status", "200"), ("content-type", "application/grpc"),
    ]

    package func frame(
        _ type: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: [UInt8] = [],
        length: Int? = nil
    ) throws(RawPeerGone) {
        try send(RawFrame.octets(type, flags: flags, stream: stream, payload, length: length))
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
        _ stream: UInt32, _ octets: [UInt8], endStream: Bool = false
    ) throws(RawPeerGone) {
        try frame(
            RawFrame.data, flags: endStream ? RawFrame.endStream : 0, stream: stream, octets)
    }

    package func message(_ stream: UInt32, _ body: [UInt8]) throws(RawPeerGone) {
        try data(stream, RawPrefixed.octets(body))
    }

    package func trailers(
        _ stream: UInt32, status: String = "0", _ fields: [RawHPACK.Field] = []
    ) throws(RawPeerGone) {
        try headers(stream, [("grpc-status", status)] + fields, endStream: true)
    }

    /// A status without anything before it ("Trailers-Only").
    package func trailersOnly(
        _ stream: UInt32, status: String, _ fields: [RawHPACK.Field] = []
    ) throws(RawPeerGone) {
        try headers(
            stream, Self.responseFields + [("grpc-status", status)] + fields, endStream: true)
    }

    /// The answer that is right.
    package func reply(
        _ stream: UInt32, _ body: [UInt8] = RawPeer.replyBody
    ) throws(RawPeerGone) {
        try headers(stream)
        try message(stream, body)
        try trailers(stream)
    }
}
