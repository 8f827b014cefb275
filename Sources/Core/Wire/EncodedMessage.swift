/// A message that is ready to be sent: its prefix of five bytes, and its encoded bytes.
///
/// Large byte arrays are kept as they are, because a copy would cost more than all other work for
/// the message.
@frozen
@usableFromInline package enum EncodedMessage: Sendable {
    /// One array.
    case whole([UInt8])
    /// Several arrays, in order. The first array begins with the prefix.
    case parts([[UInt8]])

    /// Arrays of at least this size, in bytes, are kept as they are. They are also not copied
    /// together with others while they wait to be sent.
    @inlinable package static var partByteCount: Int { 32 << 10 }

    /// - Parameter message: The message without its prefix.
    package init(prefixing message: [UInt8]) {
        var first: [UInt8] = []
        let isWhole = message.count < Self.partByteCount
        first.reserveCapacity(MessagePrefix.byteCount + (isWhole ? message.count : 0))
        first.append(contentsOf: repeatElement(0, count: MessagePrefix.byteCount))
        first.writePrefix(isCompressed: false, message.count)
        if isWhole {
            first += message
            self = .whole(first)
        } else {
            self = .parts([first, message])
        }
    }
}

extension EncodedMessage {
    /// The size in bytes. It includes the prefix, unless the prefix was removed.
    package var byteCount: Int {
        switch self {
        case .whole(let bytes): bytes.count
        case .parts(let parts): parts.reduce(0) { $0 + $1.count }
        }
    }

    /// All bytes in one array.
    package var bytes: [UInt8] {
        switch self {
        case .whole(let bytes): return bytes
        case .parts(let parts):
            var bytes: [UInt8] = []
            bytes.reserveCapacity(byteCount)
            for part in parts { bytes += part }
            return bytes
        }
    }

    /// The message for a stream without prefixes.
    package consuming func withoutPrefix() -> EncodedMessage {
        switch self {
        case .whole(var bytes):
            bytes.removeFirst(MessagePrefix.byteCount)
            return .whole(bytes)
        case .parts(var parts):
            parts[0].removeFirst(MessagePrefix.byteCount)
            return .parts(parts)
        }
    }
}
