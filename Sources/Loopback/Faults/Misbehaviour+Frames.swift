// Violations of the connection and its frames.

extension Misbehaviour {
    var connectionScript: RawScript? {
        switch self {
        case .garbagePreface:
            return RawScript(opening: { connection in
                try connection.send((0..<256).map { UInt8(truncatingIfNeeded: $0 &* 73 &+ 41) })
            })
        case .http1Reply:
            return RawScript(opening: { connection in
                try connection.send(
                    Array("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n".utf8))
                try connection.close()
            })
        case .settingsNeverAcked:
            var script = RawScript.correct
            script.acknowledges = false
            return script
        case .silent: return RawScript(answer: { _, _ in })
        case .zeroWindowForever:
            var script = RawScript(opening: { try $0.send(RawFrame.settings([(4, 0)])) })
            script.grantsWindow = false
            return script
        case .maxStreamsZero:
            return RawScript(opening: { try $0.send(RawFrame.settings([(3, 0)])) })
        case .settingsUnknownIDs:
            return RawScript(opening: { connection in
                try connection.send(
                    RawFrame.settings([(0x7f, 1), (0x1a2a, 7), (0xffff, .max)]))
            })
        case .tlsHang: return RawScript(opening: { _ in })
        default: return nil
        }
    }

    var frameScript: RawScript? {
        switch self {
        case .oversizedFrame:
            return RawScript { connection, stream in
                try connection.headers(stream)
                try connection.data(stream, [UInt8](repeating: 0, count: 16_385))
            }
        case .dataOnStream0: return RawScript { connection, _ in try connection.data(0, [1]) }
        case .windowUpdateOverflow:
            return RawScript { connection, _ in
                try connection.send(RawFrame.windowUpdate(0, 0x7fff_ffff))
            }
        case .pushPromise:
            return RawScript { connection, stream in
                try connection.frame(
                    RawFrame.pushPromise, flags: RawFrame.endHeaders, stream: stream,
                    RawFrame.bigEndian(2)
                        + RawHPACK.block([
                            (":method", "GET"), (":scheme", "http"), (":path", "/"),
                            (":authority", "a"),
                        ]))
            }
        case .unknownFrames:
            return RawScript { connection, stream in
                for type: UInt8 in [0x0a, 0x0c, 0x10, 0x42, 0xff] {
                    try connection.frame(type, flags: 0xff, stream: 0, [1, 2, 3])
                    try connection.frame(type, flags: 0xff, stream: stream, [])
                }
                try connection.reply(stream)
            }
        case .paddedAll: return RawScript { try $0.paddedReply($1) }
        case .continuationSplit: return RawScript { try $0.splitReply($1) }
        case .emptyDataFrames:
            return RawScript { connection, stream in
                try connection.headers(stream)
                for byte in RawPrefixed.bytes(RawPeer.replyBody) {
                    try connection.data(stream, [])
                    try connection.data(stream, [byte])
                }
                try connection.trailers(stream)
            }
        case .informational100:
            return RawScript { connection, stream in
                try connection.headers(stream, [(":status", "100")])
                try connection.headers(stream, [(":status", "103"), ("link", "</a>")])
                try connection.reply(stream)
            }
        default: return nil
        }
    }
}

extension RawConnection {
    /// A reply whose HEADERS and DATA frames have 0, 1, 7 or 255 bytes of padding.
    fileprivate func paddedReply(_ stream: UInt32) throws(RawPeerGone) {
        func padded(_ payload: [UInt8], _ count: UInt8) -> [UInt8] {
            [count] + payload + [UInt8](repeating: 0, count: Int(count))
        }
        try frame(
            RawFrame.headers, flags: RawFrame.endHeaders | RawFrame.padded, stream: stream,
            padded(RawHPACK.block(Self.responseFields), 255))
        let message = RawPrefixed.bytes(RawPeer.replyBody)
        for (bytes, count): ([UInt8], UInt8) in [
            (Array(message[..<4]), 0), ([], 255), (Array(message[4...]), 7),
        ] {
            try frame(
                RawFrame.data, flags: RawFrame.padded, stream: stream, padded(bytes, count))
        }
        try frame(
            RawFrame.headers,
            flags: RawFrame.endHeaders | RawFrame.padded | RawFrame.endStream, stream: stream,
            padded(RawHPACK.block([("grpc-status", "0")]), 1))
    }

    /// Header blocks that are cut in the middle of a field. One part is empty.
    fileprivate func splitReply(_ stream: UInt32) throws(RawPeerGone) {
        func split(_ block: [UInt8], _ flags: UInt8) throws(RawPeerGone) {
            try frame(RawFrame.headers, flags: flags, stream: stream, Array(block[..<3]))
            try frame(RawFrame.continuation, stream: stream, Array(block[3..<9]))
            try frame(RawFrame.continuation, stream: stream)
            try frame(
                RawFrame.continuation, flags: RawFrame.endHeaders, stream: stream,
                Array(block[9...]))
        }
        try split(RawHPACK.block(Self.responseFields), 0)
        try message(stream, RawPeer.replyBody)
        try split(RawHPACK.block([("grpc-status", "0")]), RawFrame.endStream)
    }
}
