import Testing

@testable import SwiftletTransport

@Suite("A backlog")
struct BacklogTests {
    @Test("is a queue under any sequence of operations")
    func model() throws {
        var generator = SplitMix64(seed: 3)
        var backlog = Backlog<[Int]>()
        var model: [[Int]] = []
        for turn in 0..<20_000 {
            // The queue grows for 1,000 turns, then shrinks for 1,000, so that places become free and
            // are used again.
            let grows = turn / 1_000 % 2 == 0
            switch Int.random(in: 0..<100, using: &generator) {
            case 0..<(grows ? 60 : 30):
                backlog.append([turn])
                model.append([turn])
            case ..<90:
                try #require(backlog.popFirst() == (model.isEmpty ? nil : model.removeFirst()))
            case ..<94:
                let count = backlog.changeFirst { first in
                    first.append(turn)
                    return first.count
                }
                if !model.isEmpty { model[0].append(turn) }
                #expect(count == model.first?.count)
            case ..<99:
                let count = backlog.changeLast { last in
                    last.append(-turn)
                    return last.count
                }
                if !model.isEmpty { model[model.count - 1].append(-turn) }
                #expect(count == model.last?.count)
            default:
                guard turn % 7 == 0 else { continue }
                backlog.removeAll(keepingAtMost: turn % 50)
                model = []
            }
            #expect(backlog.count == model.count)
            #expect(backlog.isEmpty == model.isEmpty)
            #expect(backlog.first == model.first)
        }
        while let value = backlog.popFirst() { #expect(value == model.removeFirst()) }
        #expect(model.isEmpty && backlog.isEmpty)
    }

    @Test("that is never empty does not keep the memory of removed elements")
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

    @Test("that is emptied keeps its memory when it is small")
    func emptying() {
        var backlog = Backlog<Int>()
        for value in 0..<100 { backlog.append(value) }
        backlog.removeAll()
        #expect(backlog.rest.capacity >= 99)
        for value in 0..<10 { backlog.append(value) }
        backlog.removeAll(keepingAtMost: 16)
        #expect(backlog.rest.capacity == 0)
        for value in 0..<10 { backlog.append(value) }
        backlog.removeAll(keepingAtMost: 20)
        #expect(backlog.rest.capacity >= 9)
    }
}
