import SwiftletTransport

/// A message as it has arrived, without its prefix.
package struct AssembledMessage: Equatable, Sendable {
    var bytes: [UInt8]
    package let isCompressed: Bool

    /// The size on the wire, with the prefix.
    var wireByteCount: Int { MessagePrefix.byteCount + bytes.count }
}

extension AssembledMessage {
    /// Returns the decompressed bytes. Must not be called while holding a lock, because
    /// decompression takes time.
    package consuming func decompressed(
        _ algorithm: CompressionAlgorithm, maxByteCount: Int?
    ) throws(RPCError) -> [UInt8] {
        guard isCompressed else { return bytes }
        return try Decompressor.decompress(bytes, algorithm, maxByteCount: maxByteCount)
    }
}

/// Assembles messages from the bytes of a body. A message may be split anywhere.
///
/// The bytes of a message are copied once, into their final array. Memory is allocated for bytes
/// that have arrived, not for a length that a prefix claims.
package struct MessageAssembler: Sendable {
    let framing: BodyFraming
    private var prefix: [UInt8] = []
    /// The incomplete message, without its prefix.
    private var body: [UInt8] = []
    /// A message that was sent, until the first prefix has been read: see ``reuse(_:)``.
    private var sent: [UInt8] = []
    /// The bytes of the body that have not arrived yet; nil while the prefix is read.
    private var missingByteCount: Int?
    /// The number of bytes that the lent body had when it was lent.
    private var lentByteCount = 0
    private var isCompressed = false
    let maxByteCount: Int?
    private let sender: Sender

    /// The side that sends the messages, for error texts.
    package enum Sender: Sendable {
        case client, server

        fileprivate var name: String { self == .client ? "client" : "server" }

        fileprivate var limitName: String {
            self == .client ? "maxRequestByteCount" : "maxReceiveByteCount"
        }
    }

    /// Memory for a body up to this size is allocated at once. Memory for a larger body is
    /// allocated as its bytes arrive.
    private static let reservedAtOnce = 64 << 10

    /// The memory of a larger request is not kept.
    private static let reusedAtMost = 1 << 10
    /// A message is put into that memory only if twice its size and this many bytes fill it: a program may keep the
    /// message, and the memory with it.
    private static let leftOverAtMost = 64

    package init(
        _ framing: BodyFraming = .lengthPrefixed, maxByteCount: Int?, from sender: Sender = .server
    ) {
        self.framing = framing
        self.maxByteCount = maxByteCount
        self.sender = sender
    }
}

extension MessageAssembler {
    /// Keeps a message that was sent, for the memory of the first one that arrives. So a call with one small message in each
    /// direction allocates memory for one of them. To be called before the first byte arrives.
    mutating func reuse(_ sent: consuming EncodedMessage) {
        guard framing == .lengthPrefixed, case .whole(let bytes) = consume sent,
            bytes.capacity <= Self.reusedAtMost
        else { return }
        self.sent = bytes
    }

    /// Makes the memory of the sent message that of the body, if little of it is left over. Otherwise it is released. If
    /// something else still has the message, the body gets as much memory of its own.
    private mutating func takeSent(for byteCount: Int) {
        guard !sent.isEmpty else { return }
        var memory: [UInt8] = []
        swap(&memory, &sent)
        guard 0...byteCount + Self.leftOverAtMost ~= memory.capacity - byteCount else { return }
        memory.removeAll(keepingCapacity: true)
        body = memory
    }
}

extension MessageAssembler {
    /// Whether a body that ends here is truncated.
    package var isInsideMessage: Bool { missingByteCount != nil || !prefix.isEmpty }

    /// The number of bytes that have arrived of the body of an incomplete message, or of its prefix while that is
    /// read. 0 if the whole body is one message.
    var pendingByteCount: Int {
        framing == .lengthPrefixed ? prefix.count + body.count + lentByteCount : 0
    }

    /// The number of bytes of its body that have not arrived. 0 if its size is not known.
    var missingBodyByteCount: Int { missingByteCount ?? 0 }

    /// Reads bytes from `offset` on. Returns the next complete message; nil when all bytes were
    /// read. Throws if the message is too large or its prefix is malformed.
    package mutating func next(
        in bytes: Span<UInt8>, at offset: inout Int
    ) throws(RPCError) -> AssembledMessage? {
        guard framing == .lengthPrefixed else {
            try append(bytes.extracting(droppingFirst: offset))
            offset = bytes.count
            return nil
        }
        guard let missing = try readPrefix(in: bytes, at: &offset) else { return nil }
        if body.isEmpty, missing <= bytes.count - offset {
            // The common case: the message is in one piece.
            let whole = bytes.extracting(offset..<offset + missing)
            offset += missing
            if body.capacity >= missing {
                body.append(copying: whole)
            } else {
                body = [UInt8](copying: whole)
            }
            return takeWhole()
        }
        let count = min(missing, bytes.count - offset)
        if count > 0 {
            if body.capacity < body.count + count { reserve(for: count, of: missing) }
            body.append(copying: bytes.extracting(offset..<offset + count))
            offset += count
        }
        guard count == missing else {
            missingByteCount = missing - count
            return nil
        }
        return takeWhole()
    }

