import Foundation
import Swiftlet
import SwiftletLoopback
import Synchronization
import Testing

/// Large messages are read directly into their final memory. The result must not depend on how the
/// server splits them into frames, or on how many bytes each read returns.
@Suite("A large message", .timeLimit(.minutes(5)))
struct LargeMessageTests {
    private static let download = Method<[UInt8], [UInt8]>(
        "/t.T/Download", .serverStreaming, request: .bytes, reply: .bytes)

    private static func body(_ seed: Int, _ byteCount: Int) -> [UInt8] {
        var state = UInt32(truncatingIfNeeded: seed &* 2_654_435_761 | 1)
        return (0..<byteCount).map { _ in
            state ^= state << 13
            state ^= state >> 17
            state ^= state << 5
            return UInt8(truncatingIfNeeded: state)
        }
    }

    private static let bodies = [150_000, 5, 400_000, 70_000, 0, 65_536].enumerated().map {
        body($0.offset + 1, $0.element)
    }

    /// A way to cut messages into frames.
    enum Cutting: CaseIterable {
        /// Cuts each message separately, into frames of one size.
        case even
        /// Cuts all messages as one sequence of bytes, into frames of one size.
        case across
        case random
        /// Sends PINGs between the frames.
        case withPings
        /// Adds padding to some frames.
        case padded

        func frames(_ bodies: [[UInt8]], _ stream: UInt32) -> [[UInt8]] {
            switch self {
            case .even:
                return bodies.flatMap { cut(RawPrefixed.bytes($0), stream) { 16_384 } }
            case .across:
                return cut(bodies.flatMap { RawPrefixed.bytes($0) }, stream) { 16_384 }
            case .random:
                return cut(bodies.flatMap { RawPrefixed.bytes($0) }, stream) {
                    Bool.random() ? 16_384 : Int.random(in: 1...16_384)
                }
            case .withPings:
                let ping = RawFrame.bytes(RawFrame.ping, [1, 2, 3, 4, 5, 6, 7, 8])
                return bodies.flatMap { cut(RawPrefixed.bytes($0), stream) { 16_384 } }
                    .flatMap { Int.random(in: 0..<8) == 0 ? [$0, ping] : [$0] }
            case .padded:
                return bodies.flatMap { cut(RawPrefixed.bytes($0), stream) { 16_000 } }
                    .map { Int.random(in: 0..<8) == 0 ? pad($0, stream) : $0 }
            }
        }

        private func cut(
            _ bytes: [UInt8], _ stream: UInt32, _ size: () -> Int
        ) -> [[UInt8]] {
            var frames: [[UInt8]] = []
            var start = 0
            while start < bytes.count {
                let end = min(start + size(), bytes.count)
                frames.append(
                    RawFrame.bytes(RawFrame.data, stream: stream, Array(bytes[start..<end])))
                start = end
            }
            return frames
        }

        private func pad(_ frame: [UInt8], _ stream: UInt32) -> [UInt8] {
            RawFrame.bytes(
                RawFrame.data, flags: 8, stream: stream,
                [7] + frame.dropFirst(9) + Array(repeating: 0, count: 7))
        }
    }

    private static func channel(_ peer: RawPeer) throws -> Channel {
        var arguments = ChannelArguments()
        arguments.streamWindowByteCount = 1 << 30
        return try Channel(peer.target, credentials: .insecure, arguments: arguments)
    }

    @Test(
        "equals the message that the server sent", arguments: Cutting.allCases, [9_000, 1_000_003])
    func cut(_ cutting: Cutting, partByteCount: Int) async throws {
        let peer = try RawPeer(
            RawScript { connection, stream in
                try connection.headers(stream)
                try connection.sendInParts(
                    cutting.frames(Self.bodies, stream).flatMap(\.self), partByteCount)
                try connection.trailers(stream)
            })
        let channel = try Self.channel(peer)
        for _ in 0..<2 {
            var received: [[UInt8]] = []
            for try await message in try await channel.serverStreaming(Self.download, [1]) {
                received.append(message)
            }
            #expect(received == Self.bodies)
        }
        #expect(peer.connectionCount == 1)
    }

