/// Counts latencies in buckets. The width of a bucket is at most 1/64 of its smallest latency. Below 64 ns,
/// it is 1 ns.
struct LatencyHistogram: Sendable {
    private static let stepsPerDoubling = 64
    private static let stepBitCount = 6

    private(set) var count = 0
    private var sum = Duration.zero
    private var smallest = Duration.zero
    private var largest = Duration.zero
    private var counts: [Int] = []
}

extension LatencyHistogram {
    mutating func record(_ latency: Duration) {
        smallest = count == 0 ? latency : Swift.min(smallest, latency)
        largest = Swift.max(largest, latency)
        sum += latency
        count += 1
        add(1, to: Self.index(of: latency))
    }

    mutating func merge(_ other: LatencyHistogram) {
        guard other.count > 0 else { return }
        smallest = count == 0 ? other.smallest : Swift.min(smallest, other.smallest)
        largest = Swift.max(largest, other.largest)
        sum += other.sum
        count += other.count
        for (index, added) in other.counts.enumerated() where added > 0 { add(added, to: index) }
    }

    private mutating func add(_ added: Int, to index: Int) {
        if index >= counts.count {
            counts += Array(repeating: 0, count: index + 1 - counts.count)
        }
        counts[index] += added
    }

    private static func index(of latency: Duration) -> Int {
        let nanoseconds = UInt64(Swift.max(0, latency / .nanoseconds(1)))
        guard nanoseconds >= stepsPerDoubling else { return Int(nanoseconds) }
        let doublings = 63 - nanoseconds.leadingZeroBitCount - stepBitCount
        let step = Int(nanoseconds >> UInt64(doublings)) - stepsPerDoubling
        return (doublings + 1) * stepsPerDoubling + step
    }

    /// The smallest latency of a bucket.
    private static func lowerBound(of index: Int) -> Duration {
        guard index >= stepsPerDoubling else { return .nanoseconds(index) }
        let doublings = index / stepsPerDoubling - 1
        return .nanoseconds((stepsPerDoubling + index % stepsPerDoubling) << doublings)
    }
}

extension LatencyHistogram {
    /// Zero if there are no latencies, like `max`, `mean` and ``percentile(_:)``.
    var min: Duration { smallest }
    var max: Duration { largest }
    var mean: Duration { count == 0 ? .zero : sum / count }

    /// The latency that a fraction of the calls does not exceed. `part` is the fraction, from 0 to 1.
    func percentile(_ part: Double) -> Duration {
        let rank = Swift.max(1, Int((part * Double(count)).rounded(.up)))
        var seen = 0
        for (index, count) in counts.enumerated() {
            seen += count
            if seen >= rank { return clamped(Self.lowerBound(of: index + 1)) }
        }
        return largest
    }

    private func clamped(_ latency: Duration) -> Duration {
        Swift.min(largest, Swift.max(smallest, latency))
    }

    /// The counts of latencies in classes of equal width between the smallest latency and `end`. The last
    /// class counts the latencies above `end`.
    func bars(_ barCount: Int, to end: Duration) -> [(upTo: Duration, count: Int)] {
        let width = (end - smallest) / barCount
        guard count > 0, width > .zero else { return [(largest, count)] }
        var bars = (1...barCount).map { (upTo: smallest + width * $0, count: 0) }
        bars.append((upTo: largest, count: 0))
        for (index, count) in counts.enumerated() where count > 0 {
            let latency = clamped(Self.lowerBound(of: index))
            let bar = Int((latency - smallest) / width)
            bars[Swift.min(bar, barCount)].count += count
        }
        return bars
    }
}
