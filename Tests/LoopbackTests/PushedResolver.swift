import Synchronization

@testable import SwiftletCore

/// A resolver whose test reports results.
final class PushedResolver: Resolver {
    private struct State {
        /// Nil before the start.
        var results: ResolverResults?
        /// What was reported before the start.
        var pending: ResolverResult?
    }

    private let state: Mutex<State>

    init(_ first: ResolverResult?) { state = Mutex(State(pending: first)) }

    var isStarted: Bool { state.withLock { $0.results != nil } }

    func start(_ results: ResolverResults) {
        let first = state.withLock { state in
            state.results = results
            return state.pending.take()
        }
        if let first { results.report(first) }
    }

    /// Reports a result, at the latest when the channel starts the resolver.
    func push(_ result: ResolverResult) {
        let results = state.withLock { state in
            if state.results == nil { state.pending = result }
            return state.results
        }
        results?.report(result)
    }

    func requestResolution() {}

    func stop() {}
}
