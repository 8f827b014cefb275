// Floods of frames, and header blocks that attack the HPACK decoder.

extension Misbehaviour {
    /// The most bytes of a flood. A client that accepts all of them does not detect the flood.
    private static let floodByteCount = 256 << 20

    var floodScript: RawScript? {
        switch self {
        case .hpackBadIndex: RawScript { try $0.block($1, [0xff, 0xff, 0x7f]) }
        case .hpackTableSizeTooBig:
            // RFC 7541 §6.3: a dynamic table size update to 2²⁰, above the client's limit.
            RawScript { connection, stream in
                try connection.block(
                    stream,
                    RawHPACK.integer(1 << 20, prefixBits: 5, flags: 0x20)
                        + RawHPACK.block(RawConnection.responseFields))
            }
        case .hpackBomb: RawScript { try $0.bomb($1) }
        case .continuationFlood:
            RawScript { connection, stream in
                try connection.frame(
                    RawFrame.headers, stream: stream,
                    RawHPACK.block(RawConnection.responseFields))
                let fields = (0..<64).map { ("x-\($0)", String(repeating: "a", count: 200)) }
                let part = RawHPACK.block(fields)
                try connection.flood(
                    RawFrame.bytes(RawFrame.continuation, stream: stream, part),
                    upTo: Self.floodByteCount)
            }
        case .floodPingNoRead:
            RawScript { connection, stream in
                try connection.flood(
                    RawFrame.bytes(RawFrame.ping, [1, 2, 3, 4, 5, 6, 7, 8]),
                    upTo: Self.floodByteCount)
                try connection.reply(stream)
            }
        case .floodSettingsNoRead:
            RawScript { connection, stream in
                try connection.flood(RawFrame.settings([(4, 65_535)]), upTo: Self.floodByteCount)
                try connection.reply(stream)
            }
        case .floodEmptyData:
            RawScript { connection, stream in
                try connection.flood(
                    RawFrame.bytes(RawFrame.data, stream: stream), upTo: Self.floodByteCount)
                try connection.reply(stream)
            }
        default: nil
        }
    }
}

extension RawConnection {
    /// Sends the same bytes repeatedly, many copies in one write, and reads nothing.
    package func flood(_ bytes: [UInt8], upTo byteCount: Int) throws(RawPeerGone) {
        let repetitions = max(1, (64 << 10) / bytes.count)
        let batch = [UInt8]((0..<repetitions).map { _ in bytes }.joined())
        for _ in 0..<max(1, byteCount / batch.count) { try send(batch) }
    }

    /// A block of 64 kB that refers 60,000 times to a field of 4,000 bytes.
    fileprivate func bomb(_ stream: UInt32) throws(RawPeerGone) {
        var block = RawHPACK.block(Self.responseFields)
        block += RawHPACK.indexed(("x", String(repeating: "a", count: 4_000)))
        // Index 62 is the newest entry of the table (RFC 7541 §2.3.3).
        block += [UInt8](repeating: 0xbe, count: 60_000)
        let parts = stride(from: 0, to: block.count, by: 16_384).map {
            Array(block[$0..<min($0 + 16_384, block.count)])
        }
        for (index, part) in parts.enumerated() {
            try frame(
                index == 0 ? RawFrame.headers : RawFrame.continuation,
                flags: index == parts.count - 1 ? RawFrame.endHeaders : 0, stream: stream, part)
        }
        try message(stream, RawPeer.replyBody)
        try trailers(stream)
    }
}
