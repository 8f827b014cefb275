import SwiftletObservation
import Testing

@testable import SwiftletBalancing
@testable import SwiftletCore

/// A value of the program that the library replaces ends outside the library's locks.
@Suite("A replaced value may use the library at its end", .timeLimit(.minutes(5)))
struct ReleaseTests {
    /// Runs a closure at its end.
    private final class Last: Sendable {
        private let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
        deinit { body() }
    }

    private final class Sink: MetricSink {
        private let last: Last

        init(_ last: Last) { self.last = last }
        func records(_ instrument: MetricInstrument) -> Bool { false }
        func add(_ measurement: MetricMeasurement<Int>) {}
        func record(_ measurement: MetricMeasurement<Double>) {}
    }

    private struct Factory: Sendable {
        let last: Last

        func resolver() -> any Resolver { FixedResolver(endpoints: []) }
        func policy() -> any BalancingPolicy { RoundRobin() }
    }

    @Test("if it is a sink of the process")
    func sink() async {
        await confirmation { hasEnded in
            MetricSinks.ofProcess = [
                Sink(
                    Last {
                        _ = MetricSinks.ofProcess
                        hasEnded()
                    })
            ]
            MetricSinks.ofProcess = []
        }
    }

    @Test("if it makes resolvers")
    func resolver() async throws {
        try await confirmation { hasEnded in
            try Self.register(
                Last {
                    _ = Resolvers.factory(for: "replaced-test")
                    hasEnded()
                })
            try Self.register(Last {})
        }
    }

    private static func register(_ last: Last) throws {
        let factory = Factory(last: last)
        try Resolvers.register("replaced-test") { _ in factory.resolver() }
    }

    @Test("if it parses a balancing policy")
    func policy() async {
        await confirmation { hasEnded in
            Self.registerPolicy(
                Last {
                    _ = BalancingPolicies.parser(named: "replaced_test")
                    hasEnded()
                })
            Self.registerPolicy(Last {})
        }
    }

    private static func registerPolicy(_ last: Last) {
        let factory = Factory(last: last)
        BalancingPolicies.register(name: "replaced_test") { _ in factory.policy() }
    }
}
