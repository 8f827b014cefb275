/// Fractions of a second in the texts of timestamps and durations.
enum NanosText {
    /// `.5` or `.000000001`, from one to nine digits; 0 for an empty text. Nil for other text.
    static func parse(_ text: Substring) -> Int32? {
        guard !text.isEmpty else { return 0 }
        let digits = text.dropFirst()
        guard text.first == ".", 1...9 ~= digits.utf8.count, digits.isDigits else { return nil }
        return Int32(digits + String(repeating: "0", count: 9 - digits.utf8.count))
    }

    /// With three, six or nine digits; empty for 0.
    static func text(_ nanos: Int32) -> String {
        guard nanos != 0 else { return "" }
        let digits = padded(Int64(nanos), 9)
        if nanos % 1_000_000 == 0 { return ".\(digits.prefix(3))" }
        if nanos % 1_000 == 0 { return ".\(digits.prefix(6))" }
        return ".\(digits)"
    }

    /// The number with leading zeros.
    static func padded(_ value: Int64, _ count: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
    }
}

extension Substring {
    /// Whether it has only ASCII digits, and at least one.
    fileprivate var isDigits: Bool {
        !isEmpty && utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    }
}

/// The text of a `google.protobuf.Duration`: seconds, and an `s`.
enum DurationText {
    /// The limit in `duration.proto`: 10,000 years of 365.25 days.
    private static let maxSeconds: Int64 = 315_576_000_000

    static func parse(_ text: String) -> (seconds: Int64, nanos: Int32)? {
        // ASCII first: a walk by characters over a peer's text is not linear.
        guard text.utf8.last == UInt8(ascii: "s"), text.utf8.allSatisfy({ $0 < 0x80 }) else {
            return nil
        }
        var number = text.dropLast()
        let isNegative = number.first == "-"
        if isNegative { number = number.dropFirst() }
        let whole = number.prefix { $0 != "." }
        guard whole.isDigits, let seconds = Int64(whole), seconds <= maxSeconds,
            let nanos = NanosText.parse(number.dropFirst(whole.count))
        else { return nil }
        return isNegative ? (-seconds, -nanos) : (seconds, nanos)
    }

    /// Nil for a duration that is too long, whose `nanos` are a second or more, or whose parts have
    /// different signs.
    static func text(seconds: Int64, nanos: Int32) -> String? {
        guard -maxSeconds...maxSeconds ~= seconds, abs(Int64(nanos)) < 1_000_000_000,
            seconds == 0 || nanos == 0 || (seconds < 0) == (nanos < 0)
        else { return nil }
        let sign = seconds < 0 || nanos < 0 ? "-" : ""
        return "\(sign)\(seconds.magnitude)\(NanosText.text(abs(nanos)))s"
    }
}

/// The text of a `google.protobuf.Timestamp` (RFC 3339).
package enum TimestampText {
    private static let secondsPerDay: Int64 = 86_400
    /// From the start of year 1 to the end of year 9999.
    private static let range: ClosedRange<Int64> = -62_135_596_800...253_402_300_799

    static func parse(_ text: String) -> (seconds: Int64, nanos: Int32)? {
        // ASCII first: a walk by characters over a peer's text is not linear.
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        // 2006-01-02T15:04:05 has 19 characters.
        let head = text.prefix(19)
        guard head.utf8.count == 19, Array(head.utf8).matches("dddd-dd-ddTdd:dd:dd") else {
            return nil
        }
        func number(_ start: Int, _ count: Int) -> Int64 {
            Int64(head.dropFirst(start).prefix(count)) ?? 0
        }
        let (year, month, day) = (number(0, 4), number(5, 2), number(8, 2))
        let (hour, minute, second) = (number(11, 2), number(14, 2), number(17, 2))
        guard year > 0, 1...12 ~= month, 1...daysInMonth(year, month) ~= day, hour < 24,
            minute < 60, second < 60
        else { return nil }

        let rest = text.dropFirst(19)
        let fraction = rest.prefix { $0 != "Z" && $0 != "+" && $0 != "-" }
        guard let nanos = NanosText.parse(fraction),
            let offset = offset(rest.dropFirst(fraction.count))
        else { return nil }
        let seconds =
            days(year, month, day) * secondsPerDay + hour * 3600 + minute * 60 + second - offset
        return range ~= seconds ? (seconds, nanos) : nil
    }

    /// The offset of a time zone (`Z` or `+01:00`) from UTC, in seconds. Nil when it is malformed.
    private static func offset(_ text: Substring) -> Int64? {
        if text == "Z" { return 0 }
        guard Array(text.utf8.dropFirst()).matches("dd:dd"),
            let hours = Int64(text.dropFirst().prefix(2)), let minutes = Int64(text.suffix(2)),
            hours < 24, minutes < 60
        else { return nil }
        let seconds = hours * 3600 + minutes * 60
        switch text.first {
        case "+": return seconds
        case "-": return -seconds
        default: return nil
        }
    }

    /// Nil for a time outside of the years 1 to 9999.
    package static func text(seconds: Int64, nanos: Int32) -> String? {
        guard range ~= seconds, 0..<1_000_000_000 ~= nanos else { return nil }
        let shifted = seconds - range.lowerBound
        let (year, month, day) = date(range.lowerBound / secondsPerDay + shifted / secondsPerDay)
        let time = shifted % secondsPerDay
        let two = { (value: Int64) in NanosText.padded(value, 2) }
        return NanosText.padded(year, 4) + "-\(two(month))-\(two(day))"
            + "T\(two(time / 3600)):\(two(time / 60 % 60)):\(two(time % 60))"
            + NanosText.text(nanos) + "Z"
    }

    // MARK: The calendar

    private static func isLeap(_ year: Int64) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    private static func daysInMonth(_ year: Int64, _ month: Int64) -> Int64 {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// The days from 1970-01-01 to the start of a year.
    private static func days(toYear year: Int64) -> Int64 {
        let past = year - 1
        return past * 365 + past / 4 - past / 100 + past / 400 - 719_162
    }

    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        (1..<month).reduce(days(toYear: year) + day - 1) { $0 + daysInMonth(year, $1) }
    }

    private static func date(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        // An estimate that is never too late, and at most two years too early.
        var year = max(1, (days + 719_162) * 400 / 146_097)
        while self.days(toYear: year + 1) <= days { year += 1 }
        var rest = days - self.days(toYear: year)
        var month: Int64 = 1
        while rest >= daysInMonth(year, month) {
            rest -= daysInMonth(year, month)
            month += 1
        }
        return (year, month, rest + 1)
    }
}

extension [UInt8] {
    /// Whether it has the form of `pattern`, in which `d` means any digit.
    fileprivate func matches(_ pattern: StaticString) -> Bool {
        let pattern = Array<UInt8>("\(pattern)".utf8)
        guard count == pattern.count else { return false }
        return zip(self, pattern).allSatisfy { byte, form in
            form == UInt8(ascii: "d")
                ? UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte : byte == form
        }
    }
}
