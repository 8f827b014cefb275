/// Messages that have arrived and wait to be asked for, first in, first out.
///
/// Most calls never have more than one, which costs no memory of its own.
struct MessageQueue: Sendable {
    private var first: AssembledMessage?
    private var rest: [AssembledMessage] = []
    private var restIndex = 0
    /// As they lie here, which for a compressed message is as it came.
    private(set) var byteCount = 0

    var isEmpty: Bool { first == nil }

    mutating func append(_ message: AssembledMessage) {
        byteCount += message.octets.count
        if first == nil { first = message } else { rest.append(message) }
    }

    mutating func popFirst() -> AssembledMessage? {
        guard let message = first.take() else { return nil }
        byteCount -= message.octets.count
        if restIndex < rest.count {
            first = rest[restIndex]
            rest[restIndex].octets = []
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
