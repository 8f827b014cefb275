package import SwiftletCore
import SwiftletTransport
import Synchronization

extension Resumption {
    /// Blocks the thread. If `queue` is turned by hand, the thread turns it meanwhile.
    package static func block(on queue: CompletionQueue?, _ begin: (Resumption) -> Void) -> Value {
        let gate = BlockingGate()
        let found = Mutex<Value?>(nil)
        begin(
            Resumption(thread: { value in
                found.withLock { $0 = value }
                gate.open()
                queue?.wakeTurner()
            }))
        while true {
            if let value = found.withLock({ $0.take() }) { return value }
            if let queue, queue.mode == .byHand {
                queue.turn { found.withLock { $0 == nil } }
            } else {
                gate.wait()
            }
        }
    }
}
