import SwiftletTransport

/// A message as octets, on its way through interceptors.
public struct RawMessage: Sendable {
    private enum Storage: Sendable {
        case bytes([UInt8])
        case encoded(EncodedMessage)
    }

    private let storage: Storage
    /// Whether it is compressed on a call that compresses. Of no meaning in a response.
    public var mayCompress = true

    public init(_ bytes: [UInt8]) {
        storage = .bytes(bytes)
    }

    package init(_ message: consuming EncodedMessage, mayCompress: Bool = true) {
        storage = .encoded(message)
        self.mayCompress = mayCompress
    }

    public var byteCount: Int {
        switch storage {
        case .bytes(let bytes): bytes.count
        case .encoded(let message): message.byteCount - MessagePrefix.byteCount
        }
    }

    /// The octets of the message.
    public var bytes: [UInt8] {
        switch storage {
        case .bytes(let bytes): bytes
        case .encoded(.whole(let octets)): Array(octets.dropFirst(MessagePrefix.byteCount))
        case .encoded(let message): message.withoutPrefix().octets
        }
    }

    /// Reads the octets where they lie; those of a large message may have to be put together first.
    public func withBytes<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        switch storage {
        case .bytes(let bytes): return try body(bytes.span)
        case .encoded(let message):
            let octets = message.octets
            return try body(octets.span.extracting(droppingFirst: MessagePrefix.byteCount))
        }
    }

    /// The message as it is sent on.
    package consuming func encoded() -> EncodedMessage {
        switch storage {
        case .bytes(let bytes): EncodedMessage(prefixing: bytes)
        case .encoded(let message): message
        }
    }
}

extension RawMessage: Hashable {
    /// The octets where they lie, one run behind the other.
    private var runs: [ArraySlice<UInt8>] {
        switch storage {
        case .bytes(let bytes): [bytes[...]]
        case .encoded(.whole(let octets)): [octets.dropFirst(MessagePrefix.byteCount)]
        case .encoded(.parts(let parts)):
            [parts[0].dropFirst(MessagePrefix.byteCount)] + parts.dropFirst().map { $0[...] }
        }
    }

    public static func == (left: RawMessage, right: RawMessage) -> Bool {
        guard left.byteCount == right.byteCount else { return false }
        let (left, right) = (left.runs, right.runs)
        // As long as both were encoded alike, which is as fast as it can be.
        guard left.map(\.count) == right.map(\.count) else {
            return left.joined().elementsEqual(right.joined())
        }
        return left == right
    }

    /// The length and the beginning tell most messages apart, and cost the same for all.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(byteCount)
        for octet in runs.joined().prefix(256) { hasher.combine(octet) }
    }
}
