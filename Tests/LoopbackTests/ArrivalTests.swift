import Foundation
import Swiftlet
import SwiftletLoopback
import SwiftletStyles
import Synchronization
import Testing

/// Events of one read are delivered together, and events of several reads one by one. The outcome of a
/// call must not depend on how many reads its response takes.
@Suite("A response", .timeLimit(.minutes(5)))
struct ArrivalTests {
    struct Answer: CustomTestStringConvertible {
        var testDescription: String
        /// The expected outcomes, as text, of a unary and of a server-streaming call.
        var unary: String
        var stream: String
        var frames: @Sendable (_ stream: UInt32) -> [[UInt8]]

        init(
            _ name: String, unary: String, stream: String,
            _ frames: @escaping @Sendable (UInt32) -> [[UInt8]]
        ) {
            testDescription = name
            self.unary = unary
            self.stream = stream
            self.frames = frames
        }
    }

    private static func headers(
        _ stream: UInt32, _ fields: [RawHPACK.Field], ends: Bool = false
    ) -> [UInt8] {
        RawFrame.bytes(
            RawFrame.headers, flags: RawFrame.endHeaders | (ends ? RawFrame.endStream : 0),
            stream: stream, RawHPACK.block(fields))
    }

    private static func initial(_ stream: UInt32, _ fields: [RawHPACK.Field] = []) -> [UInt8] {
        headers(stream, RawConnection.responseFields + fields)
    }

    private static func data(_ stream: UInt32, _ bytes: [UInt8], ends: Bool = false) -> [UInt8] {
        RawFrame.bytes(
            RawFrame.data, flags: ends ? RawFrame.endStream : 0, stream: stream, bytes)
    }

    private static func trailers(
        _ stream: UInt32, _ status: String = "0", _ fields: [RawHPACK.Field] = []
    ) -> [UInt8] {
        headers(stream, [("grpc-status", status)] + fields, ends: true)
    }

    private static let one = RawPrefixed.bytes([1, 2, 3])

    static let answers = [
        Answer(
            "with one message",
            unary: "[1, 2, 3] [a: 1] []",
            stream: "[[1, 2, 3]]"
        ) { [initial($0, [("a", "1")]), data($0, one), trailers($0)] },
        Answer(
            "with metadata behind it",
            unary: "[1, 2, 3] [] [b: 2]",
            stream: "[[1, 2, 3]]"
        ) {
            [initial($0), data($0, one), trailers($0, "0", [("b", "2")])]
        },
        Answer(
            "with a message in three frames",
            unary: "[7, 8, 9] [] []",
            stream: "[[7, 8, 9]]"
        ) {
            [
                initial($0), data($0, [0, 0]), data($0, [0, 0, 3, 7]), data($0, [8, 9]),
                trailers($0),
            ]
        },
        Answer(
            "without a message",
            unary:
                "UNIMPLEMENTED: the server ended the call with OK without sending a message [] []",
            stream: "[]"
        ) { [initial($0), trailers($0)] },
        Answer(
            "with two messages",
            unary: "UNIMPLEMENTED: the server sent more than one message [] []",
            stream: "[[1, 2, 3], [1, 2, 3]]"
        ) { [initial($0), data($0, one + one), trailers($0)] },
        Answer(
            "with two messages in two frames",
            unary: "UNIMPLEMENTED: the server sent more than one message [] []",
            stream: "[[1, 2, 3], [1, 2, 3]]"
        ) {
            [initial($0), data($0, one), data($0, one), trailers($0)]
        },
        Answer(
            "with a message and an error",
            unary: "FAILED_PRECONDITION: no [] []",
            stream: "[[1, 2, 3]] FAILED_PRECONDITION: no []"
        ) {
            [initial($0), data($0, one), trailers($0, "9", [("grpc-message", "no")])]
        },
        Answer(
            "that is an error alone",
            unary: "NOT_FOUND:  [] [c: 3]",
            stream: "[] NOT_FOUND:  [c: 3]"
        ) {
            [
                headers(
                    $0, RawConnection.responseFields + [("grpc-status", "5"), ("c", "3")],
                    ends: true)
            ]
        },
        Answer(
            "that ends inside a message",
            unary: "INTERNAL: the response ended inside a message [] []",
            stream: "[] INTERNAL: the response ended inside a message []"
        ) {
            [initial($0), data($0, [0, 0, 0, 0, 9, 1]), trailers($0)]
        },
        Answer(
            "that ends without trailers",
            unary: "UNKNOWN: the server ended the call without a grpc-status [] []",
            stream: "[[1, 2, 3]] UNKNOWN: the server ended the call without a grpc-status []"
        ) { [initial($0), data($0, one, ends: true)] },
        Answer(
            "with a flag that is none",
            unary:
                "INTERNAL: the server sent a message with the compressed flag 7 (expected 0 or 1) [] []",
            stream:
                "[] INTERNAL: the server sent a message with the compressed flag 7 (expected 0 or 1) []"
        ) {
            [initial($0), data($0, [7, 0, 0, 0, 0]), trailers($0)]
        },
        Answer(
            "that is reset behind its message",
            unary: "CANCELLED: the server reset the stream with CANCEL [] []",
            stream: "[[1, 2, 3]] CANCELLED: the server reset the stream with CANCEL []"
        ) {
            [initial($0), data($0, one), RawFrame.reset($0, 8)]
        },
        Answer(
            "of another content type",
            unary: "UNKNOWN: the response is not gRPC: HTTP 200, content-type text/html [] []",
            stream: "[] UNKNOWN: the response is not gRPC: HTTP 200, content-type text/html []"
        ) {
            [
                headers($0, [(":status", "200"), ("content-type", "text/html")]),
                data($0, [1, 2, 3]), trailers($0),
            ]
        },
        Answer(
            "compressed with an unknown algorithm",
            unary:
                "INTERNAL: the server compressed the response with 'sparkle', which this client does not support (it accepts \(CompressionAlgorithm.accepted)) [] []",
            stream:
                "[] INTERNAL: the server compressed the response with 'sparkle', which this client does not support (it accepts \(CompressionAlgorithm.accepted)) []"
        ) {
            [initial($0, [("grpc-encoding", "sparkle")]), data($0, one), trailers($0)]
        },
    ]

