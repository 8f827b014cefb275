import SwiftletDynamic

/// What a benchmark was asked to do, for its report.
struct LoadRun: Sendable {
    /// When the command started.
    var date = ""
    var target = ""
    /// For example `helloworld.Greeter/SayHello`.
    var method = ""
    var concurrency = 1
    var connectionCount = 1
    var plan = LoadSchedule.Plan()

    /// A time as text (RFC 3339); empty for a time after the year 9999.
    ///
    /// - Parameter nanoseconds: The time since the first of January 1970, UTC.
    static func text(nanoseconds: Int64) -> String {
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return TimestampText.text(seconds: seconds, nanos: Int32(rest)) ?? ""
    }

    /// Starts of calls below this share of the rate are reported.
    private static let leastShare = 0.95

    /// The words for a rate that was missed; nil without a rate, or if calls started at that rate.
    ///
    /// - Parameter started: How many calls started in a second.
    func missedRate(started: Double?) -> String? {
        guard let rate = plan.rate, let started, started < rate * Self.leastShare else {
            return nil
        }
        return "calls started at \(LoadReport.decimal(started)) per second, and --rate asks for "
            + "\(LoadReport.decimal(rate)); raise -c, or lower --rate"
    }
}
