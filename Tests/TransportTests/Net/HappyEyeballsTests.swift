import Testing

@testable import SwiftletTransport

@Suite("Happy eyeballs")
struct SocketsHappyEyeballsTests {
    typealias Eyeballs = HappyEyeballs

    static func v6(_ port: UInt16) -> SocketAddress { .ipv6Loopback(port: port) }
    static func v4(_ port: UInt16) -> SocketAddress { .ipv4Loopback(port: port) }

    @Test(
        "alternate the families, beginning with that of the first address",
        arguments: [
            ([v6(1), v6(2), v4(3), v4(4)], [v6(1), v4(3), v6(2), v4(4)]),
            ([v4(1), v6(2), v6(3), v6(4)], [v4(1), v6(2), v6(3), v6(4)]),
            ([v4(1), v4(2)], [v4(1), v4(2)]),
            (
                [.unix(path: "a"), v4(1), v4(2), .unix(path: "b")],
                [.unix(path: "a"), v4(1), .unix(path: "b"), v4(2)]
            ),
            ([], []),
        ] as [([SocketAddress], [SocketAddress])])
    func interleaving(given: [SocketAddress], tried: [SocketAddress]) {
        #expect(Eyeballs.interleaved(given) == tried)
    }

    /// An event, its time in milliseconds, and the expected step.
    struct Step: Sendable {
        enum Event: Sendable { case nothing, fails }
        var time: Int
        var event: Event
        var actions: [Eyeballs.Action]

        init(_ time: Int, _ event: Event = .nothing, _ actions: Eyeballs.Action...) {
            self.time = time
            self.event = event
            self.actions = actions
        }
    }

    struct Scenario: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var addressCount: UInt16
        var steps: [Step]
    }

    static let start = MonotonicInstant.now

    static func wait(_ time: Int) -> Eyeballs.Action {
        .wait(until: start + .milliseconds(time))
    }

    @Test(
        "follow RFC 8305 §5",
        arguments: [
            Scenario(
                testDescription: "a slow first goes on beside the next", addressCount: 2,
                steps: [
                    Step(0, .nothing, .start(0), wait(250)),
                    Step(100, .nothing, wait(250)),
                    Step(250, .nothing, .start(1), .wait(until: nil)),
                    Step(300, .fails, .wait(until: nil)),
                ]),
            Scenario(
                testDescription: "a failure starts the next at once", addressCount: 3,
                steps: [
                    Step(0, .nothing, .start(0), wait(250)),
                    Step(5, .fails, .start(1), wait(255)),
                    Step(300, .nothing, .start(2), .wait(until: nil)),
                    Step(310, .fails, .wait(until: nil)),
                    Step(320, .fails, .failed),
                ]),
            Scenario(
                testDescription: "all fail", addressCount: 2,
                steps: [
                    Step(0, .nothing, .start(0), wait(250)),
                    Step(250, .nothing, .start(1), .wait(until: nil)),
                    Step(260, .fails, .wait(until: nil)),
                    Step(270, .fails, .failed),
                ]),
            Scenario(
                testDescription: "there is no address", addressCount: 0,
                steps: [Step(0, .nothing, .failed)]),
        ])
    func scenarios(_ scenario: Scenario) {
        var eyeballs = Eyeballs(addresses: (0..<scenario.addressCount).map(Self.v4))
        for step in scenario.steps {
            let now = Self.start + .milliseconds(step.time)
            switch step.event {
            case .nothing: break
            case .fails: eyeballs.attemptFailed()
            }
            for action in step.actions {
                #expect(eyeballs.next(now: now) == action, "at \(step.time) ms")
            }
        }
    }

    @Test("keep their attempts when other addresses are added, removed or reordered")
    func replacement() {
        var eyeballs = Eyeballs(addresses: [Self.v4(1), Self.v4(2), Self.v4(3)])
        #expect(eyeballs.next(now: Self.start) == .start(0))
        eyeballs.replacePending(by: [Self.v4(4), Self.v4(3)])
        #expect(Array(eyeballs.started) == [Self.v4(1)])
        #expect(eyeballs.addresses == [Self.v4(1), Self.v4(4), Self.v4(3)])
        #expect(eyeballs.next(now: Self.start) == Self.wait(250))
        // The address of a started attempt keeps its place until the attempt ends.
        eyeballs.replacePending(by: [Self.v4(3)])
        eyeballs.attemptFailed()
        #expect(eyeballs.next(now: Self.start) == .start(1))
        #expect(eyeballs.addresses[1] == Self.v4(3))
        eyeballs.replacePending(by: [])
        eyeballs.attemptFailed()
        #expect(eyeballs.next(now: Self.start) == .failed)
    }

    @Test(
        "keep the delay between attempts within 100 ms and 2 s",
        arguments: [(0, 100), (100, 100), (777, 777), (60_000, 2_000)])
    func clamping(asked: Int, kept: Int) {
        var eyeballs = Eyeballs(
            addresses: [Self.v4(1), Self.v4(2)], attemptDelay: .milliseconds(asked))
        _ = eyeballs.next(now: Self.start)
        #expect(eyeballs.next(now: Self.start) == Self.wait(kept))
    }
}
