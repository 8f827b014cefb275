extension EventLoop {
    /// The loop for the timer of an object on this loop. If a task awaits the object, and the queue of this
    /// loop is turned by hand, the shared queue runs the timer: it is possible that no thread turns
    /// the object's queue in the meantime.
    package func timerLoop(isAwaited: Bool) -> EventLoop {
        guard isAwaited, isTurnedByHand, !isCurrent, let shared = try? CompletionQueue.shared
        else { return self }
        return shared.loop
    }
}
