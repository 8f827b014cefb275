import SwiftletTransport
import Testing

@testable import SwiftletCore

/// The pool in virtual time, with connections and calls that do nothing.
@Suite("A pool of connections of HTTP/1.1")
struct HTTP1PoolTests {
    @Test("connects once for each call that waits, up to its limit")
    func limit() {
        for (callCount, expected) in [(0, 0), (1, 1), (2, 2), (3, 3), (10, 3)] {
            let pool = Pool(maxCount: 3)
            for _ in 0..<callCount { pool.add(Call()) }
            #expect(pool.attempts() == expected)
            #expect(pool.connectivity == (callCount == 0 ? .idle : .connecting))
        }
        let least = Pool(maxCount: 0)
        least.add(Call())
        #expect(least.attempts() == 1, "a pool has room for one connection at least")
    }

    @Test("counts connections in use, free ones and attempts against its limit")
    func limitOfAll() {
        let pool = Pool(maxCount: 2)
        let (busy, free) = (Link(), Link())
        for _ in 0..<2 { pool.add(Call()) }
        #expect(pool.attempts() == 2)
        pool.attemptSucceeded(busy)
        #expect(pool.opened() != nil)
        #expect(pool.attempts() == 0)
        pool.attemptSucceeded(free)
        #expect(pool.opened() != nil)
        for _ in 0..<5 { pool.add(Call()) }
        #expect(pool.attempts() == 0)
        pool.remove(busy)
        #expect(pool.attempts() == 1, "a connection that has ended makes room")
        #expect(pool.links.count == 1 && pool.connectivity == .ready)
    }

    @Test("gives connections to calls in the order in which the calls began to wait")
    func order() {
        let pool = Pool(maxCount: 1)
        let calls = (0..<4).map { _ in Call() }
        for call in calls { pool.add(call) }
        #expect(pool.attempts() == 1)
        let link = Link()
        pool.attemptSucceeded(link)
        for call in calls {
            #expect(pool.opened() === call)
            #expect(pool.opened() == nil)
            pool.free(link)
        }
    }

    @Test("gives a refused call the next connection, before all other calls")
    func refusal() {
        let pool = Pool(maxCount: 1)
        let (first, second) = (Call(), Call())
        pool.add(first)
        pool.add(second)
        #expect(pool.attempts() == 1)
        let stale = Link()
        pool.attemptSucceeded(stale)
        #expect(pool.opened() === first)
        pool.remove(stale)
        pool.putBack(first)
        #expect(pool.attempts() == 1)
        pool.attemptSucceeded(Link())
        #expect(pool.opened() === first)
    }

    @Test("uses the connection again that was used last, so that others may become idle")
    func lastUsed() {
        let pool = Pool(maxCount: 2)
        let (old, recent) = (Link(), Link())
        for link in [old, recent] {
            pool.add(Call())
            _ = pool.attempts()
            pool.attemptSucceeded(link)
            _ = pool.opened()
        }
        pool.free(old)
        pool.free(recent)
        pool.add(Call())
        guard case .open(_, let link) = pool.nextStep() else {
            Issue.record("the call got no connection")
            return
        }
        #expect(link === recent)
    }

