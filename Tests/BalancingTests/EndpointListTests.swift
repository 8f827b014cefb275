import SwiftletBalancing
import Testing

@testable import SwiftletCore

/// Lists that keep their order, lose it, repeat endpoints and replace them, beside a list that is searched.
@Suite("A list of endpoints")
struct EndpointListTests {
    /// What a list must be after an update.
    private struct Model {
        var numbers: [Int] = []
        var weights: [Int: UInt64] = [:]
        var subchannels: [Int: Subchannel] = [:]

        init(_ list: EndpointList<Int>) {
            for member in list.members {
                numbers.append(member.extra)
                weights[member.extra] = member.weight
                subchannels[member.extra] = member.subchannel
            }
        }
    }

    private static func endpoint(_ number: Int, weight: UInt32 = 1) throws -> Endpoint {
        var endpoint = Endpoint([try ServerAddress("10.0.0.\(number):80")])
        endpoint.attributes.weight = weight
        return endpoint
    }

    /// A list that differs from the last one in some places, or in all.
    private static func change(_ numbers: [Int], _ random: PickerRandom) -> [Int] {
        var numbers = numbers
        switch random.next(below: 6) {
        case 0: numbers.reverse()
        case 1: numbers = Array(numbers.dropFirst(3)) + [random.next(below: 200)]
        case 2: numbers.insert(random.next(below: 200), at: random.next(below: numbers.count + 1))
        case 3: if let first = numbers.first { numbers.append(first) }
        case 4: numbers = (0..<random.next(below: 12)).map { _ in random.next(below: 20) }
        default: break
        }
        return numbers
    }

    @Test("keeps what it knows in any order", arguments: 1...40)
    func anyOrder(seed: Int) throws {
        let random = PickerRandom(seed: UInt64(seed))
        var list = EndpointList<Int>()
        var (numbers, made) = ([1, 2, 3, 4], UInt64(0))
        for _ in 0..<60 {
            numbers = Self.change(numbers, random)
            let before = Model(list)
            var context = BalancerContext(now: .zero, random: { 0 }) { _, _ in
                made += 1
                return Subchannel(id: made)
            }
            var extras = numbers.filter { before.subchannels[$0] == nil }
            var known: Set<Int> = []
            extras.removeAll { !known.insert($0).inserted }
            list.update(
                try numbers.enumerated().map { try Self.endpoint($1, weight: UInt32($0 + 1)) },
                &context
            ) { _ in extras.removeFirst() }
            try check(list, numbers, before, context.actions)
        }
    }

    private func check(
        _ list: EndpointList<Int>, _ numbers: [Int], _ before: Model,
        _ actions: [BalancerContext.Action]
    ) throws {
        let after = Model(list)
        var known: Set<Int> = []
        #expect(after.numbers == numbers.filter { known.insert($0).inserted })
        for (number, subchannel) in after.subchannels {
            let places = numbers.indices.filter { numbers[$0] == number }
            #expect(after.weights[number] == places.reduce(0) { $0 + UInt64($1 + 1) })
            if let kept = before.subchannels[number] { #expect(kept == subchannel) }
            #expect(list.members.first { $0.subchannel == subchannel }?.extra == number)
        }
        #expect(list.count(of: .idle) == after.numbers.count)
        var dropped: [Subchannel] = []
        for case .drop(let subchannel) in actions { dropped.append(subchannel) }
        let gone = before.numbers.filter { after.subchannels[$0] == nil }
        #expect(dropped == gone.compactMap { before.subchannels[$0] })
    }
}
