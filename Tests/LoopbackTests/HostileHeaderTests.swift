import Swiftlet
import SwiftletLoopback
import Testing

@Suite("Headers that a server may not send", .timeLimit(.minutes(5)))
struct HostileHeaderTests {
    private static let type: RawHPACK.Field = ("content-type", "application/grpc")

    /// The initial headers of an otherwise complete response.
    private static let malformed: [(String, [RawHPACK.Field])] = [
        ("a capital in a name", [(":status", "200"), type, ("X-Upper", "1")]),
        (":status twice", [(":status", "200"), (":status", "200"), type]),
        ("no :status", [type]),
        ("an unknown pseudo-header", [(":status", "200"), (":foo", "1"), type]),
        ("a pseudo-header of requests", [(":status", "200"), (":path", "/"), type]),
        (":status behind a field", [type, (":status", "200")]),
        ("a :status of two digits", [(":status", "20"), type]),
        ("a :status of letters", [(":status", "abc"), type]),
        ("a :status below 100", [(":status", "099"), type]),
        ("a field of HTTP/1.1", [(":status", "200"), type, ("connection", "close")]),
        ("a transfer-encoding", [(":status", "200"), type, ("transfer-encoding", "chunked")]),
        ("an empty name", [(":status", "200"), type, ("", "1")]),
        ("a blank in a name", [(":status", "200"), type, ("a b", "1")]),
        ("a line feed in a value", [(":status", "200"), type, ("x", "1\n2")]),
        ("NUL in a value", [(":status", "200"), type, ("x", "1\u{0}2")]),
    ]

    private static let initial: [HostileCase] = malformed.map { name, fields in
        let block = RawHPACK.block(fields)
        return HostileCase(name, [13], .kept) { connection, stream in
            try connection.block(stream, block)
            try connection.message(stream, RawPeer.replyBody)
            try connection.trailers(stream)
        }
    }

    private static let trailing: [HostileCase] = [
        ("a :status in trailers", [(":status", "200"), ("grpc-status", "0")]),
        ("a capital in trailers", [("grpc-status", "0"), ("X-Upper", "1")]),
        ("a field of HTTP/1.1 in trailers", [("grpc-status", "0"), ("connection", "close")]),
    ].map { (name: String, fields: [RawHPACK.Field]) in
        let block = RawHPACK.block(fields)
        return HostileCase(name, [13], .kept) { connection, stream in
            try connection.headers(stream)
            try connection.message(stream, RawPeer.replyBody)
            try connection.block(stream, block, endStream: true)
        }
    }

    private static let order: [HostileCase] = [
        HostileCase("trailers that do not end the stream", [13], .kept) { connection, stream in
            try connection.headers(stream)
            try connection.message(stream, RawPeer.replyBody)
            try connection.headers(stream, [("grpc-status", "0")])
        },
        HostileCase("headers twice", [13], .kept) { connection, stream in
            try connection.headers(stream)
            try connection.headers(stream)
            try connection.message(stream, RawPeer.replyBody)
            try connection.trailers(stream)
        },
        HostileCase("a 1xx that ends the stream", [13], .kept) { connection, stream in
            try connection.headers(stream, [(":status", "100")], endStream: true)
        },
        HostileCase("less DATA than content-length says", [13], .kept) { connection, stream in
            try connection.headers(
                stream, RawConnection.responseFields + [("content-length", "9")])
            try connection.message(stream, RawPeer.replyBody)
            try connection.trailers(stream)
        },
        HostileCase("more DATA than content-length says", [13], .kept) { connection, stream in
            try connection.headers(
                stream, RawConnection.responseFields + [("content-length", "3")])
            try connection.message(stream, RawPeer.replyBody)
            try connection.trailers(stream)
        },
        HostileCase("DATA that ends the response", [2, 13], .kept) { connection, stream in
            try connection.headers(stream)
            try connection.data(
                stream, RawPrefixed.bytes(RawPeer.replyBody), endStream: true)
        },
    ]

