import SwiftletTransport
import Testing

@testable import SwiftletCore

@Suite("The order of addresses")
struct AddressOrderTests {
    private static let addresses = (1...4).map { SocketAddress.ipv4Loopback(port: $0) }

    private static func ports(_ order: AddressOrder) -> [Int] {
        order.ordered(addresses).map { address in
            addresses.firstIndex(of: address).map { $0 + 1 } ?? 0
        }
    }

    private static func lesson(
        winner: Int? = nil, silent: [Int] = [], untried: [Int] = [], started: [Int]
    ) -> AddressOrder.Lesson {
        func pick(_ numbers: [Int]) -> Set<SocketAddress> { Set(numbers.map { addresses[$0 - 1] }) }
        return AddressOrder.Lesson(
            winner: winner.map { addresses[$0 - 1] }, silent: pick(silent),
            untried: pick(untried), started: pick(started))
    }

    @Test("is the resolver's before the first race")
    func initial() {
        #expect(Self.ports(AddressOrder()) == [1, 2, 3, 4])
    }

    @Test("begins with the address that won, and ends with those that were silent")
    func silent() {
        var order = AddressOrder()
        order.learn(Self.lesson(winner: 3, silent: [1], started: [1, 2, 3]))
        #expect(Self.ports(order) == [3, 2, 4, 1])
    }

    @Test("begins with addresses that the time limit left out")
    func untried() {
        var order = AddressOrder()
        order.learn(Self.lesson(silent: [1, 2], untried: [4], started: [1, 2, 3]))
        #expect(Self.ports(order) == [4, 3, 1, 2])
    }

    @Test("keeps the silent addresses at the end until they are tried again")
    func memory() {
        var order = AddressOrder()
        order.learn(Self.lesson(winner: 2, silent: [1], started: [1, 2]))
        order.learn(Self.lesson(winner: 2, started: [2]))
        #expect(Self.ports(order) == [2, 3, 4, 1])
        order.learn(Self.lesson(winner: 3, started: [2, 1, 3]))
        #expect(Self.ports(order) == [3, 1, 2, 4])
    }

    @Test(
        "keeps the last winner first after its connection could not be made again, unless it was silent"
    )
    func lostWinner() {
        var order = AddressOrder()
        order.learn(Self.lesson(winner: 2, started: [1, 2]))
        order.learn(Self.lesson(started: [2, 1, 3, 4]))
        #expect(Self.ports(order) == [2, 1, 3, 4])
        order.learn(Self.lesson(silent: [2], started: [2, 1, 3, 4]))
        #expect(Self.ports(order) == [1, 3, 4, 2])
    }

    @Test("alternates the families among the addresses that answered")
    func families() {
        let v6 = (1...2).map { SocketAddress.ipv6Loopback(port: $0) }
        var order = AddressOrder()
        order.learn(
            AddressOrder.Lesson(winner: Self.addresses[1], silent: [v6[0]], started: []))
        #expect(
            order.ordered(v6 + Self.addresses)
                == [
                    Self.addresses[1], v6[1], Self.addresses[0], Self.addresses[2],
                    Self.addresses[3],
                ]
                + [v6[0]])
    }
}
