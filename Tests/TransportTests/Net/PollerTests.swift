import Foundation
import Testing

@testable import SwiftletTransport

@Suite("A poller")
struct SocketsPollerTests {
    let minute = MonotonicInstant.now + .seconds(60)

    @Test("waits for no more than half a minute, because its clock stands while the system sleeps")
    func longestWait() {
        #expect(Poller.milliseconds(until: nil) == -1)
        #expect(Poller.milliseconds(until: .now + .seconds(-1)) == 0)
        #expect((1...20_000).contains(Poller.milliseconds(until: .now + .seconds(20))))
        for seconds in [31, 3_600, 1 << 40] {
            #expect(Poller.milliseconds(until: .now + .seconds(seconds)) == 30_000)
        }
    }

    @Test("reports each event once")
    func edges() throws {
        let poller = try Poller()
        try Socket.withPair { left, right in
            var right = right
            var events: [Poller.Event] = []
            try poller.add(left.descriptor, token: 7)
            try poller.wait(until: minute, into: &events)
            #expect(events.map(\.token) == [7] && events.map(\.readiness) == [.writable])

            try poller.wait(until: .now, into: &events)
            #expect(events.isEmpty, "nothing new has happened")

            try right.sendAll([1])
            try poller.wait(until: minute, into: &events)
            var both = Poller.Readiness.readable
            both.formUnion(.writable)
            #expect(events.map(\.token) == [7] && events.map(\.readiness) == [both])

            try right.sendAll([2])
            try poller.wait(until: minute, into: &events)
            #expect(events.count == 1, "new bytes are reported, although the first were not read")
        }
    }

    @Test("distinguishes a hang-up from bytes")
    func hangUp() throws {
        let poller = try Poller()
        try Socket.withPair { left, right in
            var right = right
            var events: [Poller.Event] = []
            try poller.add(left.descriptor, token: 1)
            try right.sendAll([1])
            try right.endWriting()
            try poller.wait(until: minute, into: &events)
            #expect(events.first?.readiness.contains(.hungUp) == true)
            var buffer = ReceiveBuffer()
            #expect(try buffer.read(from: left) == .bytes(1))
            #expect(try buffer.read(from: left) == .endOfStream)
        }
    }

    @Test("reports writability without a system call that asks for it")
    func writable() throws {
        let poller = try Poller()
        try Socket.withPair { left, right in
            var right = right
            var events: [Poller.Event] = []
            try poller.add(left.descriptor, token: 1)
            try poller.wait(until: minute, into: &events)
            var list = GatherList()
            let total = 4 << 20
            list.append(referencing: [UInt8](repeating: 1, count: total))
            while try left.write(gathering: &list) != .wouldBlock {}
            try poller.wait(until: .now, into: &events)
            #expect(events.isEmpty)
            _ = try right.readAll(total - list.count)
            try poller.wait(until: minute, into: &events)
            #expect(events.first?.readiness.contains(.writable) == true)
        }
    }

    @Test("reports nothing after removal")
    func removal() throws {
        let poller = try Poller()
        try Socket.withPair { left, _ in
            var events: [Poller.Event] = []
            try poller.add(left.descriptor, token: 1)
            try poller.wait(until: minute, into: &events)
            #expect(events.map(\.token) == [1])
            try poller.remove(left.descriptor)
            try poller.wait(until: .now, into: &events)
            #expect(events.isEmpty)
            #expect(throws: SystemError.self) { try poller.remove(left.descriptor) }
        }
    }

    @Test("does not wait when it was woken up before")
    func wokenBefore() throws {
        let poller = try Poller()
        var events: [Poller.Event] = []
        for _ in 0..<1_000 { poller.wakeUp() }
        let wasWoken = try poller.wait(until: nil, into: &events)
        #expect(wasWoken && events.isEmpty)
        let again = try poller.wait(until: .now, into: &events)
        #expect(!again && events.isEmpty)
    }

    @Test("wakes up for every call from any thread")
    func wakeUps() async throws {
        let poller = try Poller()
        let (total, threads) = (20_000, 4)
        let posted = Counter()
        let callers = (0..<threads).map { _ in
            Thread {
                for _ in 0..<total / threads {
                    posted.add(1)
                    poller.wakeUp()
                }
            }
        }
        callers.forEach { $0.start() }
        var events: [Poller.Event] = []
        // Waits without a deadline, so that a lost wake-up would hang the test.
        while posted.value < total { try poller.wait(until: nil, into: &events) }
        #expect(posted.value == total)
    }

    @Test("returns when the deadline has passed, never before")
    func deadline() throws {
        let poller = try Poller()
        var events: [Poller.Event] = []
        let deadline = MonotonicInstant.now + .microseconds(1_500)
        try poller.wait(until: deadline, into: &events)
        #expect(MonotonicInstant.now >= deadline)
    }
}
