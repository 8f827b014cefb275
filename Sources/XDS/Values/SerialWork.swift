import SwiftletCore
import Synchronization

/// The state of an object that handles one input at a time, in the order of the inputs and outside of every lock.
struct SerialWork<Work: Sendable, Input: Sendable>: ~Copyable, Sendable {
    private let inputs = SerialMailbox<Input>()
    /// Nil while an input is handled.
    private let work: Mutex<Work?>

    init(_ work: Work) { self.work = Mutex(work) }

    /// Calls `handle` with the input and the state, and with the inputs that others post meanwhile. If another thread
    /// handles inputs, it handles this one, too.
    borrowing func post(_ input: Input, _ handle: (Input, inout Work) -> Void) {
        inputs.handle(input) { input in
            // Moved out of the lock, so that it has one reference. Only the thread that handles inputs takes it.
            guard var work = work.withLock({ $0.take() }) else { return }
            handle(input, &work)
            self.work.withLock { $0 = work }
        }
    }

    /// The state, when no input can be handled any more.
    var last: Work? { work.withLock { $0 } }
}
