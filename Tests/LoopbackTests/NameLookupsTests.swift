import SwiftletTransport
import Synchronization
import Testing

@testable import SwiftletCore

@Suite("Name look-ups", .timeLimit(.minutes(5)))
struct NameLookupsTests {
    /// A resolver that blocks its callers until the test calls `answer()`.
    private final class Resolver: Sendable {
        private let state = Mutex<(calls: [String], isHanging: Bool)>(([], true))
        private let gate = BlockingGate()

        var calls: [String] { state.withLock { $0.calls } }

        func answer() {
            state.withLock { $0.isHanging = false }
            gate.open()
        }

        func resolve(_ host: String) -> NameLookups.Answer {
            state.withLock { $0.calls.append(host) }
            while true {
                let mark = gate.mark
                guard state.withLock({ $0.isHanging }) else { break }
                gate.wait(since: mark)
            }
            return .success([.ipv4Loopback(port: 0)])
        }
    }

    @Test("of one name run once at a time, with any number of requests while the resolver hangs")
    func shared() async throws {
        let resolver = Resolver()
        let lookups = NameLookups(maxThreadCount: 8) { resolver.resolve($0) }
        let answers = Mutex(0)
        for _ in 0..<1_000 { _ = lookups.lookUp("a.test") { _ in answers.withLock { $0 += 1 } } }
        let cancelled = lookups.lookUp("a.test") { _ in Issue.record("cancelled") }
        lookups.cancel(cancelled)
        try await eventually { resolver.calls == ["a.test"] }
        #expect(lookups.threadCount == 1)
        resolver.answer()
        try await eventually { answers.withLock { $0 } == 1_000 }
        #expect(resolver.calls == ["a.test"])
    }

    @Test("of many names use no more threads than allowed, and each name gets its turn")
    func bounded() async throws {
        let resolver = Resolver()
        let lookups = NameLookups(maxThreadCount: 4) { resolver.resolve($0) }
        let answers = Mutex(Set<String>())
        for index in 0..<100 {
            _ = lookups.lookUp("\(index).test") { _ in
                _ = answers.withLock { $0.insert("\(index)") }
            }
        }
        try await eventually { resolver.calls.count == 4 }
        #expect(lookups.threadCount == 4)
        resolver.answer()
        try await eventually { answers.withLock { $0.count } == 100 }
        #expect(resolver.calls.count == 100)
    }

    @Test("that were cancelled before a thread was free are left out, and can be requested again")
    func cancelled() async throws {
        let resolver = Resolver()
        let lookups = NameLookups(maxThreadCount: 1) { resolver.resolve($0) }
        let answers = Mutex<[String]>([])
        func lookUp(_ host: String) -> NameLookups.Ticket {
            lookups.lookUp(host) { _ in answers.withLock { $0.append(host) } }
        }
        _ = lookUp("a.test")
        try await eventually { resolver.calls == ["a.test"] }
        for host in ["b.test", "c.test"] { lookups.cancel(lookUp(host)) }
        _ = lookUp("c.test")
        _ = lookUp("d.test")
        resolver.answer()
        try await eventually { answers.withLock { $0 } == ["a.test", "c.test", "d.test"] }
        _ = lookUp("b.test")
        try await eventually { answers.withLock { $0.last } == "b.test" }
        #expect(resolver.calls == ["a.test", "c.test", "d.test", "b.test"])
    }

    @Test("end their threads when no name is left, and begin others for later names")
    func threads() async throws {
        let resolver = Resolver()
        resolver.answer()
        let lookups = NameLookups(maxThreadCount: 4) { resolver.resolve($0) }
        for round in 1...50 {
            let isDone = Mutex(false)
            _ = lookups.lookUp("a.test") { _ in isDone.withLock { $0 = true } }
            try await eventually { isDone.withLock { $0 } && resolver.calls.count == round }
        }
        try await eventually { lookups.threadCount == 0 }
    }
}
