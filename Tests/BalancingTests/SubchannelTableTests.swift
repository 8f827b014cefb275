import SwiftletCore
import Testing

@testable import SwiftletBalancing

@Suite("A table of subchannels")
struct SubchannelTableTests {
    @Test("holds what a dictionary holds, whatever is set and removed")
    func random() {
        var generator = SystemRandomNumberGenerator()
        var (table, expected) = (SubchannelTable<Int>(), [Subchannel: Int]())
        for step in 0..<5_000 {
            let subchannel = Subchannel(id: .random(in: 1...60, using: &generator))
            let value = Bool.random(using: &generator) ? step : nil
            table[subchannel] = value
            expected[subchannel] = value
            let other = Subchannel(id: .random(in: 0...61, using: &generator))
            #expect(table[other] == expected[other])
            #expect(table.isEmpty == expected.isEmpty)
        }
    }
}

@Suite("A search in a sorted collection")
struct SortedSearchTests {
    @Test("finds the first element behind a bound, in any part of a collection")
    func places() {
        let numbers = [1, 3, 3, 5]
        #expect(
            (0...6).map { bound in numbers.firstPlace { $0 >= bound } } == [0, 0, 1, 1, 3, 3, 4])
        #expect(numbers[2...].firstPlace { $0 > 3 } == 3)
        #expect(numbers[2...].firstPlace { _ in true } == 2)
        #expect([Int]().firstPlace { _ in true } == 0)
    }
}
