import SwiftletTransport

/// Extracts messages from the bytes of a response's body.
struct BodyReader: Sendable {
    let framing: BodyFraming
    private var assembler: MessageAssembler
    /// The body so far, if the whole body is one message.
    private var body: [UInt8] = []

    init(_ framing: BodyFraming, maxByteCount: Int?) {
        self.framing = framing
        assembler = MessageAssembler(maxByteCount: maxByteCount)
    }
}

extension BodyReader {
    /// See ``MessageAssembler/pendingByteCount``.
    var pendingByteCount: Int { assembler.pendingByteCount }

    /// The number of bytes of that message that have not arrived. 0 if its size is not known.
    var missingByteCount: Int { assembler.missingBodyByteCount }

    /// See ``MessageAssembler/reuse(_:)``.
    mutating func reuse(_ sent: consuming EncodedMessage) {
        if framing == .lengthPrefixed { assembler.reuse(sent) }
    }

    /// Reads `bytes` from `offset` on. Returns the next complete message; nil when all bytes have
    /// been read. Throws if the message is too large or its prefix is malformed.
    mutating func next(
        in bytes: Span<UInt8>, at offset: inout Int
    ) throws(RPCError) -> AssembledMessage? {
        switch framing {
        case .lengthPrefixed: return try assembler.next(in: bytes, at: &offset)
        case .wholeBody:
            try append(bytes.extracting(droppingFirst: offset))
            offset = bytes.count
            return nil
        }
    }

    private mutating func append(_ bytes: Span<UInt8>) throws(RPCError) {
        if let maxByteCount = assembler.maxByteCount, body.count + bytes.count > maxByteCount {
            throw RPCError(
                .resourceExhausted,
                "the response body is larger than the limit of \(maxByteCount) bytes; "
                    + "raise maxReceiveByteCount to accept it")
        }
        body.append(copying: bytes)
    }

    /// Returns the message that the end of the body completes, if there is one.
    mutating func takeLast() -> AssembledMessage? {
        guard framing == .wholeBody else { return nil }
        var last: [UInt8] = []
        swap(&last, &body)
        return AssembledMessage(bytes: last, isCompressed: false)
    }

    /// Drops the beginning of a message that is not complete.
    mutating func close() {
        assembler.close()
        body = []
    }

    /// Whether the body ends inside a message. A response that ends here is truncated.
    var isInsideMessage: Bool { assembler.isInsideMessage }

    /// See ``MessageAssembler/lend(missing:arrived:)``.
    mutating func lend(missing: Int, arrived: Int) -> (bytes: [UInt8], missing: Int)? {
        guard framing == .lengthPrefixed else { return nil }
        return assembler.lend(missing: missing, arrived: arrived)
    }

    /// See ``MessageAssembler/takeBack(_:)``.
    mutating func takeBack(_ lent: inout [UInt8]) -> AssembledMessage? { assembler.takeBack(&lent) }
}
