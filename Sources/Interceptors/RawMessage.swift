package import SwiftletCore
import SwiftletTransport

/// An encoded message, as interceptors receive it.
public struct RawMessage: Sendable {
    private enum Storage: Sendable {
        case bytes([UInt8])
        case encoded(EncodedMessage)
    }

    private let storage: Storage
    /// Whether the message is compressed on a call that compresses. The default is true. It has no
    /// effect on responses.
    public var allowsCompression = true

    public init(_ bytes: [UInt8]) {
        storage = .bytes(bytes)
    }

    package init(_ message: consuming EncodedMessage, allowsCompression: Bool = true) {
        storage = .encoded(message)
        self.allowsCompression = allowsCompression
    }

    public var byteCount: Int {
        switch storage {
        case .bytes(let bytes): bytes.count
        case .encoded(let message): message.byteCount - MessagePrefix.byteCount
        }
    }

    /// The bytes of the message.
    public var bytes: [UInt8] {
        switch storage {
        case .bytes(let bytes): bytes
        case .encoded(.whole(let bytes)): Array(bytes.dropFirst(MessagePrefix.byteCount))
        case .encoded(let message): message.withoutPrefix().bytes
        }
    }

    /// Passes the bytes to `body` without a copy, unless they are in several buffers.
    public func withBytes<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        switch storage {
        case .bytes(let bytes): return try body(bytes.contiguous.span)
        case .encoded(let message):
            let bytes = message.bytes
            return try body(
                bytes.contiguous.span.extracting(droppingFirst: MessagePrefix.byteCount))
        }
    }

    /// The message for the next neighbor.
    package consuming func encoded() -> EncodedMessage {
        switch storage {
        case .bytes(let bytes): EncodedMessage(prefixing: bytes)
        case .encoded(let message): message
        }
    }
}

extension RawMessage: Hashable {
    /// The bytes without a copy, in one or more pieces.
    private var runs: [ArraySlice<UInt8>] {
        switch storage {
        case .bytes(let bytes): [bytes[...]]
        case .encoded(.whole(let bytes)): [bytes.dropFirst(MessagePrefix.byteCount)]
        case .encoded(.parts(let parts)):
            [parts[0].dropFirst(MessagePrefix.byteCount)] + parts.dropFirst().map { $0[...] }
        }
    }

    public static func == (left: RawMessage, right: RawMessage) -> Bool {
        guard left.byteCount == right.byteCount else { return false }
        let (left, right) = (left.runs, right.runs)
        // Messages that were encoded in the same way have equal pieces, which are compared fast.
        guard left.map(\.count) == right.map(\.count) else {
            return left.joined().elementsEqual(right.joined())
        }
        return left == right
    }

    /// Uses the length and the beginning, so that the cost does not grow with the message.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(byteCount)
        for byte in runs.joined().prefix(256) { hasher.combine(byte) }
    }
}
