/// Messages that have arrived and wait to be asked for, first in, first out.
///
/// Most calls never have more than one, which costs no memory of its own.
struct MessageQueue: Sendable {
    private var first: [UInt8]?
    private var rest: [[UInt8]] = []
    private var restIndex = 0
    /// With the five octets of prefix that each came with.
    private(set) var byteCount = 0

    var isEmpty: Bool { first == nil }

    mutating func append(_ message: [UInt8]) {
        byteCount += message.count
        if first == nil { first = message } else { rest.append(message) }
    }

    mutating func popFirst() -> [UInt8]? {
        guard let message = first.take() else { return nil }
        byteCount -= message.count
        if restIndex < rest.count {
            first = rest[restIndex]
            rest[restIndex] = []
            restIndex += 1
            if restIndex == rest.count {
                rest.removeAll(keepingCapacity: true)
                restIndex = 0
            }
        }
        return message
    }

    mutating func removeAll() { self = MessageQueue() }
}
