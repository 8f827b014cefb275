import Testing

@testable import SwiftletTransport

@Suite("A gather list")
struct SocketsGatherListTests {
    @Test("copies short pieces and joins adjacent ones; references long ones")
    func pieces() {
        var list = GatherList()
        list.append(copying: [1, 2])
        list.append(copying: [3].span)
        list.append(referencing: [4])
        #expect(list.pieceCount == 1)
        list.append(referencing: [UInt8](repeating: 5, count: 2_000), 100..<1_999)
        list.tail.appendUInt16(0x0607)
        list.tail += []
        #expect(list.pieceCount == 3)
        #expect(list.count == 4 + 1_899 + 2)
        #expect(list.bytes == [1, 2, 3, 4] + [UInt8](repeating: 5, count: 1_899) + [6, 7])
        list.removeFirst(4 + 1_898)
        #expect(list.bytes == [5, 6, 7])
        list.removeFirst(3)
        #expect(list.isEmpty && list.pieceCount == 0)
    }

    @Test("keeps its bytes through any pattern of appending, moving and removing")
    func model() {
        var generator = SplitMix64(seed: 16)
        var list = GatherList()
        var model: [UInt8] = []
        for turn in 0..<5_000 {
            let long = [UInt8](repeating: UInt8(truncatingIfNeeded: turn), count: 3_000)
            switch generator.next() % 4 {
            case 0: append([UInt8](long.prefix(Int.random(in: 0...9, using: &generator))))
            case 1:
                let range = Int.random(in: 0..<500, using: &generator)..<2_000
                list.append(referencing: long, range)
                model += long[range]
            case 2:
                var other = GatherList()
                other.append(copying: [1, 2, 3])
                other.append(referencing: long)
                other.removeFirst(2)
                model += other.bytes
                list.append(moving: &other)
                #expect(other.isEmpty)
            default:
                // Removes less than is added on average, so that the list is rarely empty.
                let limit = turn < 4_000 ? min(list.count, 2_600) : list.count
                let removed = Int.random(in: 0...limit, using: &generator)
                list.removeFirst(removed)
                model.removeFirst(removed)
            }
            #expect(list.count == model.count)
            if turn % 100 == 0 { #expect(list.bytes == model) }
        }
        #expect(list.bytes == model)

        func append(_ bytes: [UInt8]) {
            list.append(copying: bytes)
            model += bytes
        }
    }

    @Test("that is never empty needs no more memory than its bytes")
    func memory() {
        var list = GatherList()
        let payload = [UInt8](repeating: 0, count: 2_000)
        list.append(copying: [0])
        for _ in 0..<100_000 {
            list.append(copying: [1, 2, 3, 4, 5, 6, 7, 8, 9])
            list.append(referencing: payload)
            list.removeFirst(2_009)
        }
        #expect(list.pieces.count < 300)
        #expect(list.shared.count < 10_000)
    }

    @Test("that is never empty stays small also when all of it is one piece")
    func memoryOfOnePiece() {
        var list = GatherList()
        var model: [UInt8] = []
        for round in 0..<100_000 {
            let bytes = (0..<9).map { UInt8(truncatingIfNeeded: round &+ $0) }
            list.append(copying: bytes)
            model += bytes
            guard round > 10 else { continue }
            list.removeFirst(9)
            model.removeFirst(9)
        }
        #expect(list.bytes == model)
        #expect(list.shared.count <= 2 * 4_096 + 200)
    }

    @Test("is written completely to a socket, however little each write accepts")
    func partialWrites() throws {
        try Socket.withPair { left, right in
            var right = right
            var list = GatherList()
            var expected: [UInt8] = []
            for index in 0..<300 {
                let header = [UInt8](repeating: UInt8(index % 251), count: 9)
                let payload = [UInt8](repeating: UInt8(index % 241), count: 5_000)
                list.append(copying: header)
                list.append(referencing: payload, 7..<5_000)
                expected += header + payload[7...]
            }
            var arrived: [UInt8] = []
            while !list.isEmpty {
                switch try left.write(gathering: &list) {
                case .bytes: continue
                case .wouldBlock: arrived += try right.readAll(1)
                }
            }
            arrived += try right.readAll(expected.count - arrived.count)
            #expect(arrived == expected)
        }
    }
}
