import Synchronization

@testable import SwiftletCore

/// A resolver whose test reports results.
final class PushedResolver: Resolver {
    private struct State {
        /// Nil before the start.
        var results: ResolverResults?
        /// What was reported before the start.
        var pending: ResolverResult?
        var loop: EventLoop?
    }

    private let state: Mutex<State>

    init(_ first: ResolverResult?) { state = Mutex(State(pending: first)) }

    var isStarted: Bool { state.withLock { $0.results != nil } }

    /// For a factory of resolvers: this resolver, for a channel whose loop handles the results.
    func made(on channel: ResolverChannel) -> PushedResolver {
        state.withLock { $0.loop = channel.loop }
        return self
    }

    /// The target of channels that use this resolver.
    func target(_ path: String = "x") -> String {
        OwnScheme.target(path) { self.made(on: $0) }
    }

    func start(_ results: ResolverResults) {
        let first = state.withLock { state in
            state.results = results
            return state.pending.take()
        }
        if let first { results.report(first) }
    }

    /// Reports a result, at the latest when the channel starts the resolver. Returns when the channel has handled it.
    func push(_ result: ResolverResult) async {
        let (results, loop) = state.withLock { state in
            if state.results == nil { state.pending = result }
            return (state.results, state.loop)
        }
        guard let results else { return }
        results.report(result)
        guard let loop else { return }
        await withCheckedContinuation { isHandled in loop.run { isHandled.resume() } }
    }

    func requestResolution() {}

    func stop() {}
}
