// Violations within one call.

extension Misbehaviour {
    var headerScript: RawScript? {
        switch self {
        case .headerBinUnpadded:
            return RawScript { connection, stream in
                try connection.headers(
                    stream,
                    RawConnection.responseFields + [
                        ("x-a-bin", "q80"), ("x-b-bin", "q80="), ("x-c-bin", "AQ,Ag=="),
                    ])
                try connection.message(stream, RawPeer.replyBody)
                try connection.trailers(stream, [("x-d-bin", "q80")])
            }
        case .statusMissing:
            return RawScript { connection, stream in
                try connection.headers(stream)
                try connection.message(stream, RawPeer.replyBody)
                try connection.headers(stream, [("x-other", "1")], endStream: true)
            }
        case .statusNonNumeric: return RawScript { try $0.trailersOnly($1, status: "abc") }
        case .status17: return RawScript { try $0.trailersOnly($1, status: "17") }
        case .messageBadPercent:
            return RawScript { connection, stream in
                try connection.trailersOnly(
                    stream, status: "3", [("grpc-message", "100% %zz %4 caf%C3%A9 %ff%")])
            }
        case .trailersOnlyError:
            return RawScript { connection, stream in
                try connection.trailersOnly(stream, status: "5", [("grpc-message", "no such")])
            }
        case .http200: return Self.html("200")
        case .http401: return Self.html("401")
        case .http403: return Self.html("403")
        case .http404: return Self.html("404")
        case .http429: return Self.html("429")
        case .http500: return Self.html("500")
        case .http503: return Self.html("503")
        default: return nil
        }
    }

    private static func html(_ status: String) -> RawScript {
        RawScript { connection, stream in
            try connection.headers(stream, [(":status", status), ("content-type", "text/html")])
            try connection.data(stream, Array("<html></html>".utf8), endStream: true)
        }
    }

    var messageScript: RawScript? {
        switch self {
        case .messageCompressedNoEncoding:
            return Self.body(RawPrefixed.bytes([1, 2, 3], flag: 1))
        case .messageUnknownEncoding:
            return Self.body(
                RawPrefixed.bytes([1, 2, 3], flag: 1), [("grpc-encoding", "brotli")])
        case .messageTruncated: return Self.body(RawPrefixed.bytes([1, 2, 3], length: 100))
        case .messageLength4G: return Self.body(RawPrefixed.bytes([1, 2, 3], length: .max))
        case .messageOver4M:
            return Self.body(RawPrefixed.bytes([UInt8](repeating: 7, count: 5 << 20)))
        case .messageTwo:
            return Self.body(RawPrefixed.bytes([1]) + RawPrefixed.bytes([2]))
        case .messageNoneOK: return Self.body([])
        default: return nil
        }
    }

    /// An answer with status OK and these bytes instead of the message.
    package static func body(_ body: [UInt8], _ fields: [RawHPACK.Field] = []) -> RawScript {
        let copies = fields.map { (name: $0.name, value: $0.value) }
        return RawScript { connection, stream in
            try connection.headers(stream, RawConnection.responseFields + copies)
            for start in stride(from: 0, to: body.count, by: 16_384) {
                let part = Array(body[start..<min(start + 16_384, body.count)])
                try connection.data(stream, part)
            }
            try connection.trailers(stream)
        }
    }

    var endScript: RawScript? {
        switch self {
        case .rstInternal: return Self.reset(2)
        case .rstRefused: return Self.reset(7)
        case .rstCancel: return Self.reset(8)
        case .rstEnhanceCalm: return Self.reset(11)
        case .rstInadequate: return Self.reset(12)
        case .closeBeforeResponse: return RawScript { connection, _ in try connection.close() }
        case .closeMidFrame:
            return RawScript { connection, stream in
                try connection.headers(stream)
                try connection.frame(RawFrame.data, stream: stream, [0, 0, 0], length: 100)
                try connection.close()
            }
        case .closeAfterMessage:
            return RawScript { connection, stream in
                try connection.headers(stream)
                try connection.message(stream, RawPeer.replyBody)
                try connection.close()
            }
        case .goAwayLast0:
            return RawScript { connection, _ in
                try connection.send(RawFrame.goAway(last: 0, 0))
                try connection.close()
            }
        case .goAwayMidStream:
            return RawScript { connection, stream in
                try connection.send(RawFrame.goAway(last: stream, 0))
                try connection.reply(stream)
            }
        case .goAwayGracefulTwice:
            return RawScript { connection, stream in
                try connection.send(RawFrame.goAway(last: 0x7fff_ffff, 0))
                try connection.frame(RawFrame.ping, [1, 2, 3, 4, 5, 6, 7, 8])
                try connection.send(RawFrame.goAway(last: stream, 0))
                try connection.reply(stream)
            }
        case .goAwayThenClose:
            return RawScript { connection, stream in
                try connection.send(RawFrame.goAway(last: stream, 0))
                try connection.close()
            }
        default: return nil
        }
    }

    private static func reset(_ code: UInt32) -> RawScript {
        RawScript { try $0.send(RawFrame.reset($1, code)) }
    }
}