    private mutating func append(_ bytes: Span<UInt8>) throws(RPCError) {
        if let maxByteCount, body.count + bytes.count > maxByteCount {
            throw RPCError(
                .resourceExhausted,
                "the response body is larger than the limit of \(maxByteCount) bytes; "
                    + "raise maxReceiveByteCount to accept it")
        }
        body.append(copying: bytes)
    }

    /// Returns the message that the end of the body completes, if there is one.
    mutating func takeLast() -> AssembledMessage? { framing == .wholeBody ? takeWhole() : nil }

    /// Lends the body of the incomplete message. The caller appends bytes to it, and returns it
    /// with ``takeBack(_:)``. `missing` in the result is the number of bytes that have not arrived.
    /// Returns nil if fewer than `least` bytes are missing.
    ///
    /// - Parameter arrived: The number of bytes that have arrived and can be appended.
    mutating func lend(
        missing least: Int, arrived: Int
    ) -> (bytes: [UInt8], missing: Int)? {
        guard let missing = missingByteCount, missing >= max(1, least) else { return nil }
        if body.capacity - body.count < min(missing, arrived + Self.reservedAtOnce) {
            reserve(for: arrived, of: missing)
        }
        var lent: [UInt8] = []
        swap(&lent, &body)
        lentByteCount = lent.count
        return (lent, missing)
    }

    /// Takes the lent body back, with the appended bytes. Returns the message if it is complete.
    mutating func takeBack(_ lent: inout [UInt8]) -> AssembledMessage? {
        let missing = (missingByteCount ?? 0) - (lent.count - lentByteCount)
        lentByteCount = 0
        swap(&body, &lent)
        guard missing <= 0 else {
            missingByteCount = missing
            return nil
        }
        return takeWhole()
    }

    /// Drops an incomplete message.
    mutating func close() {
        self = MessageAssembler(framing, maxByteCount: maxByteCount, from: sender)
    }

    private mutating func takeWhole() -> AssembledMessage {
        missingByteCount = nil
        var whole: [UInt8] = []
        swap(&whole, &body)
        return AssembledMessage(bytes: whole, isCompressed: isCompressed)
    }

    /// Reserves memory for a multiple of the bytes that have arrived. So a large message is moved
    /// only a few times, and a prefix that claims a large size costs little.
    private mutating func reserve(for count: Int, of missing: Int) {
        let room = max(Self.reservedAtOnce, (body.count + count) * 16)
        body.reserveCapacity(min(body.count + missing, room))
    }

    /// Reads the rest of the prefix, if it is not complete. Returns the missing bytes of the body;
    /// nil if the prefix is still not complete.
    private mutating func readPrefix(
        in bytes: Span<UInt8>, at offset: inout Int
    ) throws(RPCError) -> Int? {
        if let missingByteCount { return missingByteCount }
        let flag: UInt8
        let length: UInt32
        if prefix.isEmpty, bytes.count - offset >= MessagePrefix.byteCount {
            // The common case: the prefix is in one piece.
            flag = bytes[offset]
            length = bytes.uint32(at: offset + 1)
            offset += MessagePrefix.byteCount
        } else {
            while prefix.count < MessagePrefix.byteCount, offset < bytes.count {
                prefix.append(bytes[offset])
                offset += 1
            }
            guard prefix.count == MessagePrefix.byteCount else { return nil }
            flag = prefix[0]
            length = prefix.contiguous.span.uint32(at: 1)
            prefix.removeAll(keepingCapacity: true)
        }
        guard flag <= 1 else {
            throw RPCError(
                .internal,
                "the \(sender.name) sent a message with the compressed flag \(flag) (expected 0 or 1)"
            )
        }
        if let maxByteCount, Int(length) > maxByteCount {
            throw RPCError(
                .resourceExhausted,
                "the \(sender.name) sent a message of \(length) bytes, and the limit is "
                    + "\(maxByteCount); raise \(sender.limitName) to accept it")
        }
        isCompressed = flag == 1
        takeSent(for: Int(length))
        missingByteCount = Int(length)
        return Int(length)
    }
}
