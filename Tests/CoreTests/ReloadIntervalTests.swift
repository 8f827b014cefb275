import Testing

@testable import SwiftletCore

@Suite("The interval at which TLS files are checked")
struct ReloadIntervalTests {
    @Test("is at least a millisecond, and at most a year")
    func limits() {
        for (interval, pause): (Duration, Duration) in [
            (.zero, .milliseconds(1)), (.seconds(-5), .milliseconds(1)),
            (.seconds(60), .seconds(60)),
            (.seconds(Int64.max), .seconds(365 * 86_400)),
        ] {
            #expect(ReloadingTLS.pause(for: interval) == pause)
        }
    }
}