    @Test("closes the connections that no call has used for the idle time-out, and no others")
    func idle() {
        let pool = Pool(maxCount: 3)
        let links = (0..<3).map { Link(idleSince: Self.start + .seconds($0 * 10)) }
        for _ in links { pool.add(Call()) }
        _ = pool.attempts()
        for link in links { pool.attemptSucceeded(link) }
        let busy = links[2]
        for _ in links { _ = pool.opened() }
        pool.free(links[0])
        pool.free(links[1])
        #expect(pool.takeFree(idleSince: Self.start - .seconds(1)).isEmpty)
        #expect(
            pool.takeFree(idleSince: Self.start).map(ObjectIdentifier.init) == [.init(links[0])])
        #expect(pool.takeFree(idleSince: Self.start + .seconds(60)).count == 1)
        #expect(pool.links.map(ObjectIdentifier.init) == [.init(busy)])
        #expect(pool.takeFree().isEmpty)
    }

    @Test("removes calls that end while they wait, and gives their place to the next")
    func cancellation() {
        let pool = Pool(maxCount: 1)
        let calls = (0..<3).map { _ in Call() }
        for call in calls { pool.add(call) }
        _ = pool.attempts()
        calls[0].end()
        #expect(pool.takeEnded().map(ObjectIdentifier.init) == [.init(calls[0])])
        pool.attemptSucceeded(Link())
        #expect(pool.opened() === calls[1])
        #expect(!pool.isUnused)
    }

    @Test("keeps a limited number of ended calls, however many end after one that waits")
    func manyCancellations() {
        let pool = Pool(maxCount: 1)
        let first = Call()
        pool.add(first)
        var most = 0
        for _ in 0..<10_000 {
            let call = Call()
            call.end()
            pool.add(call)
            _ = pool.takeEnded()
            most = max(most, pool.waiting.count)
        }
        #expect(most <= 128)
        #expect(pool.waiting.first === first)
        first.end()
        #expect(pool.isUnused)
    }

    @Test("fails the calls that waited for the last attempt, except those that wait for ready")
    func failure() {
        let pool = Pool(maxCount: 2)
        let (patient, hasty) = (Call(waitsForReady: true), Call())
        pool.add(patient)
        pool.add(hasty)
        #expect(pool.attempts() == 2)
        #expect(pool.attemptFailed(begun: Self.start).isEmpty, "another attempt is under way")
        #expect(pool.isWaiting())
        let failed = pool.attemptFailed(begun: Self.start)
        #expect(failed.count == 1 && failed.first === hasty)
        #expect(pool.waiting.count == 1 && pool.waiting.first === patient)
        #expect(pool.connectivity == .transientFailure)
    }

    @Test("fails no call with an attempt while there is a connection")
    func failureBesideConnection() {
        let pool = Pool(maxCount: 2)
        pool.add(Call())
        pool.add(Call())
        #expect(pool.attempts() == 2)
        pool.attemptSucceeded(Link())
        #expect(pool.opened() != nil)
        #expect(pool.attemptFailed(begun: Self.start).isEmpty)
        #expect(pool.waiting.count == 1)
    }

    @Test("fails further calls with the last failure until the delay has passed")
    func delay() {
        let pool = Pool(maxCount: 2)
        let (patient, hasty) = (Call(waitsForReady: true), Call())
        pool.add(patient)
        #expect(pool.attempts() == 1)
        pool.attemptFailed(begun: Self.start)
        pool.add(hasty)
        guard case .fail(let failed, let failure, let next?) = pool.nextStep() else {
            Issue.record("no call has failed")
            return
        }
        #expect(failed === hasty && failure.attemptNumber == 1)
        #expect(next > Self.start)
        #expect(pool.isWaiting())
        #expect(!pool.beginAttempt(now: Self.start))
        guard case .connect = pool.nextStep(now: next) else {
            Issue.record("the pool does not connect when the delay has passed")
            return
        }
        let link = Link(begun: next, hasResponded: true)
        pool.attemptSucceeded(link)
        #expect(pool.opened() === patient)
        #expect(pool.lastFailure == nil)
        pool.free(link)
        #expect(pool.nextAttempt == nil, "the connection has carried a response")
    }

    @Test("counts a connection that is lost at once, before a response, as a failed attempt")
    func lostAtOnce() throws {
        let pool = Pool(maxCount: 2)
        let patient = Call(waitsForReady: true)
        pool.add(patient)
        var now = Self.start
        for number in 1...5 {
            guard case .connect = pool.nextStep(now: now) else {
                Issue.record("the pool does not connect when the delay has passed")
                return
            }
            let link = Link(begun: now)
            pool.attemptSucceeded(link)
            #expect(pool.opened() === patient)
            let hasty = Call()
            pool.add(hasty)
            let failed = pool.lose(link, now: now + .milliseconds(1))
            #expect(failed.count == 1 && failed.first === hasty)
            pool.putBack(patient)
            #expect(pool.isWaiting(now: now + .milliseconds(1)), "there is no pause")
            #expect(pool.lastFailure?.attemptNumber == number)
            now = try #require(pool.retryTime(now: now))
        }
    }

    @Test("has no delay after the loss of a connection that carried a response or is old")
    func lostLater() throws {
        for (link, age) in [
            (Link(begun: Self.start, hasResponded: true), Duration.milliseconds(1)),
            (Link(begun: Self.start), .seconds(1)),
        ] {
            let pool = Pool(maxCount: 1)
            pool.add(Call())
            #expect(pool.attempts() == 1)
            pool.attemptSucceeded(link)
            #expect(pool.opened() != nil)
            pool.add(Call())
            #expect(pool.lose(link, now: Self.start + age).isEmpty)
            #expect(pool.connectivity == .idle)
            #expect(pool.attempts() == 1)
        }
    }

    @Test("counts a connection that this side ends as no failure")
    func endedByThisSide() {
        let pool = Pool(maxCount: 1)
        let link = Link(begun: Self.start)
        pool.add(Call())
        #expect(pool.attempts() == 1)
        pool.attemptSucceeded(link)
        #expect(pool.opened() != nil)
        pool.remove(link)
        #expect(pool.connectivity == .idle && pool.nextAttempt == nil)
    }

    @Test("counts attempts that fail side by side as one failure, and later ones each")
    func failuresSideBySide() throws {
        let pool = Pool(maxCount: 6)
        for _ in 0..<6 { pool.add(Call(waitsForReady: true)) }
        #expect(pool.attempts() == 6)
        for _ in 0..<6 { pool.attemptFailed(begun: Self.start) }
        #expect(pool.lastFailure?.attemptNumber == 1)
        let next = try #require(pool.nextAttempt)
        #expect(next <= Self.start + .milliseconds(1_201))
        guard case .connect = pool.nextStep(now: next) else {
            Issue.record("the pool does not connect when the delay has passed")
            return
        }
        pool.attemptFailed(begun: next)
        #expect(pool.lastFailure?.attemptNumber == 2)
        #expect(try #require(pool.nextAttempt) > next)
    }

    @Test(
        "has a time for the next attempt only while a call waits and no attempt runs"
    )
    func retryTime() throws {
        let pool = Pool(maxCount: 2)
        #expect(pool.retryTime(now: Self.start) == nil)
        pool.add(Call(waitsForReady: true))
        #expect(pool.attempts() == 1)
        #expect(pool.retryTime(now: Self.start) == nil)
        pool.attemptFailed(begun: Self.start)
        let next = try #require(pool.nextAttempt)
        #expect(pool.retryTime(now: Self.start) == next)
        guard case .connect = pool.nextStep(now: next) else {
            Issue.record("the pool does not connect when the delay has passed")
            return
        }
        // The attempt is running, and the call waits until it ends.
        #expect(pool.isWaiting(now: next))
        #expect(pool.retryTime(now: next) == nil)
        #expect(pool.retryTime(now: next + .seconds(5)) == nil)
    }

    @Test("connects at once when the network is available again")
    func recovery() {
        let pool = Pool(maxCount: 1)
        pool.add(Call(waitsForReady: true))
        #expect(pool.attempts() == 1)
        pool.attemptFailed(begun: Self.start)
        #expect(pool.attempts() == 0)
        pool.resetBackoff()
        #expect(pool.attempts() == 1)
    }

    @Test("makes one connection ahead of the first call, and none beside another")
    func ahead() {
        let pool = Pool(maxCount: 3)
        #expect(pool.beginAttempt(now: Self.start))
        #expect(!pool.beginAttempt(now: Self.start))
        pool.add(Call())
        #expect(pool.attempts() == 0, "the attempt under way is for the call")
        pool.attemptEnded()
        #expect(pool.attempts() == 1)
    }

    @Test("handles the end of a connection that is free, in use or unknown")
    func removal() {
        let pool = Pool(maxCount: 2)
        let link = Link()
        pool.remove(link)
        pool.free(link)
        #expect(pool.links.isEmpty, "a connection that is not in use cannot become free")
        pool.add(Call())
        _ = pool.attempts()
        pool.attemptSucceeded(link)
        pool.remove(link)
        #expect(pool.links.isEmpty)
        #expect(pool.opened() == nil)
    }
}
