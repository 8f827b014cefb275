import SwiftletTransport

/// The response direction of a call: the messages that have arrived, the number that the observer
/// has asked for, and the bytes of the stream's window that can be returned.
struct Inbound: ~Copyable {
    private var body: MessageAssembler
    private var compression = CompressionAlgorithm.identity
    private(set) var httpStatus: Int?
    private(set) var initialMetadata: Metadata?
    private var initialMetadataWasDelivered = false
    /// Messages that have arrived and were not delivered yet.
    private var messages = MessageQueue()
    private var messageCount = 0
    /// As in ``CallEnd``.
    private(set) var compressedMessages: UInt64 = 0
    /// Messages that the observer has asked for and not received yet.
    private var demand = 0
    /// Bytes of messages that the observer keeps and has not read.
    private var keptByteCount = 0
    /// Bytes of DATA that have arrived and were not returned to the stream's window.
    private var unreturnedByteCount = 0
    /// Bytes are returned to the window only when more than this many can be returned.
    private let heldBackByteCount: Int
    /// Whether the observer takes one message.
    private let takesOne: Bool
    /// Bytes of DATA that have arrived.
    private(set) var receivedByteCount = 0
    /// Bytes of all messages that have arrived as a whole, without their prefixes.
    private(set) var messageByteCount = 0

    init(
        _ framing: BodyFraming, maxByteCount: Int?, heldBackByteCount: Int, takesOne: Bool = false
    ) {
        body = MessageAssembler(framing, maxByteCount: maxByteCount)
        self.heldBackByteCount = heldBackByteCount
        self.takesOne = takesOne
    }
}

// MARK: - Arrivals

extension Inbound {
    mutating func receiveHeaders(
        httpStatus: Int, _ compression: CompressionAlgorithm, _ metadata: consuming Metadata
    ) {
        self.httpStatus = httpStatus
        self.compression = compression
        initialMetadata = metadata
    }

    /// See ``MessageAssembler/reuse(_:)``.
    mutating func reuse(_ sent: consuming EncodedMessage) { body.reuse(sent) }

    /// Throws if the body breaks the rules of its framing, or a message is too large.
    mutating func receiveBody(_ bytes: Span<UInt8>) throws(RPCError) {
        count(bytes.count)
        var offset = 0
        while let message = try body.next(in: bytes, at: &offset) { append(message) }
    }

    /// The body is complete. Returns the error if it ends inside a message.
    mutating func endBody() -> RPCError? {
        if let last = body.takeLast() { append(last) }
        guard body.isInsideMessage else { return nil }
        return RPCError(.internal, "the response ended inside a message")
    }

    /// See ``MessageAssembler/lend(missing:arrived:)``.
    mutating func lend(missing: Int, arrived: Int) -> (bytes: [UInt8], missing: Int)? {
        body.lend(missing: missing, arrived: arrived)
    }

    /// Takes back the message that ``lend(missing:arrived:)`` returned, with the bytes that have
    /// arrived.
    ///
    /// - Parameter byteCount: The payload bytes of the frames that these bytes completed.
    mutating func takeBack(_ lent: inout [UInt8], wholeFrames byteCount: Int) {
        count(byteCount)
        if let message = body.takeBack(&lent) { append(message) }
    }

    /// The call has ended. The beginning of a message that was not complete is dropped.
    mutating func close() { body.close() }

    private mutating func count(_ byteCount: Int) {
        unreturnedByteCount += byteCount
        receivedByteCount += byteCount
    }

    /// A compressed message is inflated only when it is delivered: unread messages must not expand
    /// from a few bytes to megabytes.
    private mutating func append(_ message: consuming AssembledMessage) {
        if message.isCompressed, messageCount < 64 { compressedMessages |= 1 << messageCount }
        messageCount &+= 1
        messageByteCount &+= message.bytes.count
        messages.append(message)
    }
}

// MARK: - Demand and the window

extension Inbound {
    /// The observer asks for `count` more messages.
    mutating func request(_ count: Int = 1) { demand += count }

    /// The observer has read `byteCount` bytes of the messages that it keeps; nil means all of them.
    mutating func noteRead(_ byteCount: Int?) { keptByteCount -= byteCount ?? keptByteCount }

    /// Drops the messages that were not delivered yet.
    mutating func dropMessages() { messages.removeAll() }

    var hasMessages: Bool { !messages.isEmpty }

    /// Bytes that were consumed, or that belong to a message the observer waits for: returning them
    /// makes room for the bytes that follow. Messages that were not asked for hold their part of
    /// the window.
    var returnableByteCount: Int {
        var held = messages.byteCount + keptByteCount
        if demand == 0 { held += body.pendingByteCount }
        let byteCount = unreturnedByteCount - held
        return byteCount > heldBackByteCount ? byteCount : 0
    }

    /// Returns ``returnableByteCount``, and counts those bytes as returned.
    mutating func takeReturnable() -> Consumption {
        let byteCount = returnableByteCount
        guard byteCount > 0 else { return Consumption() }
        unreturnedByteCount -= byteCount
        // The size of the only message is known: the window needs no more than it lacks, and room for
        // the beginning of a second one, which is the server's error.
        let isLast = takesOne && (messageCount > 0 || body.missingBodyByteCount > 0)
        let room = heldBackByteCount + body.framing.prefixByteCount + 1
        let awaited = body.missingBodyByteCount + (isLast ? room : 0)
        return Consumption(
            byteCount: byteCount, awaitedByteCount: demand > 0 ? awaited : 0, isLast: isLast,
            unreadByteCount: messages.byteCount + keptByteCount)
    }
}

// MARK: - Deliveries

extension Inbound {
    var hasUndeliveredMetadata: Bool { initialMetadata != nil && !initialMetadataWasDelivered }

    /// The initial metadata, once.
    mutating func takeInitialMetadata() -> Metadata? {
        guard hasUndeliveredMetadata else { return nil }
        initialMetadataWasDelivered = true
        return initialMetadata
    }

    /// Whether the observer has asked for a message that has arrived.
    var canDeliverMessage: Bool { demand > 0 && !messages.isEmpty }

    /// Whether no message that has arrived is compressed.
    var isUncompressed: Bool { messages.isUncompressed }

    /// The next message, and how it is compressed.
    mutating func takeMessage() -> (AssembledMessage, CompressionAlgorithm)? {
        guard canDeliverMessage, let message = messages.popFirst() else { return nil }
        demand -= 1
        return (message, compression)
    }

    /// All messages that have arrived, for an observer that keeps them. The observer has asked for
    /// the first; it reports with ``noteRead(_:)`` when it has read the others.
    mutating func takeAllMessages() -> MessageQueue {
        demand -= min(demand, messages.count)
        keptByteCount += messages.byteCount - messages.firstByteCount
        return messages.takeAll()
    }

    /// Whether the response can be delivered as a whole: nothing was delivered yet, it has at most
    /// one message, the message is not compressed, and the observer has asked for it.
    var isWholeResponse: Bool {
        !initialMetadataWasDelivered && messages.count <= 1 && demand >= messages.count
            && messages.isUncompressed && messageCount == messages.count
    }

    /// The response, without its end. To be called only if ``isWholeResponse``.
    mutating func takeResponse() -> RawResponse {
        initialMetadataWasDelivered = true
        return RawResponse(
            message: messages.popFirst()?.bytes, initialMetadata: initialMetadata.take(),
            end: CallEnd(error: nil))
    }
}
