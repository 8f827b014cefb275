import Synchronization

@testable import SwiftletCore

/// A resolver whose test reports results.
final class PushedResolver: Resolver {
    let results = Mutex<ResolverResults?>(nil)
    private let pending: Mutex<ResolverResult?>

    init(_ first: ResolverResult?) { pending = Mutex(first) }

    func start(_ results: ResolverResults) {
        self.results.withLock { $0 = results }
        if let first = pending.withLock({ $0.take() }) { results.report(first) }
    }

    func push(_ result: ResolverResult) { results.withLock { $0 }?.report(result) }

    func requestResolution() {}

    func stop() {}
}
