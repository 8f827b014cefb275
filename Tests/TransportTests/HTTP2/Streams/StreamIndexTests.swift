import Testing

@testable import SwiftletTransport

@Suite("The index of streams")
struct StreamIndexTests {
    @Test(
        "finds what a dictionary finds, under any insertions and removals",
        arguments: UInt64(1)...20)
    func model(_ seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        var index = StreamIndex()
        var model: [UInt32: Int] = [:]
        // Identifiers that are far apart share few places of the table.
        let stride: UInt32 = seed % 2 == 0 ? 2 : 1 << 19
        for _ in 0..<3_000 {
            let key = UInt32.random(in: 0..<200, using: &generator) &* stride | 1
            let id = StreamID(wire: key)
            try #require(index[id] == model[id.rawValue])
            if model.removeValue(forKey: id.rawValue) != nil {
                index.remove(id)
            } else {
                let slot = Int.random(in: 0..<1_000_000, using: &generator)
                index.insert(id, slot: slot)
                model[id.rawValue] = slot
            }
            #expect(index.count == model.count)
        }
        for (key, slot) in model { #expect(index[StreamID(wire: key)] == slot) }
    }

    @Test("ignores the removal of a missing identifier")
    func absent() {
        var index = StreamIndex()
        index.insert(StreamID(wire: 1), slot: 4)
        index.remove(StreamID(wire: 3))
        #expect(index.count == 1)
        #expect(index[StreamID(wire: 1)] == 4)
    }
}

@Suite("A list of streams")
struct StreamListTests {
    @Test("keeps its order when elements are removed from its middle", arguments: UInt64(1)...10)
    func model(_ seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        var slots = [Stream](repeating: Stream(), count: 20)
        var list = StreamList()
        var model: [Int] = []
        for _ in 0..<500 {
            let slot = Int.random(in: 0..<20, using: &generator)
            switch Int.random(in: 0..<3, using: &generator) {
            case 0:
                if !model.contains(slot) {
                    list.append(slot, in: &slots)
                    model.append(slot)
                }
            case 1:
                list.remove(slot, in: &slots)
                model.removeAll { $0 == slot }
            default:
                let first = list.popFirst(in: &slots)
                #expect(first == model.first)
                if !model.isEmpty { model.removeFirst() }
            }
            #expect(list.isEmpty == model.isEmpty)
        }
    }
}

@Suite("A handle")
struct StreamHandleTests {
    @Test("of a stream that has ended does not name the next stream in its slot")
    func reuse() {
        var table = StreamTable()
        let slot = table.allocate()
        table.open(slot, as: StreamID(wire: 1))
        let old = table.handle(of: slot)
        table.release(slot)
        #expect(table.slot(of: old) == nil)
        let again = table.allocate()
        #expect(again == slot)
        table.open(again, as: StreamID(wire: 3))
        #expect(table.slot(of: old) == nil)
        #expect(table.slot(of: table.handle(of: again)) == again)
        #expect(table.slot(of: StreamHandle(slot: -1, generation: 0)) == nil)
        #expect(table.slot(of: StreamHandle(slot: 99, generation: 0)) == nil)
        #expect(table.slot(of: StreamID(wire: 1)) == nil)
        #expect(table.count == 1)
    }
}
