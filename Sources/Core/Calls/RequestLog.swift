/// The messages of a request, kept as long as they may have to be sent on another stream: until a
/// connection is found, and until the server has begun to answer.
package struct RequestLog: Sendable {
    /// A writer waits once it has written this many bytes for a call that has no stream yet.
    static let maxUnsentByteCount = 256 << 10

    /// A call that has written more than this is not sent again.
    private let maxReplayByteCount: Int
    private var first: EncodedMessage?
    private var rest: [EncodedMessage] = []
    private var count = 0
    /// The number of messages that were handed to the current stream.
    private var handedOverCount = 0
    private(set) var byteCount = 0
    /// Whether the request is complete.
    private(set) var isFinished = false
    /// Whether the end of the request was handed to the current stream.
    private(set) var finishWasHandedOver = false
    /// Whether messages are no longer kept: the server has begun to answer, or too much was written.
    private(set) var isCommitted = false

    init(maxReplayByteCount: Int) { self.maxReplayByteCount = maxReplayByteCount }
}

extension RequestLog {
    /// The next messages for a stream. Most requests have one message, which needs no array. Not copyable, so that the
    /// messages are moved.
    package struct Portion: ~Copyable {
        var first: EncodedMessage?
        var rest: ArraySlice<EncodedMessage> = []
        package var isFinish = false
        /// The attempt that the messages belong to; the first is 0.
        package var attempt = 0
        /// Whether it follows an attempt that no server has processed.
        package var isRepeated = false

        /// Moves every message out. `isLast` is true if the request ends with that message.
        package mutating func takeEach(
            _ body: (_ message: consuming EncodedMessage, _ isLast: Bool) -> Void
        ) {
            if let message = first.take() { body(message, isFinish && rest.isEmpty) }
            for index in rest.indices {
                body(rest[index], isFinish && index == rest.endIndex - 1)
            }
            rest = []
        }

        var isEmpty: Bool { first == nil && rest.isEmpty }
    }

    mutating func append(_ message: consuming EncodedMessage, andFinish: Bool) {
        byteCount += message.byteCount
        if count == 0 { first = message } else { rest.append(message) }
        count += 1
        if andFinish { isFinished = true }
    }

    mutating func finish() { isFinished = true }

    /// Counts a message that is sent on the stream at once, and keeps it if the request may be sent
    /// again.
    mutating func passThrough(_ message: EncodedMessage, andFinish: Bool) {
        if andFinish {
            isFinished = true
            finishWasHandedOver = true
        }
        guard !isCommitted else { return }
        append(message, andFinish: false)
        handedOverCount = count
        if byteCount > maxReplayByteCount { commit() }
    }

    /// The messages, and the end of the request, that the stream does not have; nil if it has
    /// everything.
    mutating func takePortion() -> Portion? {
        let isFinish = isFinished && !finishWasHandedOver
        guard handedOverCount < count || isFinish else { return nil }
        var portion = Portion(first: handedOverCount == 0 ? first : nil, isFinish: isFinish)
        if !rest.isEmpty {
            portion.rest = rest.dropFirst(max(0, handedOverCount - 1))
        }
        handedOverCount = count
        finishWasHandedOver = isFinished
        return portion
    }

    /// Makes the next stream begin with the first message, if that is still kept.
    mutating func rewind() {
        guard !isCommitted else { return }
        handedOverCount = 0
        finishWasHandedOver = false
    }

    /// Drops messages that the stream has, if the request is not sent again.
    mutating func trim() {
        if isCommitted || byteCount > maxReplayByteCount { commit() }
    }

    /// Drops all messages, sent or not: the call has ended.
    mutating func removeAll() { self = RequestLog(maxReplayByteCount: maxReplayByteCount) }

    /// Drops messages that the stream has: the request is not sent again. Returns the first of them.
    @discardableResult
    mutating func commit() -> EncodedMessage? {
        isCommitted = true
        guard handedOverCount == count else { return nil }
        rest = []
        count = 0
        handedOverCount = 0
        byteCount = 0
        return first.take()
    }
}
