import Foundation
import Swiftlet
import SwiftletLoopback
import Synchronization
import Testing

/// What comes in one read is told in one go, and what comes in many is told piece by piece. Which
/// of the two it was, nobody may see from what a call comes to.
@Suite("A response", .timeLimit(.minutes(1)))
struct ArrivalTests {
    struct Answer: CustomTestStringConvertible {
        var testDescription: String
        var frames: @Sendable (_ stream: UInt32) -> [[UInt8]]

        init(_ name: String, _ frames: @escaping @Sendable (UInt32) -> [[UInt8]]) {
            testDescription = name
            self.frames = frames
        }
    }

    private static func headers(
        _ stream: UInt32, _ fields: [RawHPACK.Field], ends: Bool = false
    ) -> [UInt8] {
        RawFrame.octets(
            RawFrame.headers, flags: RawFrame.endHeaders | (ends ? RawFrame.endStream : 0),
            stream: stream, RawHPACK.block(fields))
    }

    private static func initial(_ stream: UInt32, _ fields: [RawHPACK.Field] = []) -> [UInt8] {
        headers(stream, RawConnection.responseFields + fields)
    }

    private static func data(_ stream: UInt32, _ octets: [UInt8], ends: Bool = false) -> [UInt8] {
        RawFrame.octets(
            RawFrame.data, flags: ends ? RawFrame.endStream : 0, stream: stream, octets)
    }

    private static func trailers(
        _ stream: UInt32, _ status: String = "0", _ fields: [RawHPACK.Field] = []
    ) -> [UInt8] {
        headers(stream, [("grpc-status", status)] + fields, ends: true)
    }

    private static let one = RawPrefixed.octets([1, 2, 3])

    static let answers = [
        Answer("with one message") { [initial($0, [("a", "1")]), data($0, one), trailers($0)] },
        Answer("with metadata behind it") {
            [initial($0), data($0, one), trailers($0, "0", [("b", "2")])]
        },
        Answer("with a message in three frames") {
            [
                initial($0), data($0, [0, 0]), data($0, [0, 0, 3, 7]), data($0, [8, 9]),
                trailers($0),
            ]
        },
        Answer("without a message") { [initial($0), trailers($0)] },
        Answer("with two messages") { [initial($0), data($0, one + one), trailers($0)] },
        Answer("with two messages in two frames") {
            [initial($0), data($0, one), data($0, one), trailers($0)]
        },
        Answer("with a message and an error") {
            [initial($0), data($0, one), trailers($0, "9", [("grpc-message", "no")])]
        },
        Answer("that is an error alone") {
            [
                headers(
                    $0, RawConnection.responseFields + [("grpc-status", "5"), ("c", "3")],
                    ends: true)
            ]
        },
        Answer("that ends inside a message") {
            [initial($0), data($0, [0, 0, 0, 0, 9, 1]), trailers($0)]
        },
        Answer("that ends without trailers") { [initial($0), data($0, one, ends: true)] },
        Answer("with a flag that is none") {
            [initial($0), data($0, [7, 0, 0, 0, 0]), trailers($0)]
        },
        Answer("that is reset behind its message") {
            [initial($0), data($0, one), RawFrame.reset($0, 8)]
        },
        Answer("of another content type") {
            [
                headers($0, [(":status", "200"), ("content-type", "text/html")]),
                data($0, [1, 2, 3]), trailers($0),
            ]
        },
        Answer("compressed in a way that nobody knows") {
            [initial($0, [("grpc-encoding", "sparkle")]), data($0, one), trailers($0)]
        },
    ]

    /// How the octets of an answer reach the client.
    enum Way: CaseIterable {
        case whole, byFrame, byPart
    }

    private static func peer(_ answer: Answer, _ way: Way) throws -> RawPeer {
        let script = RawScript { connection, stream in
            let frames = answer.frames(stream)
            switch way {
            case .whole: try connection.send(frames.flatMap(\.self))
            case .byFrame:
                for frame in frames {
                    try connection.send(frame)
                    Thread.sleep(forTimeInterval: 0.001)
                }
            case .byPart:
                let octets = frames.flatMap(\.self)
                for start in stride(from: 0, to: octets.count, by: 11) {
                    try connection.send(Array(octets[start..<min(start + 11, octets.count)]))
                    Thread.sleep(forTimeInterval: 0.000_2)
                }
            }
        }
        return try RawPeer(script)
    }

    private static let unary = Method<[UInt8], [UInt8]>(
        "/t.T/Unary", .unary, request: .octets, reply: .octets)
    private static let stream = Method<[UInt8], [UInt8]>(
        "/t.T/Stream", .serverStreaming, request: .octets, reply: .octets)

    private static func words(_ result: Result<Response<[UInt8]>, RPCError>) -> String {
        switch result {
        case .success(let response):
            "\(response.message) \(response.initialMetadata) \(response.trailingMetadata)"
        case .failure(let error):
            "\(error.code): \(error.message) \(error.initialMetadata) \(error.metadata)"
        }
    }

    /// What each face of a call makes of the answer.
    private static func outcomes(_ channel: Channel) async throws -> [String] {
        let options = CallOptions.with { $0.timeout = .seconds(10) }
        var words: [String] = []
        do throws(RPCError) {
            words.append(Self.words(.success(try await channel.unaryResponse(unary, [0], options))))
        } catch {
            words.append(Self.words(.failure(error)))
        }
        let handled: Result<Response<[UInt8]>, RPCError> = await withCheckedContinuation { waiter in
            do throws(RPCError) {
                try channel.unary(unary, [0], options) { waiter.resume(returning: $0) }
            } catch {
                waiter.resume(returning: .failure(error))
            }
        }
        words.append(Self.words(handled))
        let blocking = try await onThread {
            Result { () throws(RPCError) in try channel.blockingUnary(unary, [0], options) }
        }
        words.append(Self.words(blocking))
        var messages: [[UInt8]] = []
        do throws(RPCError) {
            for try await message in try await channel.serverStreaming(stream, [0], options) {
                messages.append(message)
            }
            words.append("\(messages)")
        } catch {
            words.append("\(messages) \(error.code): \(error.message) \(error.metadata)")
        }
        return words
    }

    @Test("comes to the same however it is cut", arguments: answers)
    func cut(_ answer: Answer) async throws {
        var seen: [Way: [String]] = [:]
        for way in Way.allCases {
            let peer = try Self.peer(answer, way)
            let channel = try Channel(peer.target)
            // Headers that come again are not decoded again.
            for _ in 0..<3 {
                let outcomes = try await Self.outcomes(channel)
                #expect(Set(outcomes.prefix(3)).count == 1, "the faces do not agree: \(outcomes)")
                #expect(seen[way] == nil || seen[way] == outcomes)
                seen[way] = outcomes
            }
            #expect(peer.connectionCount == 1)
        }
        #expect(seen[.byFrame] == seen[.whole])
        #expect(seen[.byPart] == seen[.whole])
    }

    @Test("may come in frames as large as the server was told they may be")
    func largeFrames() async throws {
        let body = [UInt8](repeating: 5, count: 700_000)
        let peer = try RawPeer(RawScript { try $0.reply($1, body) })
        var arguments = ChannelArguments()
        arguments.maxFrameByteCount = 1 << 20
        arguments.streamWindowByteCount = 4 << 20
        let channel = try Channel(peer.target, arguments: arguments)
        for _ in 0..<2 { #expect(try await channel.unary(HostileTrial.echo, [1]) == body) }
        #expect(peer.connectionCount == 1)
    }
}
