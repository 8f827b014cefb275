/// The queues of the streams that have something queued. Queues and their memory are reused.
struct SendQueuePool: Sendable {
    private var queues: [SendQueue] = []
    private var free: [Int32] = []

    /// Queues in memory, in use or not.
    var count: Int { queues.count }

    subscript(index: Int) -> SendQueue {
        get { queues[index] }
        _modify { yield &queues[index] }
    }
}

extension SendQueuePool {
    /// Returns the queue of `stream`. Assigns a queue if it has none.
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

    /// Removes the queue from `stream`, and drops its contents.
    mutating func release(_ stream: inout Stream) {
        guard stream.queue >= 0 else { return }
        queues[Int(stream.queue)].removeAll()
        free.append(stream.queue)
        stream.queue = -1
        guard free.count == queues.count, queues.count > Limits.keptQueueCount else { return }
        queues = []
        free = []
    }
}
