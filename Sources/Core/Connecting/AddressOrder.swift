import SwiftletTransport

/// The order in which the addresses of an endpoint are tried: first the one that answered last time, and last
/// those that were silent.
struct AddressOrder {
    /// The result of a race, as far as it is useful for the next one.
    struct Lesson: Sendable {
        /// The address of the connection; nil if there is none.
        var winner: SocketAddress?
        /// Addresses that had begun to connect, and had neither answered nor failed when the race ended.
        var silent: Set<SocketAddress> = []
        /// Addresses to which the race had no time to connect.
        var untried: Set<SocketAddress> = []
        /// Addresses to which the race had begun to connect.
        var started: Set<SocketAddress> = []
    }

    private var lesson = Lesson()
}

extension AddressOrder {
    mutating func learn(_ new: Lesson) {
        // An address whose connection was lost is tried first, until another one answers.
        let former = lesson.winner.flatMap { new.silent.contains($0) ? nil : $0 }
        let stillSilent = lesson.silent.subtracting(new.started)
        lesson = new
        lesson.winner = new.winner ?? former
        lesson.silent.formUnion(stillSilent)
    }

    /// `addresses`, which are in the resolver's order, in the order of the next race.
    ///
    /// Those that the last race had no time for precede the others: otherwise a short time limit would never
    /// reach the end of a long list.
    func ordered(_ addresses: [SocketAddress]) -> [SocketAddress] {
        let lesson = lesson
        func take(_ isTaken: (SocketAddress) -> Bool) -> [SocketAddress] {
            addresses.filter { $0 != lesson.winner && isTaken($0) }
        }
        let answered = take { !lesson.silent.contains($0) }
        let fresh = answered.filter(lesson.untried.contains)
        let others = answered.filter { !lesson.untried.contains($0) }
        let first = addresses.filter { $0 == lesson.winner }
        return HappyEyeballs.interleaved(first + fresh + others)
            + HappyEyeballs.interleaved(take(lesson.silent.contains))
    }
}