    @Test("is complete even if its frames alternate with those of another one")
    func interleaved() async throws {
        let first = Mutex<UInt32?>(nil)
        let peer = try RawPeer(
            RawScript { connection, stream in
                try connection.headers(stream)
                let other: UInt32? = first.withLock { first in
                    if first == nil {
                        first = stream
                        return nil
                    }
                    return first
                }
                guard let other else { return }
                let frames = Cutting.even.frames([Self.bodies[2]], stream)
                let others = Cutting.even.frames([Self.bodies[0], Self.bodies[2]], other)
                var bytes: [UInt8] = []
                for index in 0..<max(frames.count, others.count) {
                    if index < frames.count { bytes += frames[index] }
                    if index < others.count { bytes += others[index] }
                }
                try connection.sendInParts(bytes, 100_000)
                try connection.trailers(stream)
                try connection.trailers(other)
            })
        let channel = try Self.channel(peer)
        let one = try await channel.serverStreaming(Self.download, [1])
        let two = try await channel.serverStreaming(Self.download, [2])
        var received: [[UInt8]] = []
        for try await message in two { received.append(message) }
        #expect(received == [Self.bodies[2]])
        received = []
        for try await message in one { received.append(message) }
        #expect(received == [Self.bodies[0], Self.bodies[2]])
    }

    @Test("whose call was cancelled does not stop the others")
    func abandoned() async throws {
        let peer = try RawPeer(
            RawScript { connection, stream in
                try connection.headers(stream)
                let bytes = Cutting.even.frames([Self.bodies[2]], stream).flatMap(\.self)
                // Pauses in the middle of a frame, so that the client can cancel.
                try connection.send(Array(bytes[..<200_000]))
                Thread.sleep(forTimeInterval: 0.02)
                try connection.sendInParts(Array(bytes[200_000...]), 30_000)
                try connection.trailers(stream)
            })
        let channel = try Self.channel(peer)
        for round in 0..<10 {
            let stream = try await channel.serverStreaming(Self.download, [1])
            if round % 2 == 0 {
                _ = try await stream.initialMetadata
                stream.cancel()
            } else {
                var received: [[UInt8]] = []
                for try await message in stream { received.append(message) }
                #expect(received == [Self.bodies[2]])
            }
        }
        #expect(peer.connectionCount == 1)
    }

    private static let one = Method<[UInt8], [UInt8]>(
        "/t.T/Download", .unary, request: .bytes, reply: .bytes)

    /// A server that sends `count` messages to each call.
    private static func server(_ count: Int, of byteCount: Int) throws -> LoopbackServer {
        try LoopbackServer { server in
            server.serverStreaming(download) { _, replies, _ in
                for _ in 0..<count {
                    try await replies.write([UInt8](repeating: 7, count: byteCount))
                }
            }
        }
    }

    @Test(
        "that is the only response needs one update of its window", arguments: [100_000, 3_000_000])
    func onlyResponse(byteCount: Int) async throws {
        let server = try Self.server(1, of: byteCount)
        let updateCount = Mutex(0)
        var arguments = ChannelArguments()
        arguments.frameLog = FrameLog { line in
            if line.contains("→ WINDOW_UPDATE stream 1,") { updateCount.withLock { $0 += 1 } }
        }
        let channel = try Channel(server.target, credentials: .insecure, arguments: arguments)
        #expect(try await channel.unary(Self.one, [1]).count == byteCount)
        await channel.close()
        #expect(updateCount.withLock { $0 } == 1)
    }

    @Test("that is not the only response fails the call", arguments: [65_530, 65_531, 400_000])
    func secondResponse(byteCount: Int) async throws {
        let server = try Self.server(2, of: byteCount)
        let channel = try Channel(server.target, credentials: .insecure)
        let error = await #expect(throws: RPCError.self) {
            _ = try await channel.unary(Self.one, [1])
        }
        #expect(error?.code == .unimplemented)
    }

    @Test("that is cut off is not delivered")
    func brokenOff() async throws {
        let peer = try RawPeer(
            RawScript { connection, stream in
                try connection.headers(stream)
                let bytes = Cutting.even.frames([Self.bodies[2]], stream).flatMap(\.self)
                try connection.sendInParts(Array(bytes[..<300_000]), 60_000)
                try connection.close()
            })
        let channel = try Self.channel(peer)
        let stream = try await channel.serverStreaming(Self.download, [1])
        var received = 0
        let error = await #expect(throws: RPCError.self) {
            for try await _ in stream { received += 1 }
        }
        #expect(received == 0)
        #expect(error?.code == .unavailable)
    }
}

extension RawConnection {
    fileprivate func sendInParts(_ bytes: [UInt8], _ byteCount: Int) throws(RawPeerGone) {
        for start in stride(from: 0, to: bytes.count, by: byteCount) {
            try send(Array(bytes[start..<min(start + byteCount, bytes.count)]))
        }
    }
}
