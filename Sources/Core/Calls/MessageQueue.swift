import SwiftletTransport

/// Messages that have arrived and were not delivered yet, first in, first out.
package struct MessageQueue: Sendable {
    private var messages = Backlog<AssembledMessage>()
    /// The part of the stream's window that the messages hold. It includes their prefixes: otherwise
    /// a server could send empty messages without a limit.
    private(set) var byteCount = 0
    private var compressedCount = 0

    /// Whether no message is compressed.
    var isUncompressed: Bool { compressedCount == 0 }
    var firstByteCount: Int { messages.first?.wireByteCount ?? 0 }
    var isEmpty: Bool { messages.isEmpty }
    var count: Int { messages.count }

    mutating func append(_ message: AssembledMessage) {
        byteCount += message.wireByteCount
        if message.isCompressed { compressedCount += 1 }
        messages.append(message)
    }

    mutating func popFirst() -> AssembledMessage? {
        guard let message = messages.popFirst() else { return nil }
        byteCount -= message.wireByteCount
        if message.isCompressed { compressedCount -= 1 }
        return message
    }

    /// Moves all messages out, and reserves memory for as many.
    mutating func takeAll() -> MessageQueue {
        var taken = MessageQueue()
        swap(&taken, &self)
        messages.reserve(as: taken.messages)
        return taken
    }

    func forEach(_ body: (AssembledMessage) -> Void) { messages.forEach(body) }

    mutating func removeAll() { self = MessageQueue() }

    /// Appends the messages of `others`.
    mutating func append(all others: inout MessageQueue) {
        guard !isEmpty else { return swap(&self, &others) }
        while let message = others.popFirst() { append(message) }
    }
}
