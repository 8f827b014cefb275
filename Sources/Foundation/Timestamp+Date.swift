public import Foundation
public import SwiftletCore
public import SwiftletMessages

extension Google.Protobuf.Timestamp {
    /// The time of a date, rounded to a nanosecond. Nil if the date is not in the years 1 to 9999, or not a number.
    public init?(_ date: Date) {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        guard let whole = Int64(exactly: seconds) else { return nil }
        let nanos = ((date.timeIntervalSince1970 - seconds) * 1e9).rounded()
        let isNext = nanos >= 1e9
        let (sum, overflows) = whole.addingReportingOverflow(isNext ? 1 : 0)
        self.init(seconds: sum, nanos: isNext ? 0 : Int32(nanos))
        guard !overflows, isValid else { return nil }
    }
}

extension Date {
    /// The date of a timestamp. A `Date` is a floating-point number: today it is exact to less than a microsecond. Nil if
    /// the timestamp is not valid.
    public init?(_ timestamp: Google.Protobuf.Timestamp) {
        guard timestamp.isValid else { return nil }
        self.init(
            timeIntervalSince1970: Double(timestamp.seconds) + Double(timestamp.nanos) / 1e9)
    }
}

extension TimeInterval {
    /// The duration in seconds.
    public init(_ duration: Swift.Duration) { self = duration / .seconds(1) }
}

extension Deadline {
    /// The deadline at a date, as far as the clock of the machine is right now. A later change of that clock does not
    /// move it.
    public static func at(_ date: Date) -> Deadline {
        let seconds = date.timeIntervalSinceNow
        // A century bounds the conversion, which would stop the program for larger numbers.
        return .after(.seconds(max(0, min(seconds.isNaN ? 0 : seconds, 3_155_760_000))))
    }
}
