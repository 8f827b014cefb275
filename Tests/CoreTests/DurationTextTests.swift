import Testing

@testable import SwiftletCore

@Suite("The text of a duration")
struct DurationTextTests {
    @Test(
        "is rounded to its last digit",
        arguments: [
            (Duration.milliseconds(1_600), 1, "1.6"), (.milliseconds(1_650), 1, "1.7"),
            (.milliseconds(49), 1, "0.0"), (.microseconds(999_950), 1, "1.0"),
            (.milliseconds(1_005), 3, "1.005"), (.zero, 3, "0.000"),
            (.milliseconds(-1_050), 2, "-1.05"),
        ] as [(Duration, Int, String)])
    func seconds(duration: Duration, digitCount: Int, text: String) {
        #expect(duration.text(in: .seconds(1), digitCount: digitCount) == text)
    }

    @Test("has a unit, and no limit")
    func units() {
        #expect(Duration.microseconds(2_340).inMilliseconds == "2.34 ms")
        #expect(
            Duration.seconds(Int64.max).text(in: .milliseconds(1), digitCount: 2)
                == "9223372036854775807000.00")
    }
}
