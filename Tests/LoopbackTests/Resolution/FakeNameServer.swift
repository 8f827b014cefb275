import Foundation
import Synchronization

@testable import SwiftletTransport

/// A name server on this machine, over UDP and TCP on the same port.
final class FakeNameServer: Sendable {
    /// Returns the messages to send to a query, in order.
    typealias Answer = @Sendable (_ query: [UInt8], _ isTCP: Bool) -> [[UInt8]]

    let address: SocketAddress
    private let datagrams: CInt
    private let listener: CInt
    private let isOver = Mutex(false)

    struct StartFailure: Error {}

    init(_ answer: @escaping Answer) throws {
        for _ in 0..<100 {
            let datagrams = socket(AF_INET, Self.datagramType, 0)
            let stream = socket(AF_INET, Self.streamType, 0)
            if let address = Self.bind(datagrams, .ipv4Loopback(port: 0)),
                Self.bind(stream, address) != nil, listen(stream, 8) == 0
            {
                (self.address, self.datagrams, listener) = (address, datagrams, stream)
                Foundation.Thread { [self] in serveDatagrams(answer) }.start()
                Foundation.Thread { [self] in serveStreams(answer) }.start()
                return
            }
            close(datagrams)
            close(stream)
        }
        throw StartFailure()
    }

    #if canImport(Darwin)
        private static let datagramType = SOCK_DGRAM
        private static let streamType = SOCK_STREAM
        private static let sendFlags: CInt = 0
    #else
        private static let datagramType = CInt(SOCK_DGRAM.rawValue)
        private static let streamType = CInt(SOCK_STREAM.rawValue)
        private static let sendFlags = CInt(MSG_NOSIGNAL)
    #endif

    /// Ends both threads, which close their sockets.
    func stop() {
        isOver.withLock { $0 = true }
        // Ends the calls that block, on Linux.
        shutdown(datagrams, CInt(SHUT_RDWR))
        shutdown(listener, CInt(SHUT_RDWR))
    }

    private static func bind(_ descriptor: CInt, _ address: SocketAddress) -> SocketAddress? {
        let status = try? unsafe address.withSystemAddress(for: "bind") {
            unsafe Foundation.bind(descriptor, $0, $1)
        }
        guard status == 0 else { return nil }
        return try? unsafe SocketAddress.read("getsockname") {
            unsafe getsockname(descriptor, $0, $1)
        }
    }

    private func serveDatagrams(_ answer: Answer) {
        defer { close(datagrams) }
        while !isOver.withLock({ $0 }) {
            var bytes = [UInt8](repeating: 0, count: 4_096)
            var count = 0
            let peer = try? unsafe SocketAddress.read("recvfrom") { pointer, length in
                count = unsafe recvfrom(datagrams, &bytes, bytes.count, 0, pointer, length)
                return count < 0 ? -1 : 0
            }
            guard let peer, count > 0 else { continue }
            for message in answer(Array(bytes[..<count]), false) {
                _ = try? unsafe peer.withSystemAddress(for: "sendto") { pointer, length in
                    unsafe sendto(datagrams, message, message.count, 0, pointer, length)
                }
            }
        }
    }

    private func serveStreams(_ answer: Answer) {
        defer { close(listener) }
        while !isOver.withLock({ $0 }) {
            let client = accept(listener, nil, nil)
            guard client >= 0 else { continue }
            var bytes = [UInt8](repeating: 0, count: 4_096)
            let count = unsafe recv(client, &bytes, bytes.count, 0)
            if count > 2 {
                for message in answer(Array(bytes[2..<count]), true) {
                    let framed = [UInt8(message.count >> 8), UInt8(message.count & 0xff)] + message
                    var rest = framed[...]
                    while !rest.isEmpty {
                        let sent = unsafe rest.withUnsafeBytes {
                            unsafe send(
                                client, $0.baseAddress, $0.count, Self.sendFlags)
                        }
                        guard sent > 0 else { break }
                        rest = rest.dropFirst(sent)
                    }
                }
            }
            close(client)
        }
    }
}

/// Messages of a name server.
enum DNSMessages {
    /// The answer to a query, with a TXT record for each text.
    static func answer(
        to query: [UInt8], flags: UInt16 = 0x8180, recordCount: Int? = nil, texts: [String] = []
    ) -> [UInt8] {
        var bytes = query
        bytes[2] = UInt8(flags >> 8)
        bytes[3] = UInt8(flags & 0xff)
        bytes[7] = UInt8(recordCount ?? texts.count)
        for text in texts {
            var content: [UInt8] = []
            var rest = Array(text.utf8)[...]
            repeat {
                let part = rest.prefix(255)
                content += [UInt8(part.count)] + part
                rest = rest.dropFirst(255)
            } while !rest.isEmpty
            bytes += [0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 60]
            bytes += [UInt8(content.count >> 8), UInt8(content.count & 0xff)] + content
        }
        return bytes
    }
}
