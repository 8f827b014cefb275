import Swiftlet
import SwiftletLoopback
import Synchronization
import Testing

/// Programs read streams, and make calls for the messages that they read, all on one channel. A
/// reader must never stop another stream.
@Suite("Many streams on one channel", .timeLimit(.minutes(10)), .serialized)
struct ManyReadersTests {
    private static let flood = Method<[UInt8], [UInt8]>(
        "/t.T/Flood", .serverStreaming, request: .bytes, reply: .bytes)
    private static let echo = Method<[UInt8], [UInt8]>(
        "/t.T/Echo", .unary, request: .bytes, reply: .bytes)
    private static let streamCount = 64

    /// A server and a channel to it, over TLS if `isSecure`.
    private static func connected(isSecure: Bool) throws -> (LoopbackServer, Channel) {
        let tls =
            isSecure
            ? ServerTLS(
                certificateChain: try SecureCallTests.pem("server.pem"),
                privateKey: try SecureCallTests.pem("server.key")) : nil
        let server = try LoopbackServer(tls: tls) { server in
            server.serverStreaming(flood) { _, replies, _ in
                let body = [UInt8](repeating: 7, count: 1_024)
                while true { try await replies.write(body) }
            }
            server.unary(echo) { request, _ in request }
        }
        var options = TLSOptions()
        options.rootCertificates = .text(try SecureCallTests.pem("ca.pem"))
        return (
            server, try Channel(server.target, credentials: isSecure ? .tls(options) : .insecure)
        )
    }

    /// Without TLS, and with it where OpenSSL is installed.
    private static let securities = TLSLibrary.isHere ? [false, true] : [false]

    @Test("without readers do not block other calls of the channel", arguments: securities)
    func unread(isSecure: Bool) async throws {
        let (server, channel) = try Self.connected(isSecure: isSecure)
        defer { server.shutdown() }
        var streams: [ResponseStream<[UInt8]>] = []
        for _ in 0..<Self.streamCount {
            let stream = try await channel.serverStreaming(Self.flood, [])
            // The window of the stream fills, because nothing is read after the headers.
            _ = try await stream.initialMetadata
            streams.append(stream)
        }
        for index in 0..<500 {
            let request = [UInt8](repeating: UInt8(index % 251), count: 2_048)
            try #require(try await channel.unary(Self.echo, request) == request)
        }
        for stream in streams { stream.cancel() }
    }

    @Test("whose readers make a call for each message continue", arguments: securities)
    func callsPerMessage(isSecure: Bool) async throws {
        let (server, channel) = try Self.connected(isSecure: isSecure)
        defer { server.shutdown() }
        try await withThrowingTaskGroup { group in
            for reader in 0..<Self.streamCount {
                group.addTask {
                    let stream = try await channel.serverStreaming(Self.flood, [])
                    var count = 0
                    for try await _ in stream {
                        let request = [UInt8](repeating: UInt8(reader), count: 1_024)
                        try #require(try await channel.unary(Self.echo, request) == request)
                        count += 1
                        if count == 100 { break }
                    }
                    stream.cancel()
                    try #require(count == 100)
                }
            }
            try await group.waitForAll()
        }
    }
}
