import SwiftletCore

/// The running requests of a ``DuplicateGuard``: at most one for each key.
struct RunningRequests<Key: Hashable, Answer: AnyObject> {
    /// Which running request a new one replaces.
    enum Replacement {
        case any
        /// This one, which cannot be joined. Nil replaces none.
        case one(Answer?)
    }

    private var answers: [Key: Answer] = [:]

    var count: Int { answers.count }

    /// Registers a request, unless another that it does not replace has the key.
    ///
    /// Returns the running request with the key, to decide about both requests; nil if there is
    /// none, or if it is the one that was to be replaced. With `.any`, the request is registered
    /// in any case.
    mutating func register(
        _ answer: Answer, _ key: Key, replacing replacement: Replacement
    ) -> Answer? {
        let existing = answers[key]
        switch replacement {
        case .any:
            answers[key] = answer
            return existing
        case .one(let replaced):
            guard existing == nil || existing === replaced else { return existing }
            answers[key] = answer
            return nil
        }
    }

    /// Removes a request. Does nothing if another has replaced it.
    mutating func forget(_ answer: Answer, _ key: Key) {
        if answers[key] === answer { answers[key] = nil }
    }
}
