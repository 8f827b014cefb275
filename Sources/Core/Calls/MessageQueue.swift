import SwiftletTransport

/// Messages that have arrived and wait to be asked for, first in, first out.
package struct MessageQueue: Sendable {
    private var messages = Backlog<AssembledMessage>()
    /// What they took of the stream's window: with their prefixes, or a server that sends empty
    /// ones could go on for ever.
    private(set) var byteCount = 0
    private var compressedCount = 0

    /// Whether all of them can be read as they are.
    var isPlain: Bool { compressedCount == 0 }
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

    /// Gives all messages away, and gets memory for as many again.
    mutating func takeAll() -> MessageQueue {
        var taken = MessageQueue()
        swap(&taken, &self)
        messages.reserve(as: taken.messages)
        return taken
    }

    mutating func removeAll() { self = MessageQueue() }

    /// Puts the messages of `others` behind its own.
    mutating func append(all others: inout MessageQueue) {
        guard !isEmpty else { return swap(&self, &others) }
        while let message = others.popFirst() { append(message) }
    }
}
