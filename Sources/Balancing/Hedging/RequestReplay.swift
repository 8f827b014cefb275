import SwiftletCore
import SwiftletTransport

/// The request of a call that may be sent several times. It keeps the messages so far. Each attempt keeps a
/// ``Position``, and gets its next operation from ``next(for:drops:)``.
///
/// Until the call is committed, all messages are kept, up to a limit. After that, a message is dropped when
/// the committed attempt has received it.
struct RequestReplay {
    /// The progress of one attempt.
    struct Position {
        fileprivate var messageCount = 0
        fileprivate var isFinished = false
        fileprivate var demand = 0
    }

    /// The only message of a call with one request message. Each attempt sends it together with its start.
    /// Nil for other calls.
    private(set) var only: EncodedMessage?
    private var messages: [(message: EncodedMessage, allowsCompression: Bool)] = []
    /// Messages that were dropped from the front.
    private var droppedCount = 0
    /// Messages at the front that are empty already, but not removed yet.
    private var freeCount = 0
    private(set) var byteCount = 0
    private(set) var isFinished = false
    private var demand = 0
    private let maxByteCount: Int

    init(maxByteCount: Int) { self.maxByteCount = maxByteCount }
}

extension RequestReplay {
    /// Whether the request is larger than the limit, so that the call must be committed.
    var isOverLimit: Bool { byteCount > maxByteCount }

    /// Adds a message. Returns false after the end of the request.
    mutating func write(
        _ message: consuming EncodedMessage, allowsCompression: Bool, andFinish: Bool
    ) -> Bool {
        guard !isFinished else { return false }
        byteCount += message.byteCount
        messages.append((message, allowsCompression))
        isFinished = andFinish
        return true
    }

    /// Makes this message the whole request. Attempts ask for their responses themselves.
    mutating func writeOnly(_ message: EncodedMessage) {
        byteCount = message.byteCount
        only = message
    }

    mutating func finish() { isFinished = true }

    mutating func receiveNext() { demand += 1 }

    /// Returns the next operation of the attempt at `position`; nil if the attempt has received everything.
    ///
    /// - Parameter drops: Whether no other attempt needs the message.
    mutating func next(for position: inout Position, drops: Bool) -> CallRequest? {
        if position.demand < demand {
            position.demand += 1
            return .receiveNext
        }
        let index = position.messageCount - droppedCount
        if index < messages.count {
            position.messageCount += 1
            let (message, allowsCompression) = messages[index]
            let isLast = isFinished && index == messages.count - 1
            position.isFinished = isLast
            if drops { drop(through: index) }
            return .write(message, allowsCompression: allowsCompression, andFinish: isLast)
        }
        guard isFinished, !position.isFinished else { return nil }
        position.isFinished = true
        return .finish
    }

    private mutating func drop(through index: Int) {
        byteCount -= messages[index].message.byteCount
        messages[index].message = .whole([])
        freeCount = index + 1
        // Removed together, because removing each message from the front would need quadratic time.
        guard freeCount * 2 > messages.count else { return }
        messages.removeSubrange(..<freeCount)
        droppedCount += freeCount
        freeCount = 0
    }

    /// Drops the only message, because no other attempt is started. Other messages are kept until the
    /// committed attempt has received them.
    mutating func commit() { only = nil }

    /// Drops everything. Called when the call has ended.
    mutating func removeAll() {
        only = nil
        droppedCount += messages.count
        messages = []
        freeCount = 0
        byteCount = 0
        isFinished = true
    }
}
