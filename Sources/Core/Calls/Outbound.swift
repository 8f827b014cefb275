import SwiftletTransport

/// The request direction of a call: messages that have yet to be sent or may have to be sent again,
/// and the writes that have yet to be reported to the observer.
struct Outbound: ~Copyable {
    private var log: RequestLog
    /// Whether a stream is being opened with the request so far.
    private var isOpening = false
    /// Whether the call was sent again after a server had refused it.
    private var isResent = false
    /// Whether the present attempt follows one that no server has processed.
    private var isRepeated = false
    /// The number of the current attempt; the first is 0.
    private(set) var attempt = 0
    /// Messages that were accepted, and not reported as written yet.
    private var unreportedWriteCount = 0
    /// Messages that were dropped because the call had ended, and not reported as lost yet.
    private var unreportedLossCount = 0
    /// Messages that were accepted while there was no room; they are reported once there is.
    private var blockedWriteCount = 0
    /// Bytes of all messages, with their prefixes.
    private(set) var sentByteCount = 0
    private var messageCount = 0
    private let framing: BodyFraming

    init(_ framing: BodyFraming = .lengthPrefixed, maxReplayByteCount: Int) {
        self.framing = framing
        log = RequestLog(maxReplayByteCount: maxReplayByteCount)
    }
}

// MARK: - Messages

extension Outbound {
    /// Appends the only message of a request.
    mutating func writeOnly(_ message: consuming EncodedMessage) {
        sentByteCount = message.byteCount
        messageCount = 1
        log.append(message, andFinish: true)
    }

    /// Appends a message.
    ///
    /// - Parameter hasStream: Whether the caller sends the message on a stream. Otherwise it is
    ///   kept until the call has a stream.
    mutating func write(
        _ message: EncodedMessage, andFinish: Bool, hasStream: Bool
    ) -> CallCore.WriteOutcome {
        guard !log.isFinished else { return .ended }
        sentByteCount += message.byteCount
        messageCount += 1
        guard !hasStream else {
            log.passThrough(message, andFinish: andFinish)
            return .accepted
        }
        log.append(message, andFinish: andFinish)
        guard log.byteCount >= RequestLog.maxUnsentByteCount else { return .accepted }
        blockedWriteCount += 1
        return .awaitsRoom
    }

    /// Ends the request. False if it was ended before.
    mutating func finish(hasStream: Bool) -> Bool {
        guard !log.isFinished else { return false }
        log.finish()
        if hasStream { _ = log.takePortion() }
        return true
    }

    /// Drops all messages, because the call has ended. Messages that wait for room are reported as
    /// lost.
    mutating func close() {
        log.removeAll()
        unreportedLossCount += blockedWriteCount
        blockedWriteCount = 0
    }
}

// MARK: - Streams

extension Outbound {
    /// Bytes of all messages, without their prefixes.
    var messageByteCount: Int { sentByteCount - messageCount * framing.prefixByteCount }

    /// Whether a stream is being opened, so that a server may have received a part of the request.
    /// A stream that is already attached does not count.
    var mayHaveSent: Bool { isOpening }

    /// The request so far, for a stream that is about to be opened.
    mutating func beginOpening() -> RequestLog.Portion {
        isOpening = true
        var portion = log.takePortion() ?? RequestLog.Portion()
        portion.attempt = attempt
        portion.isRepeated = isRepeated
        return portion
    }

    /// Takes the messages, and the end of the request, that no earlier portion contains. Nil if
    /// there are none.
    mutating func takePortion() -> RequestLog.Portion? { log.takePortion() }

    /// The stream has all of the request so far.
    mutating func attached() {
        isOpening = false
        log.trim()
        reportRoom()
    }

    /// The stream could not be opened.
    mutating func openingFailed() {
        isOpening = false
        log.rewind()
    }

    /// Prepares to send the request again on another stream. False if that is not possible: a part of
    /// the request is no longer kept, or a server has refused it before.
    ///
    /// - Parameters:
    ///   - wasSent: Whether a server refused the request. Otherwise nothing of it was sent, and there is no
    ///     limit (proposal A6): the channel's backoff limits how often that happens.
    ///   - isGranted: Whether the call may be sent again, although a server refused it. Not used if it was
    ///     refused on this attempt before: "once, immediately" (proposal A6).
    mutating func prepareResend(
        wasSent: Bool, isGranted: @autoclosure () -> Bool = true
    ) -> Bool {
        guard !log.isCommitted, !wasSent || (!isResent && isGranted()) else { return false }
        if wasSent { isResent = true }
        beginAgain(isRepeated: true)
        return true
    }

    /// Prepares to send the request again on another stream, because the retry policy asks for it. To be called only
    /// if the request can be sent again.
    mutating func prepareRetry() { beginAgain(isRepeated: false) }

    private mutating func beginAgain(isRepeated: Bool) {
        log.rewind()
        attempt += 1
        isOpening = false
        self.isRepeated = isRepeated
    }

    /// Whether the request cannot be sent again: the server has begun to answer, or too much was written.
    var isCommitted: Bool { log.isCommitted }

    /// The server has begun to answer, so that the request is not sent again. Returns the first message that is no
    /// longer kept.
    @discardableResult
    mutating func commit() -> EncodedMessage? { log.commit() }
}

// MARK: - Reports of writes

extension Outbound {
    /// Whether a write has yet to be reported.
    var hasReports: Bool { unreportedWriteCount > 0 || unreportedLossCount > 0 }

    /// Whether an accepted write has yet to be reported.
    var hasWriteReports: Bool { unreportedWriteCount > 0 }

    /// A message was accepted, and there is room for the next.
    mutating func noteWrite() { unreportedWriteCount += 1 }

    /// A message was dropped, because the call has ended.
    mutating func noteLoss() { unreportedLossCount += 1 }

    /// A message was accepted, and there is no room for the next.
    mutating func noteBlockedWrite() { blockedWriteCount += 1 }

    /// There is room again. Reports all writes that wait for it: several tasks may write at once.
    mutating func reportRoom() {
        unreportedWriteCount += blockedWriteCount
        blockedWriteCount = 0
    }

    /// The next report: whether the message was accepted. Nil when there is none.
    mutating func takeReport(includingLosses: Bool) -> Bool? {
        if unreportedWriteCount > 0 {
            unreportedWriteCount -= 1
            return true
        }
        guard includingLosses, unreportedLossCount > 0 else { return nil }
        unreportedLossCount -= 1
        return false
    }
}
