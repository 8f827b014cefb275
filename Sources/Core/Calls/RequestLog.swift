/// The messages of a request as they were written, for as long as they may have to be sent (again)
/// on another stream: until a connection is found, and until the server has begun to answer.
package struct RequestLog: Sendable {
    /// A call that has written more than this is not sent again.
    static let replayByteCount = 256 << 10

    private var first: EncodedMessage?
    private var rest: [EncodedMessage] = []
    private var count = 0
    /// How many messages the present stream has been given.
    private var handedOverCount = 0
    private(set) var byteCount = 0
    /// The request is complete.
    private(set) var isFinished = false
    /// The stream was told so.
    private(set) var finishWasHandedOver = false
    /// Nothing is kept any more: the server has begun to answer, or too much was written.
    private(set) var isCommitted = false
}

extension RequestLog {
    /// What a stream has to be given next. Most requests have one message, which needs no array.
    package struct Portion {
        package var first: EncodedMessage?
        var rest: ArraySlice<EncodedMessage> = []
        package var isFinish = false
        /// How often the request had been sent in vain before.
        package var attempt = 0

        /// Takes every message out, and says whether the request ends with it.
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

    /// Notes a message that goes straight to the stream, and keeps it while that is of use.
    mutating func passThrough(_ message: EncodedMessage, andFinish: Bool) {
        if andFinish {
            isFinished = true
            finishWasHandedOver = true
        }
        guard !isCommitted else { return }
        append(message, andFinish: false)
        handedOverCount = count
        if byteCount > Self.replayByteCount { commit() }
    }

    /// What was written and not handed over yet; nil when there is nothing.
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

    /// The next stream begins from the first message. False when they are not there any more.
    mutating func rewind() -> Bool {
        guard !isCommitted else { return false }
        handedOverCount = 0
        finishWasHandedOver = false
        return true
    }

    /// Lets go of what was handed over and will not be asked for again.
    mutating func trim() {
        if isCommitted || byteCount > Self.replayByteCount { commit() }
    }

    /// Lets go of what was handed over; the request will not be sent again.
    mutating func commit() {
        isCommitted = true
        guard handedOverCount == count else { return }
        first = nil
        rest = []
        count = 0
        handedOverCount = 0
        byteCount = 0
    }
}
