import SwiftletCore
import SwiftletMessages

/// Messages of clients that a service keeps. Without a limit, a client could fill the memory of the server.
struct KeptMessages<Element: Message> {
    /// The most bytes of all messages as they were encoded.
    static var maxByteCount: Int { 4 << 20 }
    /// How many bytes an empty message counts for, because it needs memory, too.
    static var leastByteCount: Int { 64 }

    private(set) var all: [Element] = []
    private var byteCount = 0

    /// Throws RESOURCE_EXHAUSTED if the message does not fit.
    mutating func append(_ message: Element) throws(RPCError) {
        byteCount += max(message.encoded().count, Self.leastByteCount)
        guard byteCount <= Self.maxByteCount else {
            throw RPCError(
                .resourceExhausted,
                "the server keeps at most \(Self.maxByteCount) bytes of messages")
        }
        all.append(message)
    }
}
