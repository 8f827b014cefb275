package import SwiftletTransport

/// A message on its way out, behind the five octets of its prefix.
///
/// Octets that lie in an array already, and are many, are left there: to copy them together with
/// what stands before them would take longer than all else that is done for the message.
@frozen
@usableFromInline package enum EncodedMessage: Sendable {
    /// In one array.
    case whole([UInt8])
    /// One behind the other. The first begins with the prefix.
    case parts([[UInt8]])

    /// From so many octets on an array is left where it is. Arrays of this size are not gathered
    /// with others when they wait to be sent, either.
    @inlinable package static var partByteCount: Int { 32 << 10 }

    /// - Parameter message: What is to go behind the prefix.
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
    /// Of all that is sent: the prefix included, unless it was taken off.
    package var byteCount: Int {
        switch self {
        case .whole(let octets): octets.count
        case .parts(let parts): parts.reduce(0) { $0 + $1.count }
        }
    }

    /// All in one array.
    package var octets: [UInt8] {
        switch self {
        case .whole(let octets): return octets
        case .parts(let parts):
            var octets: [UInt8] = []
            octets.reserveCapacity(byteCount)
            for part in parts { octets += part }
            return octets
        }
    }

    /// What is sent of it where messages have no prefix.
    consuming func withoutPrefix() -> EncodedMessage {
        switch self {
        case .whole(var octets):
            octets.removeFirst(MessagePrefix.byteCount)
            return .whole(octets)
        case .parts(var parts):
            parts[0].removeFirst(MessagePrefix.byteCount)
            return .parts(parts)
        }
    }
}

extension Connection {
    /// Sends a message on a stream.
    package mutating func sendData(
        _ message: EncodedMessage, on stream: StreamHandle, endStream: Bool
    ) -> SendOutcome {
        switch message {
        case .whole(let octets): sendData(octets, on: stream, endStream: endStream)
        case .parts(let parts): sendData(parts: parts, on: stream, endStream: endStream)
        }
    }
}
