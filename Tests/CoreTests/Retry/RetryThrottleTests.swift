import Testing

@testable import SwiftletCore

@Suite("The retry throttle (A6)")
struct RetryThrottleTests {
    @Test("starts with maxTokens, loses one for each failure and gains tokenRatio for each success")
    func counts() {
        let throttle = RetryThrottle(.init(maxTokens: 10, tokenRatio: 0.5))
        let allowed = (0..<5).map { _ in throttle.recordFailure() }
        #expect(allowed == [true, true, true, true, false])
        throttle.recordSuccess()
        #expect(throttle.allowsRetries)
        #expect(!throttle.recordFailure())
    }

    @Test("stays between 0 and maxTokens")
    func bounds() {
        let throttle = RetryThrottle(.init(maxTokens: 3, tokenRatio: 1))
        for _ in 0..<100 { throttle.recordSuccess() }
        #expect(throttle.recordFailure() && !throttle.recordFailure())
        for _ in 0..<100 { _ = throttle.recordFailure() }
        throttle.recordSuccess()
        #expect(!throttle.allowsRetries)
        throttle.recordSuccess()
        #expect(throttle.allowsRetries)
    }

    @Test(
        "decimal places of tokenRatio beyond 3 are ignored",
        arguments: [(0.5466, 546), (0.57, 570), (0.001, 1), (2.0, 2_000)])
    func ratio(ratio: Double, thousandths: Int) {
        // No token is left. Retries need more than 500; a success adds `thousandths` / 1000.
        let throttle = RetryThrottle(.init(maxTokens: 1_000, tokenRatio: ratio))
        for _ in 0..<1_000 { _ = throttle.recordFailure() }
        var successCount = 0
        while !throttle.allowsRetries {
            throttle.recordSuccess()
            successCount += 1
        }
        #expect(successCount == 500_000 / thousandths + 1)
    }

    @Test("a new configuration keeps the part of the tokens that is left")
    func reconfigured() {
        let throttle = RetryThrottle(.init(maxTokens: 10, tokenRatio: 0.1))
        for _ in 0..<6 { _ = throttle.recordFailure() }
        let same = throttle.adopting(.init(maxTokens: 10, tokenRatio: 0.1))
        #expect(same === throttle)
        let other = throttle.adopting(.init(maxTokens: 100, tokenRatio: 1))
        #expect(!other.allowsRetries)
        for _ in 0..<11 { other.recordSuccess() }
        #expect(other.allowsRetries)
    }

    @Test("is shared by the channels to one server name, and forgotten with the last of them")
    func shared() {
        let throttles = RetryThrottles()
        let configuration = RetryThrottling(maxTokens: 2, tokenRatio: 1)
        var first: RetryThrottle? = throttles.throttle(for: "a", configuration)
        let second = throttles.throttle(for: "a", configuration)
        #expect(first === second)
        #expect(throttles.throttle(for: "b", configuration) !== first)
        _ = first?.recordFailure()
        first = nil
        #expect(!throttles.throttle(for: "a", configuration).allowsRetries)
    }

    @Test("loses no count when threads change it at once")
    func threads() async {
        let throttle = RetryThrottle(.init(maxTokens: 1_000, tokenRatio: 0.001))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<62 { _ = throttle.recordFailure() } }
            }
        }
        #expect(throttle.allowsRetries)
        for _ in 0..<4 { _ = throttle.recordFailure() }
        #expect(!throttle.allowsRetries)
    }
}