    @Test("fail one call", arguments: initial + trailing + order)
    func refused(row: HostileCase) async throws { try await row.check() }

    private static let large: [HostileCase] = [
        // On the wire, each field fits into one frame. Decoded, every field counts 32 bytes more.
        HostileCase("a header list of 20 KiB", [8], .kept) { connection, stream in
            try connection.headers(
                stream, RawConnection.responseFields + (0..<550).map { ("x-\($0)", "1") })
            try connection.message(stream, RawPeer.replyBody)
            try connection.trailers(stream)
        },
        HostileCase("trailers of 20 KiB", [8], .kept) { connection, stream in
            try connection.headers(stream)
            try connection.message(stream, RawPeer.replyBody)
            try connection.trailers(
                stream, (0..<550).map { ("x-\($0)", "1") })
        },
    ]

    @Test("are refused for their size alone", arguments: large)
    func tooLarge(row: HostileCase) async throws { try await row.check() }

    private static let contentTypes: [(String, Set<Int>)] = [
        ("application/grpc", [0]), ("application/grpc+proto", [0]), ("application/grpc;a=b", [0]),
        ("application/GRPC", [0, 2]), ("application/grpc-web", [2]), ("application/grpcfoo", [2]),
        ("application/json", [2]), ("", [2]),
    ]

    @Test("show by their content type whether the answer is gRPC", arguments: contentTypes)
    func contentType(type: String, accepted: Set<Int>) async throws {
        try await HostileCase(type, accepted, .kept) { connection, stream in
            try connection.headers(stream, [(":status", "200"), ("content-type", type)])
            try connection.message(stream, RawPeer.replyBody)
            try connection.trailers(stream)
        }.check()
    }

    private static let statuses: [([String], Set<Int>)] = [
        (["0", "0"], [0, 2, 13]), (["0", "5"], [2, 13]), (["5", "0"], [2, 13]),
        (["5", "5"], [5, 2, 13]), ([""], [2]), (["-1"], [2]), (["+0"], [2]), (["00"], [0, 2]),
        (["99999999999999999999"], [2]), (["1 "], [1, 2, 13]),
    ]

    @Test("contain one status, which is a number", arguments: statuses)
    func status(values: [String], accepted: Set<Int>) async throws {
        try await HostileCase("\(values)", accepted, .kept) { connection, stream in
            try connection.headers(stream)
            try connection.message(stream, RawPeer.replyBody)
            try connection.headers(stream, values.map { ("grpc-status", $0) }, endStream: true)
        }.check()
    }

    @Test("may have spaces around values, which are removed")
    func blanks() async throws {
        let trial = try HostileTrial(
            RawScript { connection, stream in
                try connection.headers(
                    stream, RawConnection.responseFields + [("x-a", " \ta b "), ("x-b", " ")])
                try connection.message(stream, RawPeer.replyBody)
                try connection.trailers(stream)
            })
        let response = try await trial.channel.unaryResponse(HostileTrial.echo, [1])
        #expect(response.initialMetadata["x-a"] == "a b")
        #expect(response.initialMetadata["x-b"] == "")
    }

    @Test("keep all other fields when a value is not base64")
    func notBase64() async throws {
        let trial = try HostileTrial(
            RawScript { connection, stream in
                try connection.trailersOnly(
                    stream, status: "5",
                    [
                        ("grpc-status-details-bin", "***"), ("x-bin", "a*b"), ("x-bin", "AQI"),
                        ("y-bin", ""),
                    ])
            })
        let error = await #expect(throws: RPCError.self) {
            try await trial.channel.unary(HostileTrial.echo, [1])
        }
        #expect(error?.code == .notFound)
        #expect(error?.details == [])
        #expect(error?.metadata[all: "x-bin"] == [.text("a*b"), .bytes([1, 2])])
        #expect(error?.metadata["x-bin"] == "a*b")
        #expect(error?.metadata.bytes(for: "x-bin") == [1, 2])
        #expect(error?.metadata.bytes(for: "y-bin") == [])
    }
}
