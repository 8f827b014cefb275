import SwiftletCore

extension Duration {
    /// The largest number of seconds of a protobuf duration: about 10,000 years.
    private static let maxSeconds: Int64 = 315_576_000_000

    /// Parses the JSON form of a protobuf duration of zero or more: `1.000340012s`. The fraction has one to
    /// nine digits. Also accepts `.1s`, because proposal A6 has such examples. Nil for any other text.
    package init?(configText text: String) {
        guard text.utf8.last == UInt8(ascii: "s") else { return nil }
        let parts = text.utf8.dropLast().split(
            separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first,
            let seconds = Self.digits(whole, count: (parts.count == 2 ? 0 : 1)...12),
            whole.count <= 1 || whole.first != UInt8(ascii: "0"), seconds <= Self.maxSeconds
        else { return nil }
        self = .seconds(seconds)
        guard parts.count == 2 else { return }
        guard let fraction = Self.digits(parts[1], count: 1...9) else { return nil }
        let scale = (parts[1].count..<9).reduce(Int64(1)) { scale, _ in scale * 10 }
        self += .nanoseconds(fraction * scale)
    }

    private static func digits(
        _ text: Substring.UTF8View, count: ClosedRange<Int>
    ) -> Int64? {
        guard count.contains(text.count),
            text.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return text.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }
}
