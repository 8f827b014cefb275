/// The server's instruction about another attempt, in the trailer `grpc-retry-pushback-ms` (A6).
package enum RetryPushback: Equatable, Sendable {
    /// The next attempt is sent after exactly this delay.
    case retry(after: Duration)
    /// No attempt follows.
    case never

    package static let name = "grpc-retry-pushback-ms"

    /// Reads the trailers of an attempt; nil if they contain no instruction. A value that is
    /// negative or not a 32-bit number, and several values, mean no further attempt.
    package init?(_ trailers: Metadata) {
        var values = trailers.lazy.filter { $0.name == Self.name }.makeIterator()
        guard let first = values.next() else { return nil }
        guard values.next() == nil, case .text(let text) = first.value,
            let milliseconds = Self.number(text)
        else {
            self = .never
            return
        }
        self = .retry(after: .milliseconds(Int64(milliseconds)))
    }

    /// An ASCII number without a sign and without unnecessary zeros.
    private static func number(_ text: String) -> Int32? {
        let digits = text.utf8
        guard digits.count == 1 || digits.first != UInt8(ascii: "0"),
            digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return Int32(text)
    }
}
