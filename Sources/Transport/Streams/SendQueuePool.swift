/// The queues of those streams that have something queued, used again with their memory.
struct SendQueuePool: Sendable {
    private var queues: [SendQueue] = []
    private var free: [Int32] = []

    subscript(index: Int) -> SendQueue {
        get { queues[index] }
        _modify { yield &queues[index] }
    }
}

extension SendQueuePool {
    /// The queue of `stream`, which gets one if it has none.
    mutating func obtain(for stream: inout Stream) -> Int {
        if stream.queue < 0 {
            if let reused = free.popLast() {
                stream.queue = reused
            } else {
                queues.append(SendQueue())
                stream.queue = Int32(queues.count - 1)
            }
        }
        return Int(stream.queue)
    }

    /// Takes the queue away from `stream` and drops what is in it.
    mutating func release(_ stream: inout Stream) {
        guard stream.queue >= 0 else { return }
        queues[Int(stream.queue)].removeAll()
        free.append(stream.queue)
        stream.queue = -1
    }
}
