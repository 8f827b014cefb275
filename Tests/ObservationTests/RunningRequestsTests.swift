import Testing

@testable import SwiftletCore
@testable import SwiftletObservation

@Suite("The running requests of a duplicate guard")
struct RunningRequestsTests {
    private final class Answer {}

    @Test("contain at most one request for each key, until it is forgotten")
    func oneForEachKey() {
        var requests = RunningRequests<Int, Answer>()
        let (first, second) = (Answer(), Answer())
        let none = requests.register(first, 1, replacing: .one(nil))
        let running = requests.register(second, 1, replacing: .one(nil))
        #expect(none == nil && running === first)
        let other = requests.register(second, 2, replacing: .one(nil))
        #expect(other == nil && requests.count == 2)
        requests.forget(second, 1)
        #expect(requests.count == 2, "another request has the key")
        requests.forget(first, 1)
        #expect(requests.count == 1)
    }

    @Test("replace an abandoned request only once, however many requests have found it")
    func abandoned() {
        var requests = RunningRequests<Int, Answer>()
        let (dead, first, second) = (Answer(), Answer(), Answer())
        _ = requests.register(dead, 1, replacing: .one(nil))
        let none = requests.register(first, 1, replacing: .one(dead))
        let running = requests.register(second, 1, replacing: .one(dead))
        #expect(none == nil && running === first)
        requests.forget(dead, 1)
        let still = requests.register(second, 1, replacing: .one(dead))
        #expect(still === first)
    }

    @Test("replace an abandoned request that was forgotten in the meantime")
    func forgotten() {
        var requests = RunningRequests<Int, Answer>()
        let (dead, next) = (Answer(), Answer())
        _ = requests.register(dead, 1, replacing: .one(nil))
        requests.forget(dead, 1)
        let none = requests.register(next, 1, replacing: .one(dead))
        #expect(none == nil && requests.count == 1)
    }

    @Test("replace any request if a new one cancels the previous one")
    func replacing() {
        var requests = RunningRequests<Int, Answer>()
        let (first, second) = (Answer(), Answer())
        _ = requests.register(first, 1, replacing: .any)
        let previous = requests.register(second, 1, replacing: .any)
        #expect(previous === first && requests.count == 1)
        requests.forget(second, 1)
        #expect(requests.count == 0)
    }
}
