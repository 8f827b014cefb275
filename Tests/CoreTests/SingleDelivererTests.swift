import Testing

@testable import SwiftletCore

@Suite("A single deliverer")
struct SingleDelivererTests {
    @Test("refuses a second thread until the first one finds no more events")
    func turns() {
        var deliverer = SingleDeliverer()
        var events = [1, 2]
        #expect(deliverer.begin() == true)
        #expect(deliverer.begin() == false)
        #expect(deliverer.next(events.popLast()) == 2)
        #expect(deliverer.isActive)
        #expect(deliverer.next(events.popLast()) == 1)
        #expect(deliverer.next(events.popLast()) == nil)
        #expect(!deliverer.isActive)
        #expect(deliverer.begin() == true)
    }
}
