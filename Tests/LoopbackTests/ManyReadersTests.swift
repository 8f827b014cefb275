import Swiftlet
import SwiftletLoopback
import Synchronization
import Testing

/// Programs read streams and make calls for what they read, all on one channel. No reader may stop
/// another stream, whatever it does.
@Suite("Many streams on one channel", .timeLimit(.minutes(10)), .serialized)
struct ManyReadersTests {
    private static let flood = Method<[UInt8], [UInt8]>(
        "/t.T/Flood", .serverStreaming, request: .bytes, reply: .bytes)
    private static let echo = Method<[UInt8], [UInt8]>(
        "/t.T/Echo", .unary, request: .bytes, reply: .bytes)
    private static let streamCount = 64

    private static func server() throws -> LoopbackServer {
        try LoopbackServer { server in
            server.serverStreaming(flood) { _, replies, _ in
                let body = [UInt8](repeating: 7, count: 1_024)
                while true { try await replies.write(body) }
            }
            server.unary(echo) { request, _ in request }
        }
    }

    @Test("that nobody reads leave calls beside them undisturbed")
    func unread() async throws {
        let server = try Self.server()
        let channel = try server.makeChannel()
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

    @Test("whose readers make a call for each message go on")
    func callsPerMessage() async throws {
        let server = try Self.server()
        let channel = try server.makeChannel()
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
