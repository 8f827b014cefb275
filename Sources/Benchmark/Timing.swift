/// The time of one run of `body`, in nanoseconds: the median of `rounds` rounds. Warm-up rounds before them find
/// the count of runs that takes `roundDuration` or longer. Each round then has this count of runs.
func medianNanoseconds(
    rounds: Int = 15, roundDuration: Duration = .milliseconds(40), _ body: () -> Void
) -> Double {
    let clock = ContinuousClock()
    var turnsPerRound = 1
    while true {
        let elapsed = clock.measure { for _ in 0..<turnsPerRound { body() } }
        if elapsed >= roundDuration || turnsPerRound >= 1 << 28 { break }
        turnsPerRound *= 2
    }
    var times: [Double] = []
    for _ in 0..<rounds {
        let elapsed = clock.measure { for _ in 0..<turnsPerRound { body() } }
        times.append(elapsed / .nanoseconds(1) / Double(turnsPerRound))
    }
    return times.sorted()[rounds / 2]
}

/// Keeps the optimizer from removing the computation of `value`.
@inline(never)
func blackHole<T>(_ value: T) {
    _ = value
}
