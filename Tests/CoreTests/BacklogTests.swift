import Testing

@testable import SwiftletCore

@Suite("A backlog")
struct BacklogTests {
    @Test("gives back what it was given, in order")
    func order() {
        var backlog = Backlog<Int>()
        var next = 0
        for turn in 0..<1_000 {
            for value in 0..<(turn % 7) { backlog.append(turn * 10 + value) }
            next += turn % 7
            #expect(backlog.count == next)
            if let value = backlog.popFirst() {
                next -= 1
                #expect(value <= turn * 10 + 6)
            }
        }
        var last = -1
        while let value = backlog.popFirst() {
            #expect(value > last)
            last = value
        }
        #expect(backlog.isEmpty && backlog.popFirst() == nil)
    }

    @Test("that is never empty keeps no places for what has left")
    func memory() {
        var backlog = Backlog<Int>()
        for value in 0..<10 { backlog.append(value) }
        for value in 10..<100_000 {
            backlog.append(value)
            let first = backlog.popFirst()
            #expect(first == value - 10)
            #expect(backlog.placeCount <= 256)
        }
    }
}
