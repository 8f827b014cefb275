import Testing

@testable import SwiftletTransport

@Suite("A window for sending")
struct FlowControlWindowTests {
    @Test("may reach 2³¹−1 and not one byte more (RFC 9113 §6.9.1)")
    func upperBound() throws {
        var window = FlowControlWindow(initial: .max - 1)
        try window.grow(by: 1)
        #expect(window.available == .max)
        #expect(throws: FlowControlWindow.Overflow.self) { try window.grow(by: 1) }
        #expect(throws: FlowControlWindow.Overflow.self) { try window.grow(by: .max) }
        #expect(window.available == .max, "a refused update changes nothing")
    }

    @Test("cannot exceed its lower bound by any sequence of legal settings")
    func lowerBound() throws {
        var window = FlowControlWindow(initial: .max)
        window.spend(Int(Int32.max))
        try window.adjust(by: -Int64(Int32.max))
        #expect(window.available == -Int32.max)
        #expect(throws: FlowControlWindow.Overflow.self) { try window.adjust(by: -1) }
        try window.grow(by: UInt32(Int32.max))
        #expect(window.available == 0)
    }
}

@Suite("A window for receiving")
struct ReceiveWindowTests {
    @Test("holds back small updates, and sends one for half of itself")
    func batches() {
        var window = ReceiveWindow(byteCount: 100)
        let taken = window.receive(100)
        #expect(taken)
        let excess = window.receive(1)
        #expect(!excess)
        let small = window.consume(49)
        #expect(small == nil)
        let half = window.consume(1)
        #expect(half == 50)
        #expect(window.available == 50 && window.held == 50)
    }

    @Test("grows at once to hold the message that the reader waits for, and once only")
    func awaited() {
        var window = ReceiveWindow(byteCount: 100)
        _ = window.receive(20)
        let fits = window.consume(10, awaiting: 80)
        #expect(fits == nil, "the peer may send all of the message")
        let grown = window.consume(10, awaiting: 1_000)
        #expect(grown == 920)
        #expect(window.available == 1_000 && window.target == 1_000)
        _ = window.receive(400)
        let waits = window.consume(400, awaiting: 600)
        #expect(waits == nil, "the rest of the message fits")
        _ = window.receive(600)
        let whole = window.consume(600)
        #expect(whole == 1_000)
    }

    @Test("returns all owed bytes for an awaited message, and grows only by bytes missing then")
    func awaitedAndOwed() {
        var window = ReceiveWindow(byteCount: 100)
        _ = window.receive(40)
        let increment = window.consume(40, awaiting: 90)
        #expect(increment == 40 && window.target == 100)
    }

    @Test("stays below 2³¹ for any message that the reader waits for")
    func awaitedLimit() {
        var window = ReceiveWindow(byteCount: .max - 10)
        _ = window.receive(100)
        _ = window.consume(50, awaiting: .max)
        #expect(window.target == .max)
        #expect(Int(window.available) + Int(window.held) == Int(Int32.max))
        var lowered = ReceiveWindow(byteCount: 100)
        _ = lowered.receive(90)
        _ = lowered.adjust(by: -.max)
        let increment = lowered.consume(1, awaiting: .max)
        #expect(increment != nil)
    }

    @Test("stays lowered when bytes are read and no message is awaited")
    func loweredInUse() {
        var window = ReceiveWindow(byteCount: 65_536)
        _ = window.receive(40_001)
        _ = window.adjust(by: -64_536)
        let increment = window.consume(5)
        #expect(increment == nil && window.target == 1_000)
    }

    @Test("accepts empty frames even when it is used up")
    func empty() {
        var window = ReceiveWindow(byteCount: 0)
        let taken = window.receive(0)
        #expect(taken)
    }

    @Test("may become negative while data is on its way, and recovers as it is read")
    func lowered() {
        var window = ReceiveWindow(byteCount: 100)
        _ = window.receive(80)
        let nothing = window.adjust(by: -90)
        #expect(nothing == nil)
        #expect(window.available == -70 && window.target == 10)
        let refused = window.receive(1)
        #expect(!refused)
        let increment = window.consume(80)
        #expect(increment == 80)
        #expect(window.available == 10)
    }

    @Test(
        "sends an update at once when lowering makes the owed bytes half of it",
        arguments: [0, 1, 29, 30, 59, 60, 61, 62, 63, 100])
    func loweredBelowWhatIsOwed(_ byteCount: Int32) {
        var window = ReceiveWindow(byteCount: 100)
        _ = window.receive(60)
        let small = window.consume(30)
        #expect(small == nil)
        let increment = window.adjust(by: byteCount - 100)
        #expect(increment == (byteCount < 62 ? 30 : nil))
        #expect(window.available == byteCount - 60 + Int32(increment ?? 0))
    }

    @Test("keeps the sum of its bytes in every sequence of operations", arguments: UInt64(1)...20)
    func conservation(_ seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        var window = ReceiveWindow(byteCount: 1_000)
        /// The bytes that the peer may send, according to the frames that it has received.
        var permitted = 1_000
        for _ in 0..<2_000 {
            switch Int.random(in: 0..<4, using: &generator) {
            case 0, 1:
                let count = Int.random(in: 0...400, using: &generator)
                let taken = window.receive(count)
                #expect(taken == (count == 0 || count <= permitted))
                if taken { permitted -= count }
            case 2:
                let count = Int.random(in: 0...Int(window.held), using: &generator)
                permitted += Int(window.consume(count) ?? 0)
            default:
                let growth = Int32.random(in: -200...250, using: &generator)
                guard window.target + growth > 0 else { break }
                let increment = window.adjust(by: growth)
                permitted += Int(growth) + Int(increment ?? 0)
            }
            #expect(Int(window.available) == permitted)
            let lost = Int(window.target) - permitted - Int(window.held)
            #expect(lost >= 0 && lost < max(1, Int(window.target) / 2), "none is kept for good")
        }
    }

    @Test("returns nothing that the last message does not need")
    func last() {
        var window = ReceiveWindow(byteCount: 100)
        _ = window.receive(100)
        let growth = window.consume(100, awaiting: 900, isLast: true)
        #expect(growth == 900)
        _ = window.receive(890)
        let nothing = window.consume(890, awaiting: 10, isLast: true)
        #expect(nothing == nil)
        #expect(window.available == 10 && window.held == 0)
        let more = window.consume(0, awaiting: 11, isLast: true)
        #expect(more == 890)
    }

    @Test("is enlarged up to the largest window, and never made smaller")
    func enlarge() {
        var window = ReceiveWindow(byteCount: .max - 1)
        let one = window.enlarge(to: .max)
        #expect(one == 1)
        let none = window.enlarge(to: .max)
        #expect(none == nil)
        let smaller = window.enlarge(to: 10)
        #expect(smaller == nil && window.target == .max)
    }

    @Test("sends no update when it is enlarged to its present size")
    func enlargeToSame() {
        var window = ReceiveWindow(byteCount: 100)
        let isWithin = window.receive(30)
        #expect(isWithin)
        let small = window.consume(30)
        #expect(small == nil)
        let same = window.enlarge(to: 100)
        #expect(same == nil)
        #expect(window.available == 70)
    }
}