    /// How the bytes of an answer reach the client.
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
                let bytes = frames.flatMap(\.self)
                for start in stride(from: 0, to: bytes.count, by: 11) {
                    try connection.send(Array(bytes[start..<min(start + 11, bytes.count)]))
                    Thread.sleep(forTimeInterval: 0.000_2)
                }
            }
        }
        return try RawPeer(script)
    }

    private static let unary = Method<[UInt8], [UInt8]>(
        "/t.T/Unary", .unary, request: .bytes, reply: .bytes)
    private static let stream = Method<[UInt8], [UInt8]>(
        "/t.T/Stream", .serverStreaming, request: .bytes, reply: .bytes)

    private static func words(_ result: Result<Response<[UInt8]>, RPCError>) -> String {
        switch result {
        case .success(let response):
            "\(response.message) \(response.initialMetadata) \(response.trailingMetadata)"
        case .failure(let error):
            "\(error.code): \(error.message) \(error.initialMetadata) \(error.metadata)"
        }
    }

    /// The outcomes of calls with each API: async unary, unary with a handler, blocking unary, stream.
    private static func outcomes(_ channel: Channel) async throws -> [String] {
        let options = CallOptions.with { $0.timeout = .seconds(120) }
        var words: [String] = []
        do throws(RPCError) {
            words.append(
                Self.words(.success(try await channel.unaryResponse(unary, [0], options: options))))
        } catch {
            words.append(Self.words(.failure(error)))
        }
        let handled: Result<Response<[UInt8]>, RPCError> = await withCheckedContinuation { waiter in
            do throws(RPCError) {
                try channel.startUnary(unary, [0], options: options) {
                    waiter.resume(returning: $0)
                }
            } catch {
                waiter.resume(returning: .failure(error))
            }
        }
        words.append(Self.words(handled))
        let blocking = try await onThread {
            Result { () throws(RPCError) in try channel.blockingUnary(unary, [0], options: options)
            }
        }
        words.append(Self.words(blocking))
        var messages: [[UInt8]] = []
        do throws(RPCError) {
            for try await message in try await channel.serverStreaming(
                stream, [0], options: options)
            {
                messages.append(message)
            }
            words.append("\(messages)")
        } catch {
            words.append("\(messages) \(error.code): \(error.message) \(error.metadata)")
        }
        return words
    }

    @Test("has the same outcome, however it is split", arguments: answers)
    func cut(_ answer: Answer) async throws {
        let wanted = [answer.unary, answer.unary, answer.unary, answer.stream]
        for way in Way.allCases {
            let peer = try Self.peer(answer, way)
            let channel = try Channel(peer.target, credentials: .insecure)
            // Repeated, because the client does not decode equal header blocks again.
            for _ in 0..<3 {
                let outcomes = try await Self.outcomes(channel)
                #expect(outcomes == wanted, "\(way)")
            }
            #expect(peer.connectionCount == 1)
        }
    }

    @Test("may come in frames as large as the SETTINGS_MAX_FRAME_SIZE of the client")
    func largeFrames() async throws {
        let body = [UInt8](repeating: 5, count: 700_000)
        let peer = try RawPeer(RawScript { try $0.reply($1, body) })
        var arguments = ChannelArguments()
        arguments.maxFrameByteCount = 1 << 20
        arguments.streamWindowByteCount = 4 << 20
        let channel = try Channel(peer.target, credentials: .insecure, arguments: arguments)
        for _ in 0..<2 { #expect(try await channel.unary(HostileTrial.echo, [1]) == body) }
        #expect(peer.connectionCount == 1)
    }
}
