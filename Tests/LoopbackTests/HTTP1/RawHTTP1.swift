import Foundation
import SwiftletLoopback
import SwiftletTransport
import Synchronization

/// A server whose answers of HTTP/1.1 are written by hand.
final class RawHTTP1: Sendable {
    /// Returns the bytes to send in answer to a request, and whether to close then. Nil closes at
    /// once.
    typealias Answer =
        @Sendable (_ connection: Int, _ request: Int) -> (text: String, closes: Bool)?

    private let peer: RawPeer
    private let log: Requests
    private let ended: AsyncStream<Void>

    init(_ answer: @escaping Answer) throws {
        let log = Requests()
        let (ended, continuation) = AsyncStream.makeStream(of: Void.self)
        self.ended = ended
        let script = RawScript(opening: { connection in
            let index = log.connectionCount.wrappingAdd(1, ordering: .relaxed).newValue
            defer { continuation.yield() }
            var buffer = ReceiveBuffer()
            for request in 1... {
                let (text, host) = try Self.readRequest(connection, &buffer)
                log.append(text, host: host)
                guard let (text, closes) = answer(index, request) else { throw CancellationError() }
                try connection.send(Array(text.replacingOccurrences(of: "\n", with: "\r\n").utf8))
                if closes { throw CancellationError() }
            }
        })
        self.log = log
        peer = try RawPeer(script)
    }

    private final class Requests: Sendable {
        let connectionCount = Atomic(0)
        private let texts = Mutex<[String]>([])
        private let hosts = Mutex<[String?]>([])
        func append(_ text: String, host: String?) {
            texts.withLock { $0.append(text) }
            hosts.withLock { $0.append(host) }
        }
        var all: [String] { texts.withLock { $0 } }
        var allHosts: [String?] { hosts.withLock { $0 } }
    }

    var target: String { peer.target }
    var connectionCount: Int { peer.connectionCount }
    /// The first line of each request, and its body.
    var requestTexts: [String] { log.all }
    /// The `host` field of each request; nil if it has none.
    var requestHosts: [String?] { log.allHosts }

    /// Waits until a connection has ended.
    func connectionEnded() async {
        for await _ in ended.prefix(1) {}
    }

    private static func readRequest(
        _ connection: RawConnection, _ buffer: inout ReceiveBuffer
    ) throws -> (text: String, host: String?) {
        while true {
            let text = buffer.withUnread { String(decoding: [UInt8](copying: $0), as: UTF8.self) }
            if let end = text.range(of: "\r\n\r\n") {
                let head = text[..<end.lowerBound].split(separator: "\r\n")
                let length = head.first { $0.hasPrefix("content-length: ") }
                let byteCount = length.flatMap { Int($0.dropFirst(16)) } ?? 0
                let body = text[end.upperBound...]
                if body.utf8.count >= byteCount {
                    buffer.consume(text.utf8.count)
                    let host = head.first { $0.hasPrefix("host: ") }?.dropFirst(6)
                    return ("\(head[0])|\(body)", host.map(String.init))
                }
            }
            try connection.receive(&buffer)
        }
    }
}
