/// The value of `grpc-timeout`: at most eight digits and a unit (PROTOCOL-HTTP2, "Timeout").
enum GRPCTimeout {
    private static let units: [(suffix: Character, nanoseconds: Int64)] = [
        ("n", 1), ("u", 1_000), ("m", 1_000_000), ("S", 1_000_000_000), ("M", 60_000_000_000),
        ("H", 3_600_000_000_000),
    ]
    private static let limit: Int64 = 100_000_000

    /// Encodes a duration in the finest unit in which it has at most eight digits. Rounds up, so
    /// that the server does not give up before the client. A deadline that has passed becomes one
    /// nanosecond. A longer duration than the maximum becomes the maximum.
    static func encode(_ duration: Duration) -> String {
        guard duration > .zero else { return "1n" }
        let (seconds, attoseconds) = duration.components
        guard seconds < 9_000_000_000 else { return "99999999H" }
        let nanoseconds = seconds * 1_000_000_000 + (attoseconds + 999_999_999) / 1_000_000_000
        for (suffix, unit) in units {
            let count = (nanoseconds - 1) / unit + 1
            if count < limit { return "\(count)\(suffix)" }
        }
        return "99999999H"
    }
}
